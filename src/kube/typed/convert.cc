// SPDX-License-Identifier: Apache-2.0
#include "kube/typed/convert.h"

#include "json/print.h"
#include "kube/go/scalars.h"
#include "kube/go/value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::Draft;
using json::View;

// reflect.Kind of what a JSON value is held in.
std::string_view kind_of(View value) {
  if (value.is_object()) return "map";
  if (value.is_array()) return "slice";
  return go_type_name(value.type());
}

// reflect.Kind of the target.
std::string_view kind_of(GoKind kind) {
  switch (kind) {
    case GoKind::Bool: return "bool";
    case GoKind::Int32: return "int32";
    case GoKind::Int64: return "int64";
    case GoKind::Uint8: return "uint8";
    case GoKind::Uint16: return "uint16";
    case GoKind::Uint32: return "uint32";
    case GoKind::Uint64: return "uint64";
    case GoKind::Float64: return "float64";
    default: return "string";
  }
}

std::int64_t wrapped(GoKind kind, std::int64_t value) {
  switch (kind) {
    case GoKind::Int32: return static_cast<std::int32_t>(value);
    case GoKind::Uint8: return static_cast<std::uint8_t>(value);
    case GoKind::Uint16: return static_cast<std::uint16_t>(value);
    case GoKind::Uint32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

class Converter {
 public:
  Result<Draft> value(const Schema& schema, View in, const std::string& path) {
    if (in.is_null()) return Draft{};
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(schema, in, path);
      case GoKind::Map: return map(schema, in, path);
      case GoKind::Slice: return slice(schema, in, path);
      case GoKind::Bytes: return bytes(in);
      case GoKind::String:
        if (in.is_string()) return Draft{in};
        return in.is_int() ? no_conversion(schema, in) : unrecognized(schema);
      case GoKind::Bool: return in.is_bool() ? Result<Draft>{Draft{in}} : unrecognized(schema);
      case GoKind::Float64: return in.is_number() ? Result<Draft>{Draft{in}} : unrecognized(schema);
      case GoKind::Int32:
      case GoKind::Int64:
      case GoKind::Uint8:
      case GoKind::Uint16:
      case GoKind::Uint32:
      case GoKind::Uint64: return integer(schema, in);
      default: return own_parser(schema, in);
    }
  }

  std::vector<FieldProblem> problems;

 private:
  static std::unexpected<Error> no_conversion(const Schema& schema, View in) {
    return fail(ErrorKind::Invalid,
                fmt::format("cannot convert {} to {}", kind_of(in), schema.go_type));
  }
  static std::unexpected<Error> unrecognized(const Schema& schema) {
    return fail(ErrorKind::Invalid, fmt::format("unrecognized type: {}", kind_of(schema.go_kind)));
  }

  static Result<Draft> integer(const Schema& schema, View in) {
    if (in.is_int()) return Draft{wrapped(schema.go_kind, in.as_int())};
    if (!in.is_number()) return unrecognized(schema);
    const double number = in.as_double();
    if (number != std::trunc(number)) return no_conversion(schema, in);
    return Draft{wrapped(schema.go_kind, truncated(number))};
  }

  static Result<Draft> bytes(View in) {
    if (in.is_string()) {
      if (auto canonical = canonical_base64(in.as_string()); !canonical) {
        return fail(ErrorKind::Invalid, "error decoding from json: " + canonical.error().message);
      }
      return Draft{in};
    }
    if (in.is_array()) return Draft{in};
    return fail(ErrorKind::Invalid, fmt::format("cannot restore slice from {}", kind_of(in)));
  }

  // Times, quantities and the like read JSON themselves, each value as a text of its own.
  static Result<Draft> own_parser(const Schema& schema, View in) {
    FP_TRY(read, read_object(schema, json::to_text(in)));
    return std::move(read.object);
  }

  Result<Draft> structure(const Schema& schema, View in, const std::string& path) {
    if (!in.is_object()) {
      return fail(ErrorKind::Invalid, fmt::format("cannot restore struct from: {}", kind_of(in)));
    }
    auto made = Draft::object();
    for (const Property& property : schema.properties) {
      const auto member = in.find(property.name);
      if (!member) continue;
      FP_TRY(converted, value(*property.schema, *member, below(path, property.name)));
      made[property.name] = std::move(converted);
    }
    for (const auto [key, member] : in.members()) {
      if (schema.property(key) != nullptr) continue;
      problems.push_back({FieldProblem::Kind::Unknown, below(path, key)});
    }
    return made;
  }

  // Keys of maps do not show in paths.
  Result<Draft> map(const Schema& schema, View in, const std::string& path) {
    if (!in.is_object()) {
      return fail(ErrorKind::Invalid, fmt::format("cannot restore map from {}", kind_of(in)));
    }
    auto made = Draft::object();
    for (const auto [key, member] : in.members()) {
      FP_TRY(converted, value(*schema.additional_properties, member, path));
      made[key] = std::move(converted);
    }
    return made;
  }

  Result<Draft> slice(const Schema& schema, View in, const std::string& path) {
    if (!in.is_array()) {
      return fail(ErrorKind::Invalid, fmt::format("cannot restore slice from {}", kind_of(in)));
    }
    auto made = Draft::array();
    std::size_t index = 0;
    for (const View element : in.elements()) {
      FP_TRY(converted, value(*schema.items, element, fmt::format("{}[{}]", path, index++)));
      made.push_back(std::move(converted));
    }
    return made;
  }

  static std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
  }
};

}  // namespace

Result<ReadObject> convert_tree(const Schema& schema, View tree) {
  Converter converter;
  FP_TRY(object, converter.value(schema, tree, {}));
  std::ranges::sort(converter.problems, {}, &FieldProblem::path);
  return ReadObject{std::move(object), std::move(converter.problems)};
}

}  // namespace fixpoint::kube
