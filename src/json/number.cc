// SPDX-License-Identifier: Apache-2.0
//
// Floats as Go prints them: the shortest digits that read back to the same value.
#include "base/error.h"
#include "json/print.h"

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
  if (decimal.count > 1) out.append(".").append(decimal.digits + 1, decimal.count - 1UL);
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

}  // namespace

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
