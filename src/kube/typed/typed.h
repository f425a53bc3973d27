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
#include "kube/schema/schema.h"
#include "kube/typed/read.h"

#include <string_view>
#include <vector>

namespace fixpoint::kube {

struct TypedObject {
  json::Value value;
  std::vector<FieldProblem> problems;  // in the order of the text
  // A quantity was given as a float, whose form (1e3) only the text knows.
  bool inexact = false;
};

// What is stored does not tell an empty list from none; what was sent does, and ownership of fields
// is tracked on that.
enum class Empties : std::uint8_t { AsStored, AsSent };

// `schema` is the kind's root; apiVersion and kind are kept as they are.
Result<TypedObject> decode_typed(const Schema& schema, json::View object,
                                 Empties empties = Empties::AsStored);
// The same from well-formed text, which tells more than a tree: the order of what is wrong, numbers
// as written, and keys given twice, which Go decodes into one place, one after the other.
Result<TypedObject> decode_typed_text(const Schema& schema, std::string_view text,
                                      Empties empties = Empties::AsStored);

}  // namespace fixpoint::kube
