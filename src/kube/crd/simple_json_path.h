// SPDX-License-Identifier: Apache-2.0
//
// The JSON paths a CRD may hold: printer columns, scale paths, selectable fields.
//
//   .spec.crew   .status.conditions[?(@.type=="Ready")].status   .metadata.labels.a\.b
//   .spec.parts[0].name   .spec.parts[-1]   .spec.parts[*].name   ..name   .spec['a.b']
// Kubernetes reads them with kubectl's JSONPath and so accepts all of this; templates with text and
// {range} are kubectl's alone (expr/).
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/draft.h"
#include "json/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

class SimpleJsonPath {
 public:
  // The error is in the words of Kubernetes' parser.
  static Result<SimpleJsonPath> parse(std::string_view text);

  // What the path leads to, in order; missing keys lead nowhere. An index out of bounds, a filter
  // on something that is no list and a comparison of different types are errors.
  Result<std::vector<json::View>> find(json::View object) const;

  struct Step;

 private:
  std::shared_ptr<const std::vector<Step>> steps_;
};

// One cell of a table: the first thing found, converted to the column's type as the server does it.
// A date becomes an age, what is absent or of another type null.
json::Draft table_cell(const SimpleJsonPath& path, std::string_view column_type, json::View object,
                       Instant now);

// The value a field selector compares: text of the one thing found, else empty.
std::string selectable_value(const SimpleJsonPath& path, json::View object);

}  // namespace fixpoint::kube
