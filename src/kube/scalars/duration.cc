// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/duration.h"

#include "base/ascii.h"
#include "base/rfc3339.h"
#include "kube/go/text.h"

#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array kUnits{
    Unit{"ns",      1           },
    Unit{"us",      kMicrosecond},
    Unit{"\u00b5s", kMicrosecond}, // micro sign
    Unit{"\u03bcs", kMicrosecond}, // Greek mu
    Unit{"ms",      kMillisecond},
    Unit{"s",       kSecond     },
    Unit{"m",       kMinute     },
    Unit{"h",       kHour       }
};

std::optional<std::int64_t> unit_of(std::string_view name) {
  for (const auto& unit : kUnits) {
    if (unit.name == name) return unit.nanoseconds;
  }
  return std::nullopt;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const auto digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// digits as an integer; nothing when it exceeds 2^63, the magnitude of the most negative duration.
std::optional<std::uint64_t> magnitude(std::string_view digits) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63U;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (value > kMax / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    if (value > kMax) return std::nullopt;
  }
  return value;
}

// The part after the point, in nanoseconds; digits beyond what can matter are dropped.
std::uint64_t fraction_of(std::string_view digits, std::int64_t unit) {
  double scale = 1;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (value > (std::uint64_t{1} << 63U) / 10 - 1) break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    scale *= 10;
  }
  return static_cast<std::uint64_t>(static_cast<double>(value) *
                                    (static_cast<double>(unit) / scale));
}

// 1500 with three places: "1.5"; without a fraction just the number.
std::string with_fraction(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  const std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  std::string digits = std::to_string(unit + rest).substr(1);
  while (digits.back() == '0') digits.pop_back();
  return text + "." + digits;
}

}  // namespace

Result<Duration> parse_duration(std::string_view whole) {
  const auto bad = [whole] {
    return fail(ErrorKind::Invalid, "time: invalid duration " + go_quoted(whole));
  };
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63U;
  std::string_view text = whole;
  const bool negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{0};
  if (text.empty()) return bad();
  std::uint64_t total = 0;
  while (!text.empty()) {
    if (!is_digit(text.front()) && text.front() != '.') return bad();
    const auto integer_digits = take_digits(text);
    std::string_view fraction_digits;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      fraction_digits = take_digits(text);
    }
    if (integer_digits.empty() && fraction_digits.empty()) return bad();
    const auto name = text.substr(0, text.find_first_of(".0123456789"));
    text.remove_prefix(name.size());
    if (name.empty()) {
      return fail(ErrorKind::Invalid, "time: missing unit in duration " + go_quoted(whole));
    }
    const auto unit = unit_of(name);
    if (!unit) {
      return fail(ErrorKind::Invalid,
                  "time: unknown unit " + go_quoted(name) + " in duration " + go_quoted(whole));
    }
    const auto number = magnitude(integer_digits);
    const auto factor = static_cast<std::uint64_t>(*unit);
    if (!number || *number > kMax / factor) return bad();
    const std::uint64_t piece = *number * factor + fraction_of(fraction_digits, *unit);
    if (piece > kMax || total + piece > kMax) return bad();
    total += piece;
  }
  if (negative) return Duration{static_cast<std::int64_t>(0 - total)};
  if (total > kMax - 1) return bad();
  return Duration{static_cast<std::int64_t>(total)};
}

std::string duration_text(Duration duration) {
  const std::int64_t count = duration.count();
  const auto value = count < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(count)
                               : static_cast<std::uint64_t>(count);
  const std::string minus = count < 0 ? "-" : "";
  if (value == 0) return "0s";
  if (value < kMicrosecond) return minus + std::to_string(value) + "ns";
  if (value < kMillisecond) return minus + with_fraction(value, kMicrosecond) + "\u00b5s";
  if (value < kSecond) return minus + with_fraction(value, kMillisecond) + "ms";
  std::string text = with_fraction(value % kMinute, kSecond) + "s";
  if (value >= kMinute) text = fmt::format("{}m", value / kMinute % 60) + text;
  if (value >= kHour) text = fmt::format("{}h", value / kHour) + text;
  return minus + text;
}

std::string human_duration(Duration duration) {
  const std::int64_t seconds = duration.count() / kSecond;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  // "5m" or "5m12s": the smaller unit only when it is not zero.
  const auto two = [](std::int64_t big, char big_unit, std::int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", big, big_unit)
                      : fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
  };
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  if (seconds < 60 * 2) return fmt::format("{}s", seconds);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return fmt::format("{}d", days);
  if (hours < 24 * 365 * 8) return two(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string age(std::string_view rfc3339_then, Instant now) {
  const auto then = parse_rfc3339(rfc3339_then);
  return then ? human_duration(now - *then) : "<unknown>";
}

}  // namespace fixpoint::kube
