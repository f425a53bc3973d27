// SPDX-License-Identifier: Apache-2.0
//
// Type: what the library must know about a C++ type to read, write, describe and invent values of
// it, without being a template.
//
// type_of<T>() is the only template: it fills a handful of function pointers. Everything that walks
// values (decode.h, encode.h, schema.h, sample.h) is ordinary code over Types and void pointers, so
// a table costs a source file almost nothing to compile.
// Read next: table.h, where authors say what their fields mean.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "kube/scalars/int_or_string.h"
#include "kube/scalars/quantity.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fixpoint::types {

struct Table;

enum class Shape : std::uint8_t {
  Bool,
  Int32,
  Int64,
  Uint32,
  Double,
  String,
  Duration,     // "1h30m"
  Instant,      // "2026-01-02T03:04:05Z"
  Quantity,     // "100m", 2, "10Gi"
  IntOrString,  // 3, "30%"
  Json,         // whatever the author of the object wrote there
  Enum,
  List,
  Map,  // by text
  Optional,
  Struct,
};

struct Type {
  Shape shape = Shape::Json;
  const Type& (*element)() = nullptr;            // List, Map, Optional: of what
  const Table& (*table)() = nullptr;             // Struct
  std::span<const std::string_view> names = {};  // Enum: by value, from zero on
  void (*reset)(void* value) = nullptr;          // to T{}
  void* (*make)() = nullptr;                     // a T{} of its own, for drop()
  void (*drop)(void* value) = nullptr;
  std::size_t (*size)(const void*) = nullptr;             // List, Map
  const void* (*at)(const void*, std::size_t) = nullptr;  // List
  void* (*append)(void*) = nullptr;                       // List: a new T{} at the end
  // Map: in order of key.
  using Visit = void (*)(void* context, std::string_view key, const void* value);
  void (*each)(const void* map, void* context, Visit visit) = nullptr;
  void* (*insert)(void* map, std::string_view key) = nullptr;
  const void* (*held)(const void*) = nullptr;    // Optional: null when empty
  void* (*hold)(void*) = nullptr;                // Optional: a new T{} inside
  std::size_t (*index)(const void*) = nullptr;   // Enum
  void (*choose)(void*, std::size_t) = nullptr;  // Enum
};

template <class T>
const Type& type_of();

// A struct is one that says so: `static Table table();`.
template <class T>
concept Described = requires { T::table(); };
// The table of a struct, made once.
template <Described T>
const Table& table_of();
// An enumeration names its values, from zero on, in a function beside it:
//   std::span<const std::string_view> enum_names(Phase);
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  { enum_names(value) } -> std::same_as<std::span<const std::string_view>>;
};

namespace detail {

template <class T>
Type plain(Shape shape) {
  return {.shape = shape,
          .reset = [](void* value) { *static_cast<T*>(value) = T{}; },
          .make = []() -> void* { return new T{}; },
          .drop = [](void* value) { delete static_cast<T*>(value); }};
}

template <class T>
struct Description;  // of any other type: not supported, use one of Shape's

template <NamedEnum T>
struct Description<T> {
  static Type make() {
    auto type = plain<T>(Shape::Enum);
    type.names = enum_names(T{});
    type.index = [](const void* value) {
      return static_cast<std::size_t>(*static_cast<const T*>(value));
    };
    type.choose = [](void* value, std::size_t index) {
      *static_cast<T*>(value) = static_cast<T>(index);
    };
    return type;
  }
};

template <Described T>
struct Description<T> {
  static Type make() {
    auto type = plain<T>(Shape::Struct);
    type.table = &table_of<T>;
    return type;
  }
};

template <class T>
struct Description<std::optional<T>> {
  static Type make() {
    auto type = plain<std::optional<T>>(Shape::Optional);
    type.element = &type_of<T>;
    type.held = [](const void* value) -> const void* {
      const auto& optional = *static_cast<const std::optional<T>*>(value);
      return optional ? &*optional : nullptr;
    };
    type.hold = [](void* value) -> void* {
      return &static_cast<std::optional<T>*>(value)->emplace();
    };
    return type;
  }
};

template <class T>
struct Description<std::vector<T>> {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> holds no bools");
  static Type make() {
    auto type = plain<std::vector<T>>(Shape::List);
    type.element = &type_of<T>;
    type.size = [](const void* list) { return static_cast<const std::vector<T>*>(list)->size(); };
    type.at = [](const void* list, std::size_t index) -> const void* {
      return &(*static_cast<const std::vector<T>*>(list))[index];
    };
    type.append = [](void* list) -> void* {
      return &static_cast<std::vector<T>*>(list)->emplace_back();
    };
    return type;
  }
};

template <class T, class Compare>
struct Description<std::map<std::string, T, Compare>> {
  using Map = std::map<std::string, T, Compare>;
  static Type make() {
    auto type = plain<Map>(Shape::Map);
    type.element = &type_of<T>;
    type.size = [](const void* map) { return static_cast<const Map*>(map)->size(); };
    type.each = [](const void* map, void* context, Type::Visit visit) {
      for (const auto& [key, value] : *static_cast<const Map*>(map)) visit(context, key, &value);
    };
    type.insert = [](void* map, std::string_view key) -> void* {
      auto& into = *static_cast<Map*>(map);
      // Servers send members in order, so the end is where the next one goes.
      return &into.insert_or_assign(into.end(), std::string{key}, T{})->second;
    };
    return type;
  }
};

template <Shape kShape, class T>
struct Plain {
  static Type make() { return plain<T>(kShape); }
};
template <>
struct Description<bool> : Plain<Shape::Bool, bool> {};
template <>
struct Description<std::int32_t> : Plain<Shape::Int32, std::int32_t> {};
template <>
struct Description<std::int64_t> : Plain<Shape::Int64, std::int64_t> {};
template <>
struct Description<std::uint32_t> : Plain<Shape::Uint32, std::uint32_t> {};
template <>
struct Description<double> : Plain<Shape::Double, double> {};
template <>
struct Description<std::string> : Plain<Shape::String, std::string> {};
template <>
struct Description<Duration> : Plain<Shape::Duration, Duration> {};
template <>
struct Description<Instant> : Plain<Shape::Instant, Instant> {};
template <>
struct Description<kube::Quantity> : Plain<Shape::Quantity, kube::Quantity> {};
template <>
struct Description<kube::IntOrString> : Plain<Shape::IntOrString, kube::IntOrString> {};
template <>
struct Description<json::Value> : Plain<Shape::Json, json::Value> {};

}  // namespace detail

template <class T>
const Type& type_of() {
  static const Type kType = detail::Description<T>::make();
  return kType;
}

// Past any number of Optionals.
const Type& inner(const Type& type);

}  // namespace fixpoint::types
