// SPDX-License-Identifier: Apache-2.0
#include "cel/evaluation/value.h"

#include "base/base64.h"
#include "cel/evaluation/time.h"
#include "cel/syntax/escape.h"
#include "kube/go/text.h"
#include "kube/go/value.h"
#include "kube/scalars/duration.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

Value wrong_json(std::string_view wanted, json::View found) {
  return Value::error(
      fmt::format("invalid data, expected {}, got {}", wanted, kube::go_type_name(found.type())));
}

Value text_value(json::View json, const Shape& shape) {
  if (!json.is_string()) return wrong_json("string", json);
  const auto text = json.as_string();
  switch (shape.kind) {
    case ShapeKind::Duration:
      if (const auto found = parse_schema_duration(text)) return Value::duration(*found);
      return Value::error(fmt::format("Invalid duration {}: unable to parse", text));
    case ShapeKind::Date:
      if (const auto found = parse_date(text)) return Value::timestamp(*found);
      return Value::error(fmt::format("Invalid date formatted string {}", text));
    case ShapeKind::DateTime:
      if (const auto found = parse_schema_moment(text)) return Value::timestamp(*found);
      return Value::error(fmt::format("Invalid date-time formatted string {}", text));
    case ShapeKind::Bytes: {
      auto bytes = base64_decode(text);
      if (bytes) return Value::bytes(std::move(*bytes));
      return Value::error(
          fmt::format("Invalid byte formatted string {}: {}", text, bytes.error().message));
    }
    default: return Value::borrowed(text);
  }
}

}  // namespace

Value Value::string(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view view = *owner;
  return {
      Kind::String, Text{view, std::move(owner)}
  };
}

Value Value::bytes(std::string bytes) {
  auto out = string(std::move(bytes));
  out.kind_ = Kind::Bytes;
  return out;
}

Value Value::error(std::string message) {
  auto out = string(std::move(message));
  out.kind_ = Kind::Error;
  return out;
}

Value Value::list(List elements, const Shape* shape) {
  return {
      Kind::List, Made{shared(std::move(elements)), shape}
  };
}

Value Value::map(Map entries) {
  return {Kind::Map, shared(std::move(entries))};
}

Value Value::none() {
  return {Kind::Optional, std::shared_ptr<const Value>{}};
}

Value Value::optional(Value value) {
  return {Kind::Optional, shared(std::move(value))};
}

Value Value::quantity(kube::Quantity value) {
  return {Kind::Quantity, shared(std::move(value))};
}

Value Value::ip(const kube::Ip& ip) {
  return {Kind::Ip, shared(kube::Cidr{ip, 0})};
}

Value Value::cidr(const kube::Cidr& cidr) {
  return {Kind::Cidr, shared(cidr)};
}

Value Value::url(Url url) {
  return {Kind::Url, shared(std::move(url))};
}

Value Value::semver(Semver version) {
  return {Kind::Semver, shared(std::move(version))};
}

Value Value::format(const NamedFormat& format) {
  return {Kind::Format, &format};
}

Value Value::of(json::View json, const Shape& shape) {
  if (json.is_null()) {
    if (shape.nullable) return {};
    return error("invalid data, got null for schema with nullable=false");
  }
  switch (shape.kind) {
    case ShapeKind::IntOrString:
      if (json.is_string()) return borrowed(json.as_string());
      if (json.is_int()) return integer(json.as_int());
      return error("invalid data, expected XIntOrString value to be either a string or integer");
    case ShapeKind::Object:
    case ShapeKind::Map:
      if (json.is_object())
        return {
            Kind::Map, Placed{json, &shape}
        };
      return error("invalid data, expected a map for the provided schema with type=object");
    case ShapeKind::List:
      if (json.is_array())
        return {
            Kind::List, Placed{json, &shape}
        };
      return error("invalid data, expected an array for the provided schema with type=array");
    case ShapeKind::Bool:
      return json.is_bool() ? boolean(json.as_bool()) : wrong_json("bool", json);
    case ShapeKind::Double:
      return json.is_number() ? number(json.as_double()) : wrong_json("float", json);
    case ShapeKind::Int: return json.is_int() ? integer(json.as_int()) : wrong_json("int", json);
    case ShapeKind::Unknown:
      return {
          Kind::Unknown, Placed{json, &shape}
      };
    default: return text_value(json, shape);
  }
}

std::size_t Value::size() const {
  if (kind_ == Kind::String) return code_points(text());
  if (kind_ == Kind::Bytes) return text().size();
  if (const auto* here = placed()) return here->json.size();
  if (const auto* list = std::get_if<Made>(&content_)) return list->elements->size();
  if (const auto* map = std::get_if<std::shared_ptr<const Map>>(&content_))
    return (*map)->entries().size();
  return 0;
}

Value Value::at(std::size_t index) const {
  if (const auto* here = placed()) return of(here->json[index], *here->shape->element);
  return (*std::get<Made>(content_).elements)[index];
}

const Shape* Value::list_shape() const {
  if (const auto* here = placed()) return here->shape;
  const auto* made = std::get_if<Made>(&content_);
  return made == nullptr ? nullptr : made->shape;
}

Value::List Value::elements() const {
  if (placed() == nullptr) return *std::get<Made>(content_).elements;
  List out;
  out.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) out.push_back(at(i));
  return out;
}

Value::Found Value::find(const Value& key) const {
  if (const auto* here = placed()) {
    if (!key.is(Kind::String)) return {true, no_overload()};
    const auto& shape = *here->shape;
    if (shape.kind == ShapeKind::Map) {
      const auto found = here->json.find(key.text());
      return found ? Found{true, of(*found, *shape.element)} : Found{};
    }
    const auto name = shape.has_properties ? unescaped(key.text()) : std::string{key.text()};
    if (!name) return {};
    const auto found = here->json.find(*name);
    const auto* field = shape.field(*name);
    // A null field of an object is an absent one.
    if (!found || field == nullptr || found->is_null()) return {};
    return {true, of(*found, *field->shape)};
  }
  const auto* found = map().find(key);
  return found == nullptr ? Found{} : Found{true, *found};
}

Value::List Value::keys() const {
  List out;
  const auto* here = placed();
  if (here == nullptr) {
    for (const auto& entry : map().entries()) out.push_back(entry.key);
    return out;
  }
  const auto& shape = *here->shape;
  for (auto [name, value] : here->json.members()) {
    if (shape.kind == ShapeKind::Map) {
      out.push_back(borrowed(name));
    } else if (const auto* field = shape.field(name); field != nullptr) {
      out.push_back(borrowed(field->escaped.empty() ? name : std::string_view{field->escaped}));
    }
  }
  return out;
}

std::string_view Value::runtime_type() const {
  constexpr std::array<std::string_view, 21> kNames{"null_type",
                                                    "bool",
                                                    "int",
                                                    "uint",
                                                    "double",
                                                    "string",
                                                    "bytes",
                                                    "google.protobuf.Duration",
                                                    "google.protobuf.Timestamp",
                                                    "list",
                                                    "map",
                                                    "type",
                                                    "optional_type",
                                                    "kubernetes.Quantity",
                                                    "net.IP",
                                                    "net.CIDR",
                                                    "kubernetes.URL",
                                                    "kubernetes.NamedFormat",
                                                    "kubernetes.Semver",
                                                    "unknown",
                                                    "error"};
  return kNames[static_cast<std::size_t>(kind_)];
}

bool Map::insert(Value key, Value value) {
  if (!by_key_.emplace(key_text(key).value_or(""), entries_.size()).second) return false;
  entries_.push_back({std::move(key), std::move(value)});
  return true;
}

void Map::put(Value key, Value value) {
  const auto found = by_key_.find(key_text(key).value_or(""));
  if (found == by_key_.end()) {
    insert(std::move(key), std::move(value));
  } else {
    entries_[found->second].value = std::move(value);
  }
}

const Value* Map::find(const Value& key) const {
  const auto text = key_text(key);
  const auto found = text ? by_key_.find(*text) : by_key_.end();
  return found == by_key_.end() ? nullptr : &entries_[found->second].value;
}

std::optional<std::string> key_text(const Value& value) {
  switch (value.kind()) {
    case Kind::Null: return "0";
    case Kind::Bool: return value.as_bool() ? "b1" : "b0";
    case Kind::Int: return "n" + std::to_string(value.as_int());
    case Kind::Uint: return "n" + std::to_string(value.as_uint());
    case Kind::Double: {
      // A whole number is the same key as an integer.
      const double number = value.as_double();
      if (std::abs(number) < 9e18 && number == std::trunc(number)) {
        return "n" + std::to_string(static_cast<std::int64_t>(number));
      }
      return fmt::format("d{}", number);
    }
    case Kind::String: return "s" + std::string{value.text()};
    case Kind::Bytes: return "y" + std::string{value.text()};
    case Kind::Duration: return "t" + std::to_string(value.nanos());
    case Kind::Timestamp:
      return fmt::format("m{}.{}", value.moment().seconds, value.moment().nanos);
    default: return std::nullopt;
  }
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(kube::first_code_point(text).bytes);
    ++count;
  }
  return count;
}

std::string shown(const Value& value) {
  switch (value.kind()) {
    case Kind::Bool: return value.as_bool() ? "true" : "false";
    case Kind::Int: return std::to_string(value.as_int());
    case Kind::Uint: return std::to_string(value.as_uint());
    case Kind::Double: return fmt::format("{}", value.as_double());
    case Kind::String:
    case Kind::Bytes:
    case Kind::Error: return std::string{value.text()};
    case Kind::Duration: return kube::duration_text(Duration{value.nanos()});
    case Kind::Timestamp: return shown(value.moment());
    default: return std::string{value.runtime_type()};
  }
}

}  // namespace fixpoint::cel
