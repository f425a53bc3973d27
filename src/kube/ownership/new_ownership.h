// SPDX-License-Identifier: Apache-2.0
//
// The managedFields of a new object of a built-in kind, remembered by its shape.
//
// Who creates an object owns all its fields, so which fields those are depends on the keys that are
// there and on the lists, not on what the fields say. Thousands of Events, or pods of one template,
// have one shape; the list of it is made once.
#pragma once

#include "base/hash.h"
#include "json/value.h"
#include "kube/ownership/managed_fields.h"

#include <optional>

namespace fixpoint::kube {

// Equal for two objects only if whoever creates them by `writer` owns the same fields. Of values it
// holds whether they are the zero of their type, which Go prints where nobody wrote anything; of
// lists everything, since their elements are named by what they say.
Hash128 shape_of_new(const Writer& writer, json::View object);

// What was remembered for that shape in this thread: the fieldsV1 of its one owner.
std::optional<json::Value> remembered_fields(const Hash128& shape);
void remember_fields(const Hash128& shape, json::Value fields);

}  // namespace fixpoint::kube
