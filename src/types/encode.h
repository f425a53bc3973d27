// SPDX-License-Identifier: Apache-2.0
//
// From C++ values to JSON.
//
// What is written is what the server keeps: everything that has a default is written even when it
// equals it, empty texts, lists and maps are not (unless the default is another), so that reading
// back what was written gives the same JSON and nobody writes twice.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "types/table.h"

#include <optional>

namespace fixpoint::types {

json::Value encode(const Table& table, const void* value);
template <Described T>
json::Value encode(const T& value) {
  return encode(table_of<T>(), &value);
}

// What the CRD says a field is when it is not given; a struct whole, because the server holds
// defaults to the rules before it completes them. Nothing: absent stays absent. describe() keeps
// it in the Field.
std::optional<json::Value> find_default(const Table& table, const Field& field);

// By value: 1Ki and 1024 are equal quantities.
bool equal(const Type& type, const void* a, const void* b);
template <Described T>
bool equal(const T& a, const T& b) {
  return equal(type_of<T>(), &a, &b);
}

}  // namespace fixpoint::types
