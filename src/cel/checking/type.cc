// SPDX-License-Identifier: Apache-2.0
#include "cel/checking/type.h"

#include "base/error.h"

#include <array>
#include <utility>

namespace fixpoint::cel {
namespace {

const Type kError{.kind = TypeKind::Error, .name = "!error!"};
const Type kDyn{.kind = TypeKind::Dyn, .name = "dyn"};
const Type kNull{.kind = TypeKind::Null, .name = "null"};
const Type kBool{.kind = TypeKind::Bool, .name = "bool"};
const Type kInt{.kind = TypeKind::Int, .name = "int"};
const Type kUint{.kind = TypeKind::Uint, .name = "uint"};
const Type kDouble{.kind = TypeKind::Double, .name = "double"};
const Type kString{.kind = TypeKind::String, .name = "string"};
const Type kBytes{.kind = TypeKind::Bytes, .name = "bytes"};
const Type kDuration{.kind = TypeKind::Duration, .name = "duration"};
const Type kTimestamp{.kind = TypeKind::Timestamp, .name = "timestamp"};

// The text's top-level parts between commas.
std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i == text.size() ? ',' : text[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    auto part = text.substr(begin, i - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) out.push_back(part);
    begin = i + 1;
  }
  return out;
}

}  // namespace

const Type* error_type() {
  return &kError;
}
const Type* dyn_type() {
  return &kDyn;
}
const Type* null_type() {
  return &kNull;
}
const Type* bool_type() {
  return &kBool;
}
const Type* int_type() {
  return &kInt;
}
const Type* uint_type() {
  return &kUint;
}
const Type* double_type() {
  return &kDouble;
}
const Type* string_type() {
  return &kString;
}
const Type* bytes_type() {
  return &kBytes;
}
const Type* duration_type() {
  return &kDuration;
}
const Type* timestamp_type() {
  return &kTimestamp;
}

const Type* TypePool::list(const Type* element) {
  return make({.kind = TypeKind::List, .name = "list", .params = {element}});
}

const Type* TypePool::map(const Type* key, const Type* value) {
  return make({
      .kind = TypeKind::Map, .name = "map", .params = {key, value}
  });
}

const Type* TypePool::optional(const Type* value) {
  return opaque("optional_type", {value});
}

const Type* TypePool::type_of(const Type* type) {
  return make({.kind = TypeKind::Type, .name = "type", .params = {type}});
}

const Type* TypePool::opaque(std::string_view name, std::vector<const Type*> params) {
  return make({.kind = TypeKind::Opaque, .name = std::string{name}, .params = std::move(params)});
}

const Type* TypePool::variable(int number) {
  return make(
      {.kind = TypeKind::Param, .name = "_var" + std::to_string(number), .variable = number});
}

std::string shown(const Type& type) {
  std::string out = type.name;
  if (type.params.empty()) return out;
  out += '(';
  for (std::size_t i = 0; i < type.params.size(); ++i) {
    if (i > 0) out += ", ";
    out += shown(*type.params[i]);
  }
  return out + ')';
}

std::string_view declared_name(const Type& type) {
  switch (type.kind) {
    case TypeKind::Duration: return "google.protobuf.Duration";
    case TypeKind::Timestamp: return "google.protobuf.Timestamp";
    case TypeKind::Null: return "null_type";
    default: return type.name;
  }
}

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.params.size() != b.params.size()) return false;
  for (std::size_t i = 0; i < a.params.size(); ++i) {
    if (!same_type(*a.params[i], *b.params[i])) return false;
  }
  return true;
}

const Type* read_type(std::string_view text, TypePool& pool) {
  constexpr std::array kPlain{&kDyn,    &kNull,   &kBool,  &kInt,      &kUint,
                              &kDouble, &kString, &kBytes, &kDuration, &kTimestamp};
  for (const auto* type : kPlain) {
    if (type->name == text) return type;
  }
  const auto open = text.find('(');
  if (open != text.npos) {
    FP_CHECK(text.ends_with(')'));
    const auto name = text.substr(0, open);
    std::vector<const Type*> params;
    for (const auto part : parts(text.substr(open + 1, text.size() - open - 2))) {
      params.push_back(read_type(part, pool));
    }
    if (name == "list") return pool.list(params.at(0));
    if (name == "map") return pool.map(params.at(0), params.at(1));
    if (name == "type") return pool.type_of(params.at(0));
    return pool.opaque(name, std::move(params));
  }
  if (text.size() == 1) return pool.make({.kind = TypeKind::Param, .name = std::string{text}});
  if (text == "type") return pool.make({.kind = TypeKind::Type, .name = "type"});
  if (text.starts_with("net.")) return pool.opaque(text, {});
  return pool.make({.kind = TypeKind::Struct, .name = std::string{text}});
}

}  // namespace fixpoint::cel
