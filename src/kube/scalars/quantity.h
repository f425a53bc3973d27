// SPDX-License-Identifier: Apache-2.0
//
// Quantity: an exact amount of cpu, memory or anything counted: "100m", "1.5Gi", "12e6".
//
// Values are decimal fractions of any size with at most nine decimals (finer ones are rounded up,
// away from zero). The printed form is that of a real server after it decoded the same text.
#pragma once

#include "base/error.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

class Quantity {
 public:
  enum class Format : std::uint8_t { DecimalSi, BinarySi, DecimalExponent };

  // Longer texts and larger exponents are refused: nothing countable needs them, and arithmetic on
  // them would let one small field cost much time.
  static constexpr std::size_t kTextBytesMax = 1024;
  static constexpr int kExponentMax = 1000;

  Quantity() = default;  // zero
  static Quantity of(std::int64_t value, Format format = Format::DecimalSi);
  static Quantity milli(std::int64_t thousandths);
  // The error texts are those of a real server.
  static Result<Quantity> parse(std::string_view text);

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  // By value: 1Ki == 1024.
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  int sign() const { return digits_.empty() ? 0 : (negative_ ? -1 : 1); }
  Format format() const { return format_; }
  // Rounded up to a whole number, or to thousandths; saturates at the ends of int64.
  std::int64_t value() const { return scaled(0); }
  std::int64_t milli_value() const { return scaled(-3); }
  // What a real server takes the whole number or the thousandths for, in a list of resources.
  // Beyond 64 bits it is wrong: what has few digits is zero there, anything else wraps around.
  std::int64_t go_value() const { return go_scaled(0); }
  std::int64_t go_milli_value() const { return go_scaled(-3); }
  bool whole_to_go() const { return go_milli_value() % 1000 == 0; }
  // Whether it was written with so many digits that a real server counts it the long way.
  bool wide() const { return wide_; }
  // The whole number if there is no fraction and it fits.
  std::optional<std::int64_t> exact() const;
  double approximate() const;

  std::string to_string() const;

 private:
  // Little-endian limbs of base 10^9 without leading zeroes; empty is zero.
  using Digits = std::vector<std::uint32_t>;

  std::int64_t scaled(int exponent) const;
  std::int64_t go_scaled(int exponent) const;  // 0 or -3
  std::string canonical() const;

  Digits digits_;
  int exponent_ = 0;  // value = digits * 10^exponent
  bool negative_ = false;
  bool wide_ = false;
  Format format_ = Format::DecimalSi;
  // A text that is canonical enough is kept as given, as a real server does ("1.500" stays so).
  std::string text_;
};

}  // namespace fixpoint::kube
