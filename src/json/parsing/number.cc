// SPDX-License-Identifier: Apache-2.0
//
// Floats as Go reads them, and as it prints them: the shortest digits that read back to the same
// value.
#include "json/parsing/number.h"

#include "base/error.h"
#include "json/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fixpoint::json {
namespace {

struct Decimal {
  char digits[20];  // at most 17 significant ones
  int count = 0;
  int exponent = 0;  // of the first digit: d.ddd × 10^exponent
};

Decimal shortest(double value) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal out;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at != '.') out.digits[out.count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  std::from_chars(at, end, out.exponent);
  return out;
}

void print_exponent(const Decimal& decimal, std::string& out) {
  out.push_back(decimal.digits[0]);
  const auto rest = static_cast<std::size_t>(decimal.count - 1);
  if (rest > 0) out.append(".").append(decimal.digits + 1, rest);
  // Go's two-digit exponents lose their leading zero in JSON only when negative; large ones have
  // at least two digits anyway.
  out.append(decimal.exponent < 0 ? "e-" : "e+").append(std::to_string(std::abs(decimal.exponent)));
}

void print_plain(const Decimal& decimal, std::string& out) {
  const auto count = static_cast<std::size_t>(decimal.count);
  if (decimal.exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-decimal.exponent - 1), '0');
    out.append(decimal.digits, count);
    return;
  }
  const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
  if (count <= whole) {
    out.append(decimal.digits, count).append(whole - count, '0');
  } else {
    out.append(decimal.digits, whole).append(".").append(decimal.digits + whole, count - whole);
  }
}

// Beyond the exponent of any float, and small enough to add to.
constexpr long kFar = 1'000'000'000'000;

long written_exponent(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  long exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (read.ec != std::errc{}) exponent = kFar;
  return std::min(exponent, kFar) * (negative ? -1 : 1);
}

// The power of ten of a number's first digit that is not 0.
long decimal_exponent(std::string_view number) {
  const auto mark = std::min(number.find_first_of("eE"), number.size());
  const auto mantissa = number.substr(0, mark);
  const auto dot = std::min(mantissa.find('.'), mantissa.size());
  const auto first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const auto exponent = mark < number.size() ? written_exponent(number.substr(mark + 1)) : 0;
  return exponent + static_cast<long>(dot) - static_cast<long>(first);
}

}  // namespace

std::optional<double> read_double(std::string_view number) {
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec == std::errc::result_out_of_range) {
    if (decimal_exponent(number) > 0) return std::nullopt;
    return number.starts_with('-') ? -0.0 : 0.0;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

void print_double(double value, std::string& out) {
  FP_CHECK(std::isfinite(value));
  if (std::signbit(value)) out.push_back('-');
  const auto size = std::abs(value);
  if (size == 0) {
    out.push_back('0');
  } else if (size < 1e-6 || size >= 1e21) {
    print_exponent(shortest(size), out);
  } else {
    print_plain(shortest(size), out);
  }
}

}  // namespace fixpoint::json
