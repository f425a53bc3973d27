// SPDX-License-Identifier: Apache-2.0
#include "base/rfc3339.h"

#include <cstdio>

namespace fixpoint {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::seconds;

// "2026-11-16T06:10:55". By hand, because every write stamps its object: nanoseconds in 64 bits end
// in the year 2262, so a year has four digits.
std::string date_and_time(Instant at) {
  const auto day = floor<days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{floor<seconds>(at - day)};
  std::string text = "0000-00-00T00:00:00";
  const auto put = [&](std::size_t end, auto value) {
    for (auto rest = static_cast<unsigned>(value); rest > 0; rest /= 10) {
      text[--end] = static_cast<char>('0' + rest % 10);
    }
  };
  put(4, static_cast<int>(date.year()));
  put(7, static_cast<unsigned>(date.month()));
  put(10, static_cast<unsigned>(date.day()));
  put(13, time.hours().count());
  put(16, time.minutes().count());
  put(19, time.seconds().count());
  return text;
}

// Reads exactly `count` digits off the front.
bool take_digits(std::string_view& text, std::size_t count, int& value) {
  if (text.size() < count) return false;
  value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456789", at most nanoseconds are kept; further digits are read and dropped.
bool take_fraction(std::string_view& text, Duration& fraction) {
  if (!take(text, '.')) return true;
  std::int64_t value = 0;
  std::int64_t scale = 1'000'000'000;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (scale > 1) {
      scale /= 10;
      value += (text[digits] - '0') * scale;
    }
    ++digits;
  }
  text.remove_prefix(digits);
  fraction = Duration{value};
  return digits > 0;
}

bool take_zone(std::string_view& text, seconds& offset) {
  if (take(text, 'Z')) return true;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  if (!take_digits(text, 2, hours) || !take(text, ':') || !take_digits(text, 2, minutes))
    return false;
  if (hours > 23 || minutes > 59) return false;
  offset = seconds{sign * (hours * 3600 + minutes * 60)};
  return true;
}

}  // namespace

std::string format_seconds(Instant at) {
  return date_and_time(at) + "Z";
}

std::string format_micros(Instant at) {
  const auto micros = floor<microseconds>(at - floor<seconds>(at)).count();
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%06dZ", static_cast<int>(micros));
  return date_and_time(at) + fraction;
}

Result<Instant> parse_rfc3339(std::string_view text) {
  const auto bad = [whole = text] {
    return fail(ErrorKind::Invalid,
                "time \"" + std::string{whole} + "\" is not RFC 3339, e.g. 2026-01-02T03:04:05Z");
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  Duration fraction{};
  seconds offset{};
  if (!take_digits(text, 4, year) || !take(text, '-') || !take_digits(text, 2, month) ||
      !take(text, '-') || !take_digits(text, 2, day) || !take(text, 'T') ||
      !take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute) ||
      !take(text, ':') || !take_digits(text, 2, second) || !take_fraction(text, fraction) ||
      !take_zone(text, offset) || !text.empty()) {
    return bad();
  }
  const std::chrono::year_month_day date{std::chrono::year{year} / static_cast<unsigned>(month) /
                                         static_cast<unsigned>(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return bad();
  // Nanoseconds since 1970 in 64 bits end in 2262 and begin in 1678.
  if (year < 1678 || year > 2261) return bad();
  return Instant{std::chrono::sys_days{date}} + std::chrono::hours{hour} +
         std::chrono::minutes{minute} + seconds{second} - offset + fraction;
}

}  // namespace fixpoint
