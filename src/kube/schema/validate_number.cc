// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_number.h"

#include "kube/go/scalars.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

void check_bounds(std::int64_t value, const Validation& validation, const SentencePath& path,
                  Outcome& out) {
  const auto shown_value = std::to_string(value);
  if (validation.minimum) {
    const auto limit = truncated(*validation.minimum);
    if (validation.exclusive_minimum ? value <= limit : value < limit) {
      out.add(broken(path, shown_value,
                     fmt::format("should be greater than {}{}",
                                 validation.exclusive_minimum ? "" : "or equal to ", limit)));
    }
  }
  if (validation.maximum) {
    const auto limit = truncated(*validation.maximum);
    if (validation.exclusive_maximum ? value >= limit : value > limit) {
      out.add(broken(path, shown_value,
                     fmt::format("should be less than {}{}",
                                 validation.exclusive_maximum ? "" : "or equal to ", limit)));
    }
  }
}

void check_bounds(double value, const Validation& validation, const SentencePath& path,
                  Outcome& out) {
  const auto shown_value = go_number(value);
  if (const auto limit = validation.minimum;
      limit && (validation.exclusive_minimum ? value <= *limit : value < *limit)) {
    out.add(
        broken(path, shown_value,
               fmt::format("should be greater than {}{}",
                           validation.exclusive_minimum ? "" : "or equal to ", go_number(*limit))));
  }
  if (const auto limit = validation.maximum;
      limit && (validation.exclusive_maximum ? value >= *limit : value > *limit)) {
    out.add(
        broken(path, shown_value,
               fmt::format("should be less than {}{}",
                           validation.exclusive_maximum ? "" : "or equal to ", go_number(*limit))));
  }
}

Problem bad_factor(const SentencePath& path, const std::string& factor) {
  const auto at = path.to_string();
  return {.field = at,
          .value = factor,
          .sentence =
              fmt::format("factor MultipleOf declared for {} must be positive: {}", at, factor)};
}

void check_multiple(std::int64_t value, double factor, const SentencePath& path, Outcome& out) {
  const auto whole_factor = truncated(factor);
  if (whole_factor <= 0) {
    out.add(bad_factor(path, std::to_string(whole_factor)));
  } else if (value % whole_factor != 0) {
    out.add(broken(path, std::to_string(value),
                   fmt::format("should be a multiple of {}", whole_factor)));
  }
}

void check_multiple(double value, double factor, const SentencePath& path, Outcome& out) {
  if (factor <= 0) {
    out.add(bad_factor(path, go_number(factor)));
  } else if (!is_whole(factor < 1 ? 1 / factor * value : value / factor)) {
    out.add(broken(path, go_number(value),
                   fmt::format("should be a multiple of {}", go_number(factor))));
  }
}

std::string as_rune(std::int64_t code_point) {
  if (code_point < 0 || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    return "\xEF\xBF\xBD";
  }
  const auto c = static_cast<std::uint32_t>(code_point);
  const auto tail = [](std::uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0U | (c >> 6U)), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0U | (c >> 12U)), tail(c >> 6U), tail(c)};
  return {static_cast<char>(0xF0U | (c >> 18U)), tail(c >> 12U), tail(c >> 6U), tail(c)};
}

bool equals_converted(json::View value, json::View allowed) {
  if (value.is_int()) {
    if (allowed.type() == json::Type::Float) return value.as_double() == allowed.as_double();
    if (allowed.is_string()) return as_rune(value.as_int()) == allowed.as_string();
  }
  if (value.type() == json::Type::Float && allowed.is_int()) {
    return truncated(value.as_double()) == allowed.as_int();
  }
  return value == allowed;
}

}  // namespace

bool is_whole(double value) {
  constexpr double kExact = 9007199254740991.0;
  constexpr double kEpsilon = 1e-9;
  if (!std::isfinite(value) || value < -kExact || value > kExact) return false;
  if (value == std::trunc(value)) return true;
  // A negative fraction meets the wrapped unsigned conversion of Go and is never near it.
  if (value < 0) return false;
  const double down = std::trunc(value);
  if (down == 0) return false;
  return (value - down) / (value + down) < kEpsilon;
}

void check_number(json::View value, const Validation& validation, const SentencePath& path,
                  Outcome& out) {
  if (value.is_int()) {
    if (validation.multiple_of) check_multiple(value.as_int(), *validation.multiple_of, path, out);
    check_bounds(value.as_int(), validation, path, out);
  } else {
    if (validation.multiple_of) {
      check_multiple(value.as_double(), *validation.multiple_of, path, out);
    }
    check_bounds(value.as_double(), validation, path, out);
  }
}

bool in_enum(json::View value, const std::vector<json::Value>& allowed) {
  for (const auto& each : allowed) {
    if (!each.is_null() && equals_converted(value, each)) return true;
  }
  return false;
}

bool has_repetition(json::View array) {
  for (std::size_t i = 1; i < array.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (array[i] == array[j]) return true;
    }
  }
  return false;
}

}  // namespace fixpoint::kube
