// SPDX-License-Identifier: Apache-2.0
//
// Typed merging: which fields an object has, how two objects differ, what one laid over another is.
//
// Everything walks objects along their schema: lists of type map pair their items by key, sets by
// value, atomic parts count as one field. Reading order: field_set.h, this, managed_fields.h.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/ownership/field_set.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::kube {

enum class Duplicates : std::uint8_t { Refused, Allowed };

// How `object` breaks its schema, in Kubernetes' words, one line an error; empty if it does not.
// Shape only: known fields, right types, nameable and unique list items.
std::string shape_errors(const Schema& schema, json::View object, Duplicates duplicates);

// Every field an applied configuration states.
Result<FieldSet> stated_fields(const Schema& schema, json::View object);

struct Comparison {
  FieldSet removed;
  FieldSet modified;
  FieldSet added;

  bool same() const { return removed.empty() && modified.empty() && added.empty(); }
};

// The difference from `before` to `after`, field by field. No field is in two of the sets.
Result<Comparison> compare_objects(const Schema& schema, json::View before, json::View after);

// `over` laid over `under`: what only one has is kept, of scalars and atomic parts `over` wins.
Result<json::Value> merge_objects(const Schema& schema, json::View under, json::View over);

// `object` without the members and list items of `fields`.
Result<json::Value> remove_fields(const Schema& schema, json::View object, const FieldSet& fields);

// `fields` and, of what lies above them, the declared members: removing the last field of a struct
// removes the struct.
FieldSet with_declared_parents(const Schema& schema, const FieldSet& fields);

// Makes `fields` own whole what the schema now says is atomic. True if that changed anything.
bool fit_to_schema(const Schema& schema, FieldSet& fields);

// An object of this kind of which nothing is set yet: for built-in kinds the zero value of the Go
// struct, whose fixed parts exist before anyone writes them and so belong to nobody.
json::Value empty_object(const Schema& schema);

}  // namespace fixpoint::kube
