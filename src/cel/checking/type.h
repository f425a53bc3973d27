// SPDX-License-Identifier: Apache-2.0
//
// Type: what the checker knows of an expression's values.
//
// Types are immutable and live in pools; the built-in ones live for ever. Two types are compared by
// structure, never by address.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

struct Shape;

enum class TypeKind : std::uint8_t {
  Error,  // of an expression that was already complained about
  Dyn,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Duration,
  Timestamp,
  List,
  Map,
  Struct,
  Opaque,  // optional_type and the types of the network library
  Type,
  Param,  // stands for a type yet to be found
};

struct Type {
  TypeKind kind = TypeKind::Dyn;
  std::string name;  // as messages show it, without its parameters
  std::vector<const Type*> params;
  const Shape* shape = nullptr;  // of a Struct that a schema describes
  int variable = -1;             // of a Param that the checker made
};

// Nodes made during one compilation.
class TypePool {
 public:
  const Type* make(Type type) { return &types_.emplace_back(std::move(type)); }
  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* value);
  const Type* optional(const Type* value);
  const Type* type_of(const Type* type);
  const Type* opaque(std::string_view name, std::vector<const Type*> params);
  const Type* variable(int number);

 private:
  std::deque<Type> types_;
};

const Type* error_type();
const Type* dyn_type();
const Type* null_type();
const Type* bool_type();
const Type* int_type();
const Type* uint_type();
const Type* double_type();
const Type* string_type();
const Type* bytes_type();
const Type* duration_type();
const Type* timestamp_type();

// "map(string, list(int))".
std::string shown(const Type& type);
// As values name it: "google.protobuf.Duration", "null_type".
std::string_view declared_name(const Type& type);
bool same_type(const Type& a, const Type& b);
inline bool is_dyn(const Type& type) {
  return type.kind == TypeKind::Dyn;
}
inline bool is_optional(const Type& type) {
  return type.kind == TypeKind::Opaque && type.name == "optional_type";
}

// Reads "list(A)" as the tables of functions write types; single capitals are parameters.
const Type* read_type(std::string_view text, TypePool& pool);

}  // namespace fixpoint::cel
