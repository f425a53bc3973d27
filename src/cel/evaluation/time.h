// SPDX-License-Identifier: Apache-2.0
//
// Times and durations as expressions and their resources write them. Unlike base/rfc3339.h this
// covers the years 1 to 9999.
#pragma once

#include "base/error.h"
#include "cel/evaluation/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cel {

inline constexpr std::int64_t kSecondNanos = 1'000'000'000;
inline constexpr std::int64_t kMinuteNanos = 60 * kSecondNanos;
inline constexpr std::int64_t kHourNanos = 60 * kMinuteNanos;

// "2026-01-02T03:04:05.6Z" or with an offset.
std::optional<Moment> parse_moment(std::string_view text);
// "2026-01-02".
std::optional<Moment> parse_date(std::string_view text);
// The forms that the date-time format of schemas takes: also a space for the T, or lower case.
std::optional<Moment> parse_schema_moment(std::string_view text);
// "1h30m" or "3 days".
std::optional<std::int64_t> parse_schema_duration(std::string_view text);

bool in_range(Moment at);
std::string shown(Moment at);                    // RFC 3339 in UTC, fraction as needed
std::string shown_duration(std::int64_t nanos);  // "5400s"
Moment plus(Moment at, std::int64_t nanos);
std::optional<std::int64_t> difference(Moment a, Moment b);

struct Calendar {
  int year = 0;
  int month = 0;        // from 0
  int day = 0;          // from 1
  int day_of_year = 0;  // from 0
  int day_of_week = 0;  // Sunday is 0
  int hour = 0;
  int minute = 0;
  int second = 0;
};
Calendar calendar(Moment at);
// How many seconds "+02:00", "02:00" or "Europe/Berlin" is ahead of UTC at that moment. The errors
// are Go's.
Result<std::int64_t> zone_offset(std::string_view zone, Moment at);

}  // namespace fixpoint::cel
