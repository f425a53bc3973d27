// SPDX-License-Identifier: Apache-2.0
#include "cel/evaluation/time.h"

#include "base/time_zone.h"
#include "kube/go/text.h"
#include "kube/scalars/duration.h"
#include "kube/schema/validate_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
constexpr std::int64_t kSecondsMin = -62'135'596'800;
constexpr std::int64_t kSecondsMax = 253'402'300'799;
constexpr std::int64_t kDaySeconds = 86'400;

bool digits(std::string_view text, std::size_t at, std::size_t count, int& value) {
  if (text.size() < at + count) return false;
  value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  return true;
}

std::optional<std::int64_t> day_seconds(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (text.size() < 10 || !digits(text, 0, 4, year) || text[4] != '-' ||
      !digits(text, 5, 2, month) || text[7] != '-' || !digits(text, 8, 2, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year} / static_cast<unsigned>(month) /
                                         static_cast<unsigned>(day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count() * kDaySeconds;
}

std::optional<std::int64_t> take_zone(std::string_view text) {
  if (text == "Z") return 0;
  int hours = 0;
  int minutes = 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || !digits(text, 1, 2, hours) ||
      text[3] != ':' || !digits(text, 4, 2, minutes) || hours > 24 || minutes > 59) {
    return std::nullopt;
  }
  const std::int64_t seconds = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

// Seconds' fraction off the front, in nanoseconds.
std::optional<std::int32_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.') && !text.starts_with(',')) return 0;
  text.remove_prefix(1);
  std::int32_t value = 0;
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') {
    if (count < 9) value = value * 10 + (text[count] - '0');
    ++count;
  }
  if (count == 0) return std::nullopt;
  for (std::size_t i = count; i < 9; ++i) value *= 10;
  text.remove_prefix(count);
  return value;
}

Moment normal(std::int64_t seconds, std::int64_t nanos) {
  seconds += nanos / kSecondNanos;
  nanos %= kSecondNanos;
  if (nanos < 0) {
    nanos += kSecondNanos;
    --seconds;
  }
  return {seconds, static_cast<std::int32_t>(nanos)};
}

}  // namespace

std::optional<Moment> parse_moment(std::string_view text) {
  const auto day = day_seconds(text);
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!day || text.size() < 20 || text[10] != 'T' || !digits(text, 11, 2, hour) ||
      text[13] != ':' || !digits(text, 14, 2, minute) || text[16] != ':' ||
      !digits(text, 17, 2, second) || hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  auto rest = text.substr(19);
  const auto nanos = take_fraction(rest);
  const auto offset = nanos ? take_zone(rest) : std::nullopt;
  if (!offset) return std::nullopt;
  return Moment{*day + hour * 3600 + minute * 60 + second - *offset, *nanos};
}

std::optional<Moment> parse_date(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto day = day_seconds(text);
  return day ? std::optional{Moment{*day, 0}} : std::nullopt;
}

std::optional<Moment> parse_schema_moment(std::string_view text) {
  if (!kube::has_format(text, kube::Format::DateTime)) return std::nullopt;
  std::string usual{text};
  if (usual.size() > 10 && (usual[10] == 't' || usual[10] == ' ')) usual[10] = 'T';
  if (usual.ends_with('z')) usual.back() = 'Z';
  if (const auto found = parse_moment(usual)) return found;
  // Without a zone it is UTC.
  return parse_moment(usual + "Z");
}

std::optional<std::int64_t> parse_schema_duration(std::string_view text) {
  if (const auto found = kube::parse_duration(text)) return found->count();
  if (!kube::has_format(text, kube::Format::Duration)) return std::nullopt;
  struct Unit {
    std::string_view prefix;
    std::int64_t nanos;
  };
  // What the format takes beyond Go's units; the longer spellings begin alike.
  constexpr std::array kUnits{
      Unit{"ms",      1'000'000          },
      Unit{"milli",   1'000'000          },
      Unit{"us",      1'000              },
      Unit{"\u00b5s", 1'000              },
      Unit{"micro",   1'000              },
      Unit{"n",       1                  },
      Unit{"m",       kMinuteNanos       },
      Unit{"s",       kSecondNanos       },
      Unit{"h",       kHourNanos         },
      Unit{"d",       24 * kHourNanos    },
      Unit{"w",       7 * 24 * kHourNanos},
  };
  std::int64_t total = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto number = text.find_first_of("0123456789", at);
    if (number == text.npos) break;
    const auto stop = std::min(text.find_first_not_of("0123456789.", number), text.size());
    double count = 0;
    std::from_chars(text.data() + number, text.data() + stop, count);
    const auto word = std::min(text.find_first_not_of(' ', stop), text.size());
    const auto name = kube::lower_case(text.substr(word));
    for (const auto& unit : kUnits) {
      if (!name.starts_with(unit.prefix)) continue;
      total += static_cast<std::int64_t>(count * static_cast<double>(unit.nanos));
      break;
    }
    at = std::min(text.find_first_of("0123456789", word), text.size());
  }
  return total;
}

bool in_range(Moment at) {
  return at.seconds >= kSecondsMin && at.seconds <= kSecondsMax;
}

std::string shown(Moment at) {
  const auto parts = calendar(at);
  auto out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.year, parts.month + 1,
                         parts.day, parts.hour, parts.minute, parts.second);
  if (at.nanos != 0) {
    auto fraction = fmt::format(".{:09}", at.nanos);
    while (fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  return out + "Z";
}

std::string shown_duration(std::int64_t nanos) {
  const auto magnitude =
      nanos < 0 ? 0 - static_cast<std::uint64_t>(nanos) : static_cast<std::uint64_t>(nanos);
  auto out = fmt::format("{}{}", nanos < 0 ? "-" : "", magnitude / kSecondNanos);
  if (const auto rest = magnitude % kSecondNanos; rest != 0) {
    auto fraction = fmt::format(".{:09}", rest);
    while (fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  return out + "s";
}

Moment plus(Moment at, std::int64_t nanos) {
  return normal(at.seconds, at.nanos + nanos);
}

std::optional<std::int64_t> difference(Moment a, Moment b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kSecondNanos, &out)) return std::nullopt;
  if (__builtin_add_overflow(out, a.nanos - b.nanos, &out)) return std::nullopt;
  return out;
}

Calendar calendar(Moment at) {
  const auto point = std::chrono::sys_seconds{std::chrono::seconds{at.seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date{day};
  const auto first = std::chrono::sys_days{date.year() / std::chrono::January / 1};
  const std::chrono::hh_mm_ss time{point - day};
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())) - 1,
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .day_of_year = static_cast<int>((day - first).count()),
          .day_of_week = static_cast<int>(std::chrono::weekday{day}.c_encoding()),
          .hour = static_cast<int>(time.hours().count()),
          .minute = static_cast<int>(time.minutes().count()),
          .second = static_cast<int>(time.seconds().count())};
}

namespace {

// Zone files are read once; there are not many more names than this.
constexpr std::size_t kZonesKeptMax = 700;

Result<TimeZone> zone_named(std::string_view name) {
  static std::mutex mutex;                                                     // guards `kept`
  static auto* const kept = new std::map<std::string, TimeZone, std::less<>>;  // as the process
  const std::lock_guard lock{mutex};
  if (const auto found = kept->find(name); found != kept->end()) return found->second;
  FP_TRY(zone, load_time_zone(name));
  if (kept->size() < kZonesKeptMax) kept->emplace(name, zone);
  return zone;
}

// As Go reads a decimal number, sign and all.
Result<std::int64_t> whole_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  const bool two_signs = text.starts_with('+') && digits.starts_with('-');
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) {
    return fail(ErrorKind::Invalid,
                fmt::format("strconv.Atoi: parsing {}: value out of range", kube::go_quoted(text)));
  }
  if (read.ec != std::errc{} || read.ptr != end || two_signs) {
    return fail(ErrorKind::Invalid,
                fmt::format("strconv.Atoi: parsing {}: invalid syntax", kube::go_quoted(text)));
  }
  return number;
}

}  // namespace

Result<std::int64_t> zone_offset(std::string_view zone, Moment at) {
  const auto colon = zone.find(':');
  if (colon == std::string_view::npos) {
    FP_TRY(place, zone_named(zone));
    return place.offset_at(std::chrono::sys_seconds{std::chrono::seconds(at.seconds)}).count();
  }
  FP_TRY(hours, whole_number(zone.substr(0, colon)));
  FP_TRY(minutes, whole_number(zone.substr(colon + 1)));
  // Farther away than any place is, and far from overflowing.
  constexpr std::int64_t kFarthest = 1'000'000;
  hours = std::clamp(hours, -kFarthest, kFarthest);
  minutes = std::clamp(minutes, -kFarthest, kFarthest);
  return (hours * 60 + (zone.starts_with('-') ? -minutes : minutes)) * 60;
}

}  // namespace fixpoint::cel
