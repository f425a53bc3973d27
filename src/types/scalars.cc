// SPDX-License-Identifier: Apache-2.0
#include "types/scalars.h"

#include "base/rfc3339.h"
#include "json/yaml/yaml.h"
#include "kube/scalars/duration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <source_location>

namespace fixpoint::types {
namespace {

// At most 20 characters of numbers below a million: the sum stays below 2^63 nanoseconds.
constexpr std::string_view kDurationPattern =
    "^([0-9]{1,6}(\\.[0-9]{1,9})?(ns|us|\u00b5s|ms|s|m|h))+$";
constexpr std::size_t kDurationLengthMax = 20;
// The years that fit 64 bits of nanoseconds, roughly.
constexpr std::string_view kInstantPattern =
    "^(1[7-9]|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?"
    "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$";
constexpr std::string_view kQuantityPattern =
    "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$";
constexpr std::size_t kQuantityLengthMax = 64;

template <class T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}

json::Draft int_or_string_to_json(const kube::IntOrString& value) {
  return value.is_string ? json::Draft{value.text} : json::Draft{value.number};
}

}  // namespace

std::string_view implied_pattern(Shape shape) {
  switch (shape) {
    case Shape::Duration: return kDurationPattern;
    case Shape::Instant: return kInstantPattern;
    case Shape::Quantity: return kQuantityPattern;
    default: return {};
  }
}

std::optional<std::size_t> implied_length_max(Shape shape) {
  if (shape == Shape::Duration) return kDurationLengthMax;
  if (shape == Shape::Quantity) return kQuantityLengthMax;
  return std::nullopt;
}

bool is_integer(Shape shape) {
  return shape == Shape::Int32 || shape == Shape::Int64 || shape == Shape::Uint32;
}

bool is_text(Shape shape) {
  return shape == Shape::String || shape == Shape::Duration || shape == Shape::Instant ||
         shape == Shape::Enum;
}

Bounds bounds_of(Shape shape, const Limits& limits) {
  Bounds bounds{.minimum = limits.minimum, .maximum = limits.maximum};
  const auto narrow = [&](double low, double high) {
    bounds.minimum = std::max(bounds.minimum.value_or(low), low);
    bounds.maximum = std::min(bounds.maximum.value_or(high), high);
  };
  if (shape == Shape::Int32) {
    narrow(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
  } else if (shape == Shape::Uint32) {
    narrow(0, std::numeric_limits<std::uint32_t>::max());
  }
  return bounds;
}

json::Draft scalar_to_json(const Type& type, const void* value) {
  switch (type.shape) {
    case Shape::Bool: return as<bool>(value);
    case Shape::Int32: return std::int64_t{as<std::int32_t>(value)};
    case Shape::Int64: return as<std::int64_t>(value);
    case Shape::Uint32: return std::int64_t{as<std::uint32_t>(value)};
    case Shape::Double: return as<double>(value);
    case Shape::String: return as<std::string>(value);
    case Shape::Duration: return kube::duration_text(as<Duration>(value));
    case Shape::Instant: return format_seconds(as<Instant>(value));
    case Shape::Quantity: return as<kube::Quantity>(value).to_string();
    case Shape::IntOrString: return int_or_string_to_json(as<kube::IntOrString>(value));
    case Shape::Json: return as<json::Value>(value);
    case Shape::Enum: {
      const auto index = type.index(value);
      FP_CHECK(index < type.names.size());
      return type.names[index];
    }
    default: break;
  }
  check_failed("the type is a scalar", std::source_location::current());
}

Result<kube::Quantity> quantity_from(json::View value) {
  if (value.is_string()) return kube::Quantity::parse(value.as_string());
  if (value.is_int()) return kube::Quantity::of(value.as_int());
  return kube::Quantity::of(static_cast<std::int64_t>(std::trunc(value.as_double())));
}

Result<json::Value> literal(const Type& type, std::string_view text) {
  const auto shape = inner(type).shape;
  if (is_text(shape) || shape == Shape::Quantity) return json::Value::string(text);
  return json::parse_yaml(text);
}

}  // namespace fixpoint::types
