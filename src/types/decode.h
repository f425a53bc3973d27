// SPDX-License-Identifier: Apache-2.0
//
// From JSON to C++ values: everything that is wrong at once, each with its field, in Kubernetes'
// words, and the way out.
//
//   spec.replicas: Invalid value: 11: must be less than or equal to 9; give an integer from 0 to 9
//
// What the server accepts by the CRD decodes without errors and the other way round; a test holds
// both to it. Two things are not compared: CEL rules, which only the server evaluates, and lists
// where a string with a format is wanted, which Kubernetes' validator lets through.
// Unknown fields are ignored, as the server prunes them.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "types/table.h"

namespace fixpoint::types {

// `into` is a value of the table's struct; what is wrong or absent in the JSON keeps its default.
kube::FieldErrors decode(json::View value, const Table& table, void* into,
                         const kube::FieldPath& path);

template <Described T>
struct Decoded {
  T value{};
  kube::FieldErrors errors;

  bool ok() const { return errors.empty(); }
};

template <Described T>
Decoded<T> decode(json::View value, const kube::FieldPath& path = {}) {
  Decoded<T> decoded;
  decoded.errors = decode(value, table_of<T>(), &decoded.value, path);
  return decoded;
}

}  // namespace fixpoint::types
