// SPDX-License-Identifier: Apache-2.0
//
// What a timestamp or duration is made of: getFullYear(), getHours('+02:00').
#include "cel/evaluation/time.h"

#include "cel/library/functions.h"

#include <array>

namespace fixpoint::cel {
namespace {

struct Local {
  Calendar calendar;
  std::int32_t nanos = 0;
};

using Part = std::int64_t (*)(const Local&);

Value part_of(Args args, Part part) {
  auto at = args[0].moment();
  if (args.size() > 1) {
    if (!args[1].is(Kind::String)) return Value::no_overload();
    const auto offset = zone_offset(args[1].text(), at);
    if (!offset) return Value::error(offset.error().message);
    at.seconds += *offset;
  }
  return Value::integer(part({calendar(at), at.nanos}));
}

template <Part PartOf>
Value of_timestamp(Args args) {
  return args[0].is(Kind::Timestamp) ? part_of(args, PartOf) : Value::no_overload();
}

// Durations have these too, whole and truncated.
template <Part PartOf, std::int64_t UnitNanos>
Value of_either(Args args) {
  if (args[0].is(Kind::Duration) && args.size() == 1) {
    return Value::integer(args[0].nanos() / UnitNanos);
  }
  return of_timestamp<PartOf>(args);
}

constexpr Part kYear = [](const Local& at) { return std::int64_t{at.calendar.year}; };
constexpr Part kMonth = [](const Local& at) { return std::int64_t{at.calendar.month}; };
constexpr Part kDate = [](const Local& at) { return std::int64_t{at.calendar.day}; };
constexpr Part kDayOfMonth = [](const Local& at) { return std::int64_t{at.calendar.day} - 1; };
constexpr Part kDayOfYear = [](const Local& at) { return std::int64_t{at.calendar.day_of_year}; };
constexpr Part kDayOfWeek = [](const Local& at) { return std::int64_t{at.calendar.day_of_week}; };
constexpr Part kHours = [](const Local& at) { return std::int64_t{at.calendar.hour}; };
constexpr Part kMinutes = [](const Local& at) { return std::int64_t{at.calendar.minute}; };
constexpr Part kSeconds = [](const Local& at) { return std::int64_t{at.calendar.second}; };
constexpr Part kMilliseconds = [](const Local& at) { return std::int64_t{at.nanos} / 1'000'000; };

constexpr std::array<Native, 10> kTimeFunctions{
    {{"getFullYear", of_timestamp<kYear>},
     {"getMonth", of_timestamp<kMonth>},
     {"getDate", of_timestamp<kDate>},
     {"getDayOfMonth", of_timestamp<kDayOfMonth>},
     {"getDayOfYear", of_timestamp<kDayOfYear>},
     {"getDayOfWeek", of_timestamp<kDayOfWeek>},
     {"getHours", of_either<kHours, kHourNanos>},
     {"getMinutes", of_either<kMinutes, kMinuteNanos>},
     {"getSeconds", of_either<kSeconds, kSecondNanos>},
     {"getMilliseconds", of_either<kMilliseconds, 1'000'000>}}
};

}  // namespace

std::span<const Native> time_functions() {
  return kTimeFunctions;
}

}  // namespace fixpoint::cel
