// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/quantity.h"

#include "base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using Digits = std::vector<std::uint32_t>;
constexpr std::uint32_t kBase = 1'000'000'000;
constexpr int kNano = -9;
// How many digits a real server keeps in its fast form; decides only which texts it keeps as given.
constexpr int kFastDigits = 18;

void trim(Digits& digits) {
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
}

void multiply(Digits& digits, std::uint32_t by) {
  std::uint64_t carry = 0;
  for (auto& limb : digits) {
    carry += std::uint64_t{limb} * by;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  if (carry > 0) digits.push_back(static_cast<std::uint32_t>(carry));
  trim(digits);
}

// Divides in place and gives the remainder.
std::uint32_t divide(Digits& digits, std::uint32_t by) {
  std::uint64_t rest = 0;
  for (auto limb = digits.rbegin(); limb != digits.rend(); ++limb) {
    rest = rest * kBase + *limb;
    *limb = static_cast<std::uint32_t>(rest / by);
    rest %= by;
  }
  trim(digits);
  return static_cast<std::uint32_t>(rest);
}

void add_one(Digits& digits) {
  for (auto& limb : digits) {
    if (++limb < kBase) return;
    limb = 0;
  }
  digits.push_back(1);
}

void add(Digits& digits, const Digits& other) {
  if (digits.size() < other.size()) digits.resize(other.size());
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::uint32_t sum = digits[i] + (i < other.size() ? other[i] : 0) + carry;
    digits[i] = sum % kBase;
    carry = sum / kBase;
  }
  if (carry > 0) digits.push_back(carry);
}

// digits >= other.
void subtract_digits(Digits& digits, const Digits& other) {
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    std::int64_t rest = std::int64_t{digits[i]} - (i < other.size() ? other[i] : 0) - borrow;
    borrow = rest < 0 ? 1 : 0;
    if (rest < 0) rest += kBase;
    digits[i] = static_cast<std::uint32_t>(rest);
  }
  trim(digits);
}

std::strong_ordering compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] <=> b[i];
  }
  return std::strong_ordering::equal;
}

void shift_left_decimal(Digits& digits, int places) {
  for (; places >= 9; places -= 9) {
    if (!digits.empty()) digits.insert(digits.begin(), 0);
  }
  for (; places > 0; --places) multiply(digits, 10);
}

// Drops decimal places, away from zero; true when nothing was lost.
bool round_up_decimal(Digits& digits, int places) {
  bool exact = true;
  for (; places > 0 && !digits.empty(); --places) exact = (divide(digits, 10) == 0) && exact;
  if (!exact) add_one(digits);
  return exact;
}

Digits from_text(std::string_view digits_text) {
  Digits digits;
  for (std::size_t end = digits_text.size(); end > 0;) {
    const std::size_t begin = end >= 9 ? end - 9 : 0;
    std::uint32_t limb = 0;
    for (const char c : digits_text.substr(begin, end - begin)) {
      limb = limb * 10 + static_cast<std::uint32_t>(c - '0');
    }
    digits.push_back(limb);
    end = begin;
  }
  trim(digits);
  return digits;
}

std::string to_text(const Digits& digits) {
  if (digits.empty()) return "0";
  std::string text = std::to_string(digits.back());
  for (std::size_t i = digits.size() - 1; i-- > 0;) text += fmt::format("{:09}", digits[i]);
  return text;
}

struct Suffix {
  int base = 10;
  int exponent = 0;
  Quantity::Format format = Quantity::Format::DecimalSi;
};

constexpr std::array<std::string_view, 10> kDecimalSuffixes{"n", "u", "m", "",  "k",
                                                            "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 6> kBinarySuffixes{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

Result<Suffix> parse_suffix(std::string_view text) {
  const auto wrong = [] { return fail(ErrorKind::Invalid, "unable to parse quantity's suffix"); };
  for (std::size_t i = 0; i < kDecimalSuffixes.size(); ++i) {
    if (text == kDecimalSuffixes[i]) return Suffix{10, static_cast<int>(i) * 3 - 9};
  }
  for (std::size_t i = 0; i < kBinarySuffixes.size(); ++i) {
    if (text != kBinarySuffixes[i]) continue;
    return Suffix{2, static_cast<int>(i + 1) * 10, Quantity::Format::BinarySi};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return wrong();
  text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return wrong();
  if (exponent > Quantity::kExponentMax) return wrong();
  // Below this nothing is left but a rounding up to one nano.
  exponent = std::max<std::int64_t>(exponent, -Quantity::kExponentMax * 2);
  return Suffix{10, static_cast<int>(exponent), Quantity::Format::DecimalExponent};
}

struct Parts {
  bool negative = false;
  std::string_view whole;  // without leading zeroes; "0" when nothing is left
  std::string_view fraction;
  std::string_view suffix;
  bool any_digit = true;  // in whole or fraction as given
};

std::size_t count_while(std::string_view text, bool (*good)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, good) - text.begin());
}

// The three pieces as a real server cuts them.
Result<Parts> cut(std::string_view text) {
  Parts parts;
  parts.negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto zeroes = count_while(text, [](char c) { return c == '0'; });
  text.remove_prefix(zeroes);
  parts.whole = text.substr(0, count_while(text, is_digit));
  text.remove_prefix(parts.whole.size());
  parts.any_digit = zeroes + parts.whole.size() > 0;
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = text.substr(0, count_while(text, is_digit));
    text.remove_prefix(parts.fraction.size());
    parts.any_digit = parts.any_digit || !parts.fraction.empty();
  }
  parts.suffix = text;
  text.remove_prefix(count_while(text, [](char c) {
    return std::string_view{"eEinumkKMGTP"}.find(c) != std::string_view::npos;
  }));
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(count_while(text, is_digit));
  if (text.empty()) return parts;
  return fail(ErrorKind::Invalid,
              "quantities must match the regular expression "
              "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

bool fits_int64(const Digits& digits) {
  static const Digits kMax = from_text("9223372036854775807");
  return compare(digits, kMax) <= 0;
}

// Whether a real server takes its fast way, which keeps some texts as given and rounds nothing.
bool fast(const Parts& parts, const Suffix& suffix) {
  const int digits = static_cast<int>(parts.whole.size() + parts.fraction.size());
  if (suffix.base == 10) {
    return kFastDigits - digits >= 0 &&
           suffix.exponent - static_cast<int>(parts.fraction.size()) >= kNano;
  }
  return parts.fraction.empty() &&
         15 - static_cast<int>(parts.whole.size()) - suffix.exponent * 3 / 10 - 1 >= 0;
}

bool keeps_text(const Parts& parts, const Suffix& suffix, const std::string& shifted) {
  if (suffix.base == 2) return std::stoll(shifted) % 8 != 0;
  const int scale = suffix.exponent - static_cast<int>(parts.fraction.size());
  return scale % 3 == 0 && !shifted.ends_with("000") && shifted.front() != '0';
}

void multiply_power_of_two(Digits& digits, int exponent) {
  for (; exponent > 0; exponent -= 10) multiply(digits, 1024);
}

// The largest binary amount: 2^63 - 1.
void cap_binary(Digits& digits, int& exponent) {
  Digits cap = from_text("9223372036854775807");
  shift_left_decimal(cap, -exponent);
  if (compare(digits, cap) > 0) {
    digits = from_text("9223372036854775807");
    exponent = 0;
  }
}

bool below_one(Digits digits, int exponent) {
  if (digits.empty()) return false;
  for (; exponent < 0; ++exponent) divide(digits, 10);
  return digits.empty();
}

}  // namespace

Quantity Quantity::of(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.negative_ = value < 0;
  const auto magnitude = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                   : static_cast<std::uint64_t>(value);
  quantity.digits_ = from_text(std::to_string(magnitude));
  quantity.format_ = format;
  return quantity;
}

Quantity Quantity::milli(std::int64_t thousandths) {
  Quantity quantity = of(thousandths);
  quantity.exponent_ = -3;
  return quantity;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) {
    return fail(ErrorKind::Invalid,
                "quantities must match the regular expression "
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  if (text.size() > kTextBytesMax) {
    return fail(ErrorKind::Invalid, "unable to parse numeric part of quantity");
  }
  FP_TRY(parts, cut(text));
  FP_TRY(suffix, parse_suffix(parts.suffix));
  Quantity quantity;
  quantity.format_ = suffix.format;
  quantity.negative_ = parts.negative;
  const std::string shifted = std::string{parts.whole} + std::string{parts.fraction};
  quantity.digits_ = from_text(shifted);
  quantity.exponent_ = -static_cast<int>(parts.fraction.size());
  if (suffix.base == 10) quantity.exponent_ += suffix.exponent;
  if (suffix.base == 2) multiply_power_of_two(quantity.digits_, suffix.exponent);
  if (fast(parts, suffix) && fits_int64(quantity.digits_)) {
    if (text == "0" || keeps_text(parts, suffix, shifted)) quantity.text_ = text;
  } else if (!parts.any_digit) {
    return fail(ErrorKind::Invalid, "unable to parse numeric part of quantity");
  } else {
    quantity.wide_ = true;
    if (quantity.exponent_ < kNano) {
      round_up_decimal(quantity.digits_, kNano - quantity.exponent_);
      quantity.exponent_ = kNano;
    }
    if (suffix.base == 2) cap_binary(quantity.digits_, quantity.exponent_);
    if (suffix.base == 2 && below_one(quantity.digits_, quantity.exponent_)) {
      quantity.format_ = Format::DecimalSi;
    }
  }
  if (quantity.digits_.empty()) quantity.negative_ = false;
  return quantity;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  text_.clear();
  if (digits_.empty()) format_ = other.format_;
  if (other.digits_.empty()) return *this;
  Digits theirs = other.digits_;
  if (exponent_ > other.exponent_) {
    shift_left_decimal(digits_, exponent_ - other.exponent_);
    exponent_ = other.exponent_;
  } else {
    shift_left_decimal(theirs, other.exponent_ - exponent_);
  }
  if (negative_ == other.negative_) {
    add(digits_, theirs);
  } else if (compare(digits_, theirs) >= 0) {
    subtract_digits(digits_, theirs);
  } else {
    subtract_digits(theirs, digits_);
    digits_ = std::move(theirs);
    negative_ = other.negative_;
  }
  if (digits_.empty()) negative_ = false;
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  Quantity minus = other;
  if (!minus.digits_.empty()) minus.negative_ = !minus.negative_;
  return *this += minus;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (sign() != other.sign()) return sign() <=> other.sign();
  Digits ours = digits_;
  Digits theirs = other.digits_;
  shift_left_decimal(ours, std::max(0, exponent_ - other.exponent_));
  shift_left_decimal(theirs, std::max(0, other.exponent_ - exponent_));
  const auto order = compare(ours, theirs);
  return negative_ ? 0 <=> order : order;
}

std::int64_t Quantity::scaled(int exponent) const {
  Digits digits = digits_;
  if (exponent_ > exponent) shift_left_decimal(digits, exponent_ - exponent);
  // A real server rounds up, away from zero.
  if (exponent_ < exponent) round_up_decimal(digits, exponent - exponent_);
  if (!fits_int64(digits)) {
    return negative_ ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
  }
  std::int64_t value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) value = value * kBase + digits[i];
  return negative_ ? -value : value;
}

std::int64_t Quantity::go_scaled(int exponent) const {
  constexpr int kMilli = -3;
  Digits digits = digits_;
  if (!wide_) {
    if (exponent_ > exponent) shift_left_decimal(digits, exponent_ - exponent);
    return fits_int64(digits) ? scaled(exponent) : 0;
  }
  const auto low = [](const Digits& of) {
    std::uint64_t bits = 0;
    for (std::size_t i = of.size(); i-- > 0;) bits = bits * kBase + of[i];
    return bits;
  };
  if (exponent_ > kMilli) shift_left_decimal(digits, exponent_ - kMilli);
  if (exponent_ < kMilli) round_up_decimal(digits, kMilli - exponent_);
  const auto thousandths = static_cast<std::int64_t>(negative_ ? 0 - low(digits) : low(digits));
  if (exponent == kMilli) return thousandths;
  // Only what is positive and large is divided before it is cut to 64 bits.
  if (negative_ || fits_int64(digits))
    return thousandths / 1000 + (thousandths % 1000 != 0 ? 1 : 0);
  round_up_decimal(digits, -kMilli);
  return static_cast<std::int64_t>(low(digits));
}

std::optional<std::int64_t> Quantity::exact() const {
  const std::int64_t whole = value();
  if (of(whole) != *this) return std::nullopt;
  return whole;
}

double Quantity::approximate() const {
  double value = 0;
  for (std::size_t i = digits_.size(); i-- > 0;) value = value * kBase + digits_[i];
  return (negative_ ? -value : value) * std::pow(10.0, exponent_);
}

std::string Quantity::to_string() const {
  return text_.empty() ? canonical() : text_;
}

std::string Quantity::canonical() const {
  if (digits_.empty()) return "0";
  Digits digits = digits_;
  const std::string minus = negative_ ? "-" : "";
  if (format_ == Format::BinarySi) {
    Digits whole = digits;
    if (exponent_ > 0) shift_left_decimal(whole, exponent_);
    const bool exact = exponent_ >= 0 || round_up_decimal(whole, -exponent_);
    if (exact && compare(whole, {1024}) >= 0) {
      std::size_t suffix = 0;
      for (Digits rest = whole; suffix < kBinarySuffixes.size(); whole = rest, ++suffix) {
        if (divide(rest, 1024) != 0) break;
      }
      return minus + to_text(whole) + std::string{suffix == 0 ? "" : kBinarySuffixes[suffix - 1]};
    }
  }
  int exponent = exponent_;
  for (Digits rest = digits; divide(rest, 10) == 0; digits = rest) ++exponent;
  for (; exponent % 3 != 0; --exponent) multiply(digits, 10);
  std::string text = minus + to_text(digits);
  if (format_ == Format::DecimalExponent) {
    return exponent == 0 ? text : text + fmt::format("e{}", exponent);
  }
  const int suffix = exponent / 3 + 3;
  if (suffix >= 0 && suffix < static_cast<int>(kDecimalSuffixes.size())) {
    return text.append(kDecimalSuffixes[static_cast<std::size_t>(suffix)]);
  }
  return text;
}

}  // namespace fixpoint::kube
