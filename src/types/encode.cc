// SPDX-License-Identifier: Apache-2.0
#include "types/encode.h"

#include "types/scalars.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::types {
namespace {

json::Draft write(const Type& type, const void* value);

// What need not be said. Free-form values are as their author wrote them: there only null is.
bool is_nothing(const Type& type, const json::Draft& written) {
  if (type.shape == Shape::Json) return written.is_null();
  switch (written.type()) {
    case json::Type::Null: return true;
    case json::Type::String: return written.as_string().empty();
    case json::Type::Array:
    case json::Type::Object: return written.empty();
    default: return false;
  }
}

// A time that was never set is the epoch; nobody means that moment.
bool never_set(const Type& type, const void* value) {
  return type.shape == Shape::Instant && *static_cast<const Instant*>(value) == Instant{};
}

// Nothing: the field is left out.
std::optional<json::Draft> write_field(const Field& field, const void* value) {
  if (field.type->shape == Shape::Optional && field.type->held(value) == nullptr) {
    const bool says_null =
        field.limits.nullable && (field.limits.required || field.default_value.has_value());
    return says_null ? std::optional{json::Draft{}} : std::nullopt;
  }
  auto written = write(*field.type, value);
  if (field.limits.required) return written;
  if (field.type->shape == Shape::Optional) return written;
  const bool nothing = is_nothing(*field.type, written) || never_set(*field.type, value);
  if (nothing && !field.default_value) return std::nullopt;
  return written;
}

json::Draft write_struct(const Table& table, const void* value) {
  auto object = json::Draft::object();
  for (const auto& field : table.fields) {
    if (auto written = write_field(field, member_of(value, field))) {
      object[field.name] = *std::move(written);
    }
  }
  return object;
}

json::Draft write_list(const Type& type, const void* value) {
  auto list = json::Draft::array();
  for (std::size_t i = 0; i < type.size(value); ++i) {
    list.push_back(write(type.element(), type.at(value, i)));
  }
  return list;
}

json::Draft write_map(const Type& type, const void* value) {
  struct Context {
    const Type& element;
    json::Draft object = json::Draft::object();
  } context{type.element()};
  type.each(value, &context, [](void* to, std::string_view key, const void* entry) {
    auto& into = *static_cast<Context*>(to);
    into.object[key] = write(into.element, entry);
  });
  return std::move(context.object);
}

json::Draft write(const Type& type, const void* value) {
  switch (type.shape) {
    case Shape::Struct: return write_struct(type.table(), value);
    case Shape::List: return write_list(type, value);
    case Shape::Map: return write_map(type, value);
    case Shape::Optional: {
      const auto* held = type.held(value);
      return held == nullptr ? json::Draft{} : write(type.element(), held);
    }
    default: return scalar_to_json(type, value);
  }
}

std::vector<std::pair<std::string, const void*>> entries(const Type& type, const void* map) {
  std::vector<std::pair<std::string, const void*>> all;
  type.each(map, &all, [](void* to, std::string_view key, const void* value) {
    static_cast<decltype(all)*>(to)->emplace_back(key, value);
  });
  return all;
}

bool equal_structs(const Table& table, const void* a, const void* b) {
  return std::ranges::all_of(table.fields, [&](const Field& field) {
    return equal(*field.type, member_of(a, field), member_of(b, field));
  });
}

bool equal_lists(const Type& type, const void* a, const void* b) {
  if (type.size(a) != type.size(b)) return false;
  for (std::size_t i = 0; i < type.size(a); ++i) {
    if (!equal(type.element(), type.at(a, i), type.at(b, i))) return false;
  }
  return true;
}

bool equal_maps(const Type& type, const void* a, const void* b) {
  return std::ranges::equal(entries(type, a), entries(type, b), [&](auto& x, auto& y) {
    return x.first == y.first && equal(type.element(), x.second, y.second);
  });
}

}  // namespace

json::Value encode(const Table& table, const void* value) {
  return write_struct(table, value).freeze();
}

std::optional<json::Value> find_default(const Table& table, const Field& field) {
  if (field.limits.required) return std::nullopt;
  const void* value = member_of(table.defaults, field);
  const Type* type = field.type;
  if (type->shape == Shape::Optional) {
    value = type->held(value);
    if (value == nullptr) return std::nullopt;
    type = &type->element();
  }
  auto written = write(*type, value);
  if (is_nothing(*type, written) || never_set(*type, value)) return std::nullopt;
  return written.freeze();
}

bool equal(const Type& type, const void* a, const void* b) {
  switch (type.shape) {
    case Shape::Struct: return equal_structs(type.table(), a, b);
    case Shape::List: return equal_lists(type, a, b);
    case Shape::Map: return equal_maps(type, a, b);
    case Shape::Optional: {
      const auto* x = type.held(a);
      const auto* y = type.held(b);
      if (x == nullptr || y == nullptr) return x == y;
      return equal(type.element(), x, y);
    }
    case Shape::Instant: return *static_cast<const Instant*>(a) == *static_cast<const Instant*>(b);
    case Shape::Quantity:
      return *static_cast<const kube::Quantity*>(a) == *static_cast<const kube::Quantity*>(b);
    default: return scalar_to_json(type, a) == scalar_to_json(type, b);
  }
}

}  // namespace fixpoint::types
