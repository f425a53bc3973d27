// SPDX-License-Identifier: Apache-2.0
//
// When a cron job runs: the grammar of schedules, and the names of time zones.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

// What is wrong with a schedule of five fields or a @descriptor; nothing when it is fine.
std::optional<std::string> schedule_problem(std::string_view schedule);

// A schedule taken apart. Bit n of a field: the value n is one of its times; kAny marks a field
// that was written as "any".
struct CronTimes {
  static constexpr std::uint64_t kAny = std::uint64_t{1} << 63U;
  std::string zone;               // "TZ=…" in front of it; empty: none given
  std::optional<Duration> every;  // "@every …"; the fields mean nothing then
  std::uint64_t minutes = 0;
  std::uint64_t hours = 0;
  std::uint64_t days = 0;
  std::uint64_t months = 0;
  std::uint64_t weekdays = 0;  // Sunday is 0
};
// Nothing when there is a problem.
std::optional<CronTimes> schedule_times(std::string_view schedule);

// Whether it has the form of a zone's name.
bool is_time_zone_name(std::string_view name);
// Whether there is such a zone. They are a table: what the machine has installed must not matter.
bool is_time_zone(std::string_view name);

}  // namespace fixpoint::kinds
