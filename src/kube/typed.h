// SPDX-License-Identifier: Apache-2.0
//
// Typed decoding: what passing through a Go struct does to the JSON of a built-in kind.
//
// Unknown fields vanish (and are reported for strict validation), zero values marked omitempty
// vanish, quantities and times take their canonical form, and a value of the wrong JSON type is
// refused in the words of Go's decoder ("json: cannot unmarshal number into Go struct field
// ConfigMap.data of type string").
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/schema.h"

#include <string>
#include <vector>

namespace fixpoint::kube {

struct TypedObject {
  json::Value value;
  std::vector<std::string>
      unknown_fields;  // `spec.foo`, `spec.containers[0].bar`, as strict errors name them
};

// `schema` is the kind's root; apiVersion and kind are kept as they are.
Result<TypedObject> decode_typed(const Schema& schema, json::View object);

}  // namespace fixpoint::kube
