// SPDX-License-Identifier: Apache-2.0
#include "types/words.h"

#include "json/print.h"
#include "types/scalars.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::types {
namespace {

std::string counted(std::optional<std::size_t> low, std::optional<std::size_t> high,
                    std::string_view what) {
  if (low && high && *low == *high) return fmt::format("{} {}", *low, what);
  if (low && high) return fmt::format("{} to {} {}", *low, *high, what);
  if (low) return fmt::format("at least {} {}", *low, what);
  if (high) return fmt::format("at most {} {}", *high, what);
  return std::string{what};
}

std::string in_range(const Bounds& bounds, const Limits& limits) {
  std::string text;
  const bool exclusive = limits.exclusive_minimum || limits.exclusive_maximum;
  if (bounds.minimum && bounds.maximum && !exclusive) {
    text =
        fmt::format(" from {} to {}", number_text(*bounds.minimum), number_text(*bounds.maximum));
  } else {
    if (bounds.minimum) {
      text += fmt::format(" {} {}", limits.exclusive_minimum ? "greater than" : "of at least",
                          number_text(*bounds.minimum));
    }
    if (bounds.maximum) {
      text += fmt::format("{} {} {}", bounds.minimum ? " and" : "",
                          limits.exclusive_maximum ? "less than" : "at most",
                          number_text(*bounds.maximum));
    }
  }
  if (limits.multiple_of)
    text += fmt::format(", a multiple of {}", number_text(*limits.multiple_of));
  return text;
}

std::string number_words(Shape shape, const Limits& limits) {
  // What merely fits the type is not worth saying.
  const bool stated = limits.minimum || limits.maximum;
  const auto bounds = stated ? bounds_of(shape, limits) : Bounds{};
  return (is_integer(shape) ? "an integer" : "a number") + in_range(bounds, limits);
}

std::string such_as(const Limits& limits, std::string_view otherwise) {
  const std::string_view example = limits.example.empty() ? otherwise : limits.example;
  return example.empty() ? std::string{} : fmt::format(" such as {}", example);
}

std::string text(const Limits& limits) {
  std::string out = "a string";
  if (limits.min_length || limits.max_length) {
    out += " of " + counted(limits.min_length, limits.max_length, "characters");
  }
  if (!limits.format.empty()) out += fmt::format(" in format {}", limits.format);
  if (!limits.pattern.empty()) out += fmt::format(" that matches {}", limits.pattern);
  if (!limits.format.empty() || !limits.pattern.empty()) out += such_as(limits, {});
  return out;
}

std::string between(std::string what, const Limits& limits) {
  if (!limits.at_least.empty()) what += fmt::format(", at least {}", limits.at_least);
  if (!limits.at_most.empty()) what += fmt::format(", at most {}", limits.at_most);
  return what;
}

std::string list(std::string_view what, const Type& type, const Limits& limits) {
  std::string out = fmt::format("a {}", what);
  if (limits.min_items || limits.max_items) {
    out += " of " + counted(limits.min_items, limits.max_items, "entries");
  }
  return out + ", each " + allowed(type.element(), item_limits(limits));
}

std::string_view free_form(const Limits& limits) {
  switch (limits.holds) {
    case Holds::Object: return "an object";
    case Holds::Resource: return "a Kubernetes object with apiVersion and kind";
    case Holds::Anything: return "any value";
  }
  return "";
}

}  // namespace

const Limits& item_limits(const Limits& limits) {
  static const Limits kNone;
  return limits.items.empty() ? kNone : limits.items.front();
}

std::string number_text(double number) {
  constexpr double kExact = 9007199254740992.0;
  if (number == std::trunc(number) && std::fabs(number) <= kExact) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  std::string out;
  json::print_double(number, out);
  return out;
}

std::string allowed(const Type& type, const Limits& limits) {
  if (!limits.one_of.empty()) return fmt::format("one of {}", fmt::join(limits.one_of, ", "));
  switch (type.shape) {
    case Shape::Bool: return "true or false";
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Uint32:
    case Shape::Double: return number_words(type.shape, limits);
    case Shape::String: return text(limits);
    case Shape::Duration: return between("a duration" + such_as(limits, "1h30m"), limits);
    case Shape::Instant: return "a time" + such_as(limits, "2026-01-02T03:04:05Z");
    case Shape::Quantity: return between("a quantity" + such_as(limits, "500m or 10Gi"), limits);
    case Shape::IntOrString:
      return "an integer or a string" + such_as(limits, limits.pattern.empty() ? "\"30%\"" : "");
    case Shape::Json: return std::string{free_form(limits)};
    case Shape::Enum: return fmt::format("one of {}", fmt::join(type.names, ", "));
    case Shape::List: return list("list", type, limits);
    case Shape::Map: return list("map", type, limits);
    case Shape::Optional: return allowed(type.element(), limits);
    case Shape::Struct: return "an object";
  }
  return "";
}

std::string type_name(const Type& type, const Limits& limits) {
  switch (type.shape) {
    case Shape::Bool: return "boolean";
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Uint32: return "integer";
    case Shape::Double: return "number";
    case Shape::String:
    case Shape::Enum: return "string";
    case Shape::Duration: return "duration";
    case Shape::Instant: return "time";
    case Shape::Quantity: return "quantity";
    case Shape::IntOrString: return "integer or string";
    case Shape::Json: return limits.holds == Holds::Anything ? "any" : "object";
    case Shape::List: return "[]" + type_name(type.element(), item_limits(limits));
    case Shape::Map: return "map of " + type_name(type.element(), item_limits(limits));
    case Shape::Optional: return type_name(type.element(), limits);
    case Shape::Struct: return "object";
  }
  return "";
}

}  // namespace fixpoint::types
