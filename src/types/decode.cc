// SPDX-License-Identifier: Apache-2.0
#include "types/decode.h"

#include "base/rfc3339.h"
#include "kube/scalars/duration.h"
#include "kube/schema/schema.h"
#include "kube/schema/validate.h"
#include "kube/schema/validate_format.h"
#include "kube/schema/validate_number.h"
#include "kube/schema/validate_pattern.h"
#include "types/encode.h"
#include "types/scalars.h"
#include "types/words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace fixpoint::types {
namespace {

using kube::FieldPath;

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

bool is_whole_number(json::View value) {
  return value.is_int() || (value.is_number() && kube::is_whole(value.as_double()));
}

std::int64_t whole(json::View value) {
  return value.is_int() ? value.as_int() : static_cast<std::int64_t>(std::trunc(value.as_double()));
}

const kube::Pattern* compiled(Shape shape) {
  static const auto compile = [](Shape of) {
    auto pattern = kube::Pattern::compile(implied_pattern(of));
    FP_CHECK(pattern.has_value());
    return *std::move(pattern);
  };
  static const auto kDuration = compile(Shape::Duration);
  static const auto kInstant = compile(Shape::Instant);
  static const auto kQuantity = compile(Shape::Quantity);
  switch (shape) {
    case Shape::Duration: return kDuration.get();
    case Shape::Instant: return kInstant.get();
    case Shape::Quantity: return kQuantity.get();
    default: return nullptr;
  }
}

// One value of one field: where it goes, what it may be, where it stands.
struct Spot {
  const Type& type;
  const Limits& limits;
  const FieldPath& path;
};

class Decoder {
 public:
  kube::FieldErrors errors;

  void read_struct(json::View value, const Table& table, void* into, const FieldPath& path) {
    for (const auto& field : table.fields) {
      const auto at = path.root() ? FieldPath{field.name} : path.child(field.name);
      const auto given = value.find(field.name);
      if (given && (!given->is_null() || field.limits.nullable)) {
        read(*given, member_of(into, field), {*field.type, field.limits, at});
      } else if (field.limits.required) {
        errors.push_back(kube::required(
            at, fmt::format("add it, {}: {}", allowed(*field.type, field.limits), field.doc)));
      }
    }
  }

  void read(json::View value, void* into, const Spot& spot) {
    switch (spot.type.shape) {
      case Shape::Optional: return read_optional(value, into, spot);
      case Shape::Struct: return read_object(value, into, spot);
      case Shape::List: return read_list(value, into, spot);
      case Shape::Map: return read_map(value, into, spot);
      case Shape::Json: return read_json(value, into, spot);
      case Shape::Bool:
        if (!value.is_bool()) return wrong_type(value, spot);
        *static_cast<bool*>(into) = value.as_bool();
        return;
      case Shape::Double: return read_double(value, into, spot);
      case Shape::Int32:
      case Shape::Int64:
      case Shape::Uint32: return read_integer(value, into, spot);
      case Shape::Quantity: return read_quantity(value, into, spot);
      case Shape::IntOrString: return read_int_or_string(value, into, spot);
      case Shape::String:
      case Shape::Duration:
      case Shape::Instant:
      case Shape::Enum: return read_text(value, into, spot);
    }
  }

 private:
  // Every complaint ends with the way out.
  void wrong(json::View value, const Spot& spot, std::string_view what) {
    errors.push_back(kube::invalid(
        spot.path, value, fmt::format("{}; give {}", what, allowed(spot.type, spot.limits))));
  }
  void wrong_type(json::View value, const Spot& spot) {
    errors.push_back({kube::FieldErrorKind::TypeInvalid, spot.path.to_string(), kube::shown(value),
                      fmt::format("must be {}", allowed(spot.type, spot.limits))});
  }
  bool supported(json::View value, const std::vector<std::string>& names, const Spot& spot) {
    for (const auto& name : names) {
      if (value.as_string() == name) return true;
    }
    errors.push_back(kube::not_supported(spot.path, value, names));
    return false;
  }

  void read_optional(json::View value, void* into, const Spot& spot) {
    if (value.is_null() && spot.limits.nullable) return spot.type.reset(into);
    read(value, spot.type.hold(into), {spot.type.element(), spot.limits, spot.path});
  }

  void read_object(json::View value, void* into, const Spot& spot) {
    if (!value.is_object()) return wrong_type(value, spot);
    spot.type.reset(into);  // what the owner's default was no longer counts
    read_struct(value, spot.type.table(), into, spot.path);
  }

  void count(std::size_t size, json::View value, const Spot& spot) {
    if (spot.limits.max_items && size > *spot.limits.max_items) {
      errors.push_back(kube::too_many(spot.path, size, *spot.limits.max_items));
    }
    if (spot.limits.min_items && size < *spot.limits.min_items) {
      wrong(value, spot, fmt::format("must have at least {} items", *spot.limits.min_items));
    }
  }

  void read_list(json::View value, void* into, const Spot& spot) {
    if (!value.is_array()) return wrong_type(value, spot);
    spot.type.reset(into);
    count(value.size(), value, spot);
    const auto before = errors.size();
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      const auto at = spot.path.index(index++);
      read(element, spot.type.append(into), {spot.type.element(), item_limits(spot.limits), at});
    }
    if (errors.size() == before) unique(into, spot);
  }

  // Elements of sets, keys of maps; compared as the server would keep them.
  void unique(const void* list, const Spot& spot) {
    if (spot.limits.list == ListKind::Atomic) return;
    std::set<Hash128> seen;
    for (std::size_t i = 0; i < spot.type.size(list); ++i) {
      const auto written = as_json(spot.type.element(), spot.type.at(list, i));
      auto key = json::Draft{written};
      if (spot.limits.list == ListKind::Map) {
        key = json::Draft::object();
        for (const auto& name : spot.limits.keys) {
          if (const auto member = written.find(name)) key[name] = *member;
        }
      }
      const auto frozen = key.freeze();
      if (!seen.insert(frozen.hash()).second) {
        errors.push_back(kube::duplicate(spot.path.index(i), frozen));
      }
    }
  }

  static json::Value as_json(const Type& type, const void* value) {
    if (type.shape == Shape::Struct) return encode(type.table(), value);
    return scalar_to_json(type, value).freeze();
  }

  void read_map(json::View value, void* into, const Spot& spot) {
    if (!value.is_object()) return wrong_type(value, spot);
    spot.type.reset(into);
    const auto& limits = item_limits(spot.limits);
    std::size_t size = 0;
    for (const auto [key, member] : value.members()) {
      if (member.is_null() && !limits.nullable) continue;  // the server drops it
      ++size;
      const auto at = spot.path.key(key);
      read(member, spot.type.insert(into, key), {spot.type.element(), limits, at});
    }
    count(size, value, spot);
  }

  void read_json(json::View value, void* into, const Spot& spot) {
    if (spot.limits.holds != Holds::Anything && !value.is_object()) return wrong_type(value, spot);
    if (spot.limits.holds == Holds::Resource) {
      kube::Schema schema;
      schema.type = kube::SchemaType::Object;
      schema.embedded_resource = true;
      auto found = kube::validate_as_resource(value, schema, spot.path);
      errors.insert(errors.end(), found.begin(), found.end());
    }
    *static_cast<json::Value*>(into) = json::Value{value}.compact();
  }

  void bounds(json::View value, const Spot& spot) {
    const auto [minimum, maximum] = bounds_of(spot.type.shape, spot.limits);
    const double number = value.as_double();
    const auto& limits = spot.limits;
    if (minimum && (limits.exclusive_minimum ? number <= *minimum : number < *minimum)) {
      wrong(value, spot,
            fmt::format("must be greater than {}{}", limits.exclusive_minimum ? "" : "or equal to ",
                        number_text(*minimum)));
    }
    if (maximum && (limits.exclusive_maximum ? number >= *maximum : number > *maximum)) {
      wrong(value, spot,
            fmt::format("must be less than {}{}", limits.exclusive_maximum ? "" : "or equal to ",
                        number_text(*maximum)));
    }
    if (limits.multiple_of && !is_multiple(value, *limits.multiple_of)) {
      wrong(value, spot, fmt::format("must be a multiple of {}", number_text(*limits.multiple_of)));
    }
  }

  // As the server counts: exactly for integers, with its tolerance for floats.
  static bool is_multiple(json::View value, double factor) {
    if (value.is_int()) return value.as_int() % static_cast<std::int64_t>(factor) == 0;
    const double number = value.as_double();
    return kube::is_whole(factor < 1 ? 1 / factor * number : number / factor);
  }

  void read_double(json::View value, void* into, const Spot& spot) {
    if (!value.is_number()) return wrong_type(value, spot);
    bounds(value, spot);
    *static_cast<double*>(into) = value.as_double();
  }

  void read_integer(json::View value, void* into, const Spot& spot) {
    if (!is_whole_number(value)) return wrong_type(value, spot);
    const auto before = errors.size();
    bounds(value, spot);
    if (errors.size() != before) return;
    const auto number = whole(value);
    switch (spot.type.shape) {
      case Shape::Int32:
        *static_cast<std::int32_t*>(into) = static_cast<std::int32_t>(number);
        return;
      case Shape::Uint32:
        *static_cast<std::uint32_t*>(into) = static_cast<std::uint32_t>(number);
        return;
      default: *static_cast<std::int64_t*>(into) = number;
    }
  }

  // Counts only where there is something to compare with: most text has no limits.
  void length_fits(json::View value, const Spot& spot) {
    auto length_max = spot.limits.max_length;
    if (const auto implied = implied_length_max(spot.type.shape)) {
      length_max = std::min(length_max.value_or(*implied), *implied);
    }
    const auto length_min = spot.limits.min_length;
    if (!length_max && !length_min) return;
    const auto length = characters(value.as_string());
    if (length_max && length > *length_max) {
      errors.push_back({kube::FieldErrorKind::TooLong,
                        spot.path.to_string(),
                        {},
                        fmt::format("may not be more than {} characters", *length_max)});
    }
    if (length_min && length < *length_min) {
      wrong(value, spot, fmt::format("must be at least {} characters long", *length_min));
    }
  }

  // Lengths, patterns, formats: of what is a string in JSON. False when something is wrong.
  bool text_fits(json::View value, const Spot& spot) {
    const auto before = errors.size();
    const auto& limits = spot.limits;
    const auto text = value.as_string();
    length_fits(value, spot);
    const auto* implied = compiled(spot.type.shape);
    if (implied != nullptr && !implied->matches(text)) {
      wrong_type(value, spot);
    } else if (limits.compiled_pattern != nullptr && !limits.compiled_pattern->matches(text)) {
      wrong(value, spot,
            limits.pattern_advice.empty() ? fmt::format("must match '{}'", limits.pattern)
                                          : limits.pattern_advice);
    }
    format_fits(value, spot);
    if (!limits.one_of.empty()) supported(value, limits.one_of, spot);
    return errors.size() == before;
  }

  void format_fits(json::View value, const Spot& spot) {
    const bool time = spot.type.shape == Shape::Instant;
    if (spot.limits.format.empty() && !time) return;
    const std::string_view name = time ? "date-time" : std::string_view{spot.limits.format};
    if (!kube::has_format(value.as_string(), kube::format_named(name))) {
      wrong(value, spot, fmt::format("must be of format {}", name));
    }
  }

  void read_text(json::View value, void* into, const Spot& spot) {
    if (!value.is_string()) return wrong_type(value, spot);
    const auto text = value.as_string();
    if (spot.type.shape == Shape::Enum) return read_enum(value, into, spot);
    if (!text_fits(value, spot)) return;
    if (spot.type.shape == Shape::String) {
      static_cast<std::string*>(into)->assign(text);
    } else if (spot.type.shape == Shape::Duration) {
      take(kube::parse_duration(text), static_cast<Duration*>(into), value, spot);
    } else {
      take(parse_rfc3339(text), static_cast<Instant*>(into), value, spot);
    }
  }

  template <class T>
  void take(Result<T> parsed, T* into, json::View value, const Spot& spot) {
    if (!parsed) return wrong(value, spot, parsed.error().message);
    *into = *std::move(parsed);
    between(*into, value, spot);
  }

  void read_enum(json::View value, void* into, const Spot& spot) {
    const auto text = value.as_string();
    for (std::size_t i = 0; i < spot.type.names.size(); ++i) {
      if (spot.type.names[i] == text) return spot.type.choose(into, i);
    }
    supported(value, {spot.type.names.begin(), spot.type.names.end()}, spot);
  }

  void read_quantity(json::View value, void* into, const Spot& spot) {
    if (!value.is_string() && !is_whole_number(value)) return wrong_type(value, spot);
    if (value.is_string() && !text_fits(value, spot)) return;
    take(quantity_from(value), static_cast<kube::Quantity*>(into), value, spot);
  }

  void read_int_or_string(json::View value, void* into, const Spot& spot) {
    auto& to = *static_cast<kube::IntOrString*>(into);
    if (value.is_string()) {
      if (!text_fits(value, spot)) return;
      to = kube::IntOrString::from(value);
    } else if (is_whole_number(value)) {
      bounds(value, spot);
      to = {.is_string = false, .number = whole(value), .text = {}};
    } else {
      wrong_type(value, spot);
    }
  }

  void between(Instant, json::View, const Spot&) {}
  void between(Duration given, json::View value, const Spot& spot) {
    limit(given, value, spot, [](std::string_view text) { return kube::parse_duration(text); });
  }
  void between(const kube::Quantity& given, json::View value, const Spot& spot) {
    limit(given, value, spot, [](std::string_view text) { return kube::Quantity::parse(text); });
  }
  template <class T, class Parse>
  void limit(const T& given, json::View value, const Spot& spot, Parse parse) {
    if (const auto& low = spot.limits.at_least; !low.empty() && given < *parse(low)) {
      wrong(value, spot, fmt::format("must be greater than or equal to {}", low));
    }
    if (const auto& high = spot.limits.at_most; !high.empty() && given > *parse(high)) {
      wrong(value, spot, fmt::format("must be less than or equal to {}", high));
    }
  }
};

}  // namespace

kube::FieldErrors decode(json::View value, const Table& table, void* into,
                         const kube::FieldPath& path) {
  Decoder decoder;
  if (!value.is_null() && !value.is_object()) {
    return {
        {kube::FieldErrorKind::TypeInvalid, path.to_string(), kube::shown(value),
         "must be an object"}
    };
  }
  decoder.read_struct(value, table, into, path);
  return std::move(decoder.errors);
}

}  // namespace fixpoint::types
