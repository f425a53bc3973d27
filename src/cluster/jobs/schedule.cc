// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/schedule.h"

#include <algorithm>
#include <chrono>

namespace fixpoint::cluster::jobs {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr auto kYearsAhead = std::chrono::years(5);

bool has(std::uint64_t bits, std::int64_t value) {
  return ((bits >> static_cast<unsigned>(value)) & 1U) != 0;
}

bool day_matches(const kinds::CronTimes& times, const std::chrono::year_month_day& date) {
  const bool day = has(times.days, static_cast<unsigned>(date.day()));
  const std::chrono::weekday weekday{std::chrono::sys_days{date}};
  const bool in_week = has(times.weekdays, weekday.c_encoding());
  const bool either =
      (times.days & kinds::CronTimes::kAny) == 0 && (times.weekdays & kinds::CronTimes::kAny) == 0;
  return either ? day || in_week : day && in_week;
}

// How much local time to let pass before it is worth looking again; zero at a match.
seconds to_wait(const kinds::CronTimes& times, sys_seconds local) {
  const auto midnight = floor<days>(local);
  const std::chrono::year_month_day date{midnight};
  if (!has(times.months, static_cast<unsigned>(date.month()))) {
    const auto next = (date.year() / date.month() / 1) + std::chrono::months(1);
    return sys_seconds{std::chrono::sys_days{next}} - local;
  }
  if (!day_matches(times, date)) return midnight + days(1) - local;
  if (!has(times.hours, (local - midnight) / hours(1))) return floor<hours>(local) + 1h - local;
  const auto minute = (local - floor<hours>(local)) / minutes(1);
  if (!has(times.minutes, minute)) return floor<minutes>(local) + 1min - local;
  return 0s;
}

}  // namespace

std::optional<Instant> Schedule::next(Instant at) const {
  if (times_.every) {
    const auto step = std::max<seconds>(floor<seconds>(*times_.every), 1s);
    return floor<seconds>(at) + step;
  }
  // Whole minutes only.
  sys_seconds time = floor<minutes>(at) + 1min;
  const auto limit = at + kYearsAhead;
  while (time < limit) {
    const auto offset = zone_.offset_at(time);
    const auto wait = to_wait(times_, time + offset);
    if (wait == 0s) return time;
    const auto then = time + wait;
    // Where the clocks changed on the way, go on from the first moment after the change that is
    // not past the wanted one.
    const auto later = zone_.offset_at(then);
    const auto corrected = later > offset ? then - (later - offset) : then;
    time = corrected > time && zone_.offset_at(corrected) == later ? corrected : then;
  }
  return std::nullopt;
}

}  // namespace fixpoint::cluster::jobs
