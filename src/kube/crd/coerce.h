// SPDX-License-Identifier: Apache-2.0
//
// What decoding does to a custom resource, on its way in and out of the store: unknown fields are
// pruned, nulls that mean nothing go, and metadata passes through Go's ObjectMeta.
#pragma once

#include "base/error.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/crd/meta.h"
#include "kube/crd/schema.h"
#include "kube/errors/field_error.h"
#include "kube/schema/prune.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::kube {

struct CoercedResource {
  json::Value value;
  // For strict and warning field validation: metadata's first, then the rest sorted.
  std::vector<std::string> unknown_fields;
};

// The error is in the words of Go's decoder. Defaults are not set here; see kube/schema/default.h.
Result<CoercedResource> coerce_resource(const json::Value& object, const CompiledSchema& schema,
                                        BadMeta bad);

// Embedded resources alone, in place; `path` is where the value lies. With Place::Resource the
// value itself is one, whatever its schema says.
std::optional<FieldError> coerce_embedded(json::Draft& value, const Schema& schema, Place place,
                                          BadMeta bad, const std::string& path);

}  // namespace fixpoint::kube
