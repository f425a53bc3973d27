// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/cron_schedule.h"

#include "kube/go/text.h"
#include "kube/scalars/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::kinds {
namespace {

// The zones of the IANA database, ordered.
constexpr std::string_view kTimeZones[] = {
#include "kinds/tables/time_zones.inc"
};

struct CronField {
  std::int64_t low;
  std::int64_t high;
  std::string_view names;  // three letters each, from `low` on
};
constexpr std::array kCronFields{
    CronField{0, 59, ""                                    },
    CronField{0, 23, ""                                    },
    CronField{1, 31, ""                                    },
    CronField{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    CronField{0, 6,  "sunmontuewedthufrisat"               }
};

std::optional<std::string> cron_number(std::string_view text, const CronField& field,
                                       std::int64_t& number) {
  const auto name = kube::lower_case(text);
  if (name.size() == 3 && !field.names.empty()) {
    const auto at = field.names.find(name);
    if (at != std::string_view::npos && at % 3 == 0) {
      number = field.low + static_cast<std::int64_t>(at / 3);
      return std::nullopt;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax",
                       text, kube::go_quoted(text));
  }
  if (number < 0) return fmt::format("negative number ({}) not allowed: {}", number, text);
  return std::nullopt;
}

// "*", "5", "1-5", "*/2", "1-9/3". Adds the times to `bits`.
std::optional<std::string> range_problem(std::string_view whole, const CronField& field,
                                         std::uint64_t& bits) {
  const auto slash = whole.find('/');
  const auto range = whole.substr(0, slash);
  const auto step = slash == std::string_view::npos ? std::string_view{} : whole.substr(slash + 1);
  const auto hyphen = range.find('-');
  const auto first = range.substr(0, hyphen);
  std::int64_t low = field.low;
  std::int64_t high = field.high;
  if (first != "*" && first != "?") {
    if (auto problem = cron_number(first, field, low)) return problem;
    if (hyphen == std::string_view::npos) {
      high = low;
    } else {
      const auto last = range.substr(hyphen + 1);
      if (last.find('-') != std::string_view::npos)
        return fmt::format("too many hyphens: {}", whole);
      if (auto problem = cron_number(last, field, high)) return problem;
    }
  }
  std::int64_t every = 1;
  if (slash != std::string_view::npos) {
    if (step.find('/') != std::string_view::npos) return fmt::format("too many slashes: {}", whole);
    if (auto problem = cron_number(step, CronField{0, 0, ""}, every)) return problem;
    if (hyphen == std::string_view::npos && first != "*" && first != "?") high = field.high;
  }
  if (low < field.low) {
    return fmt::format("beginning of range ({}) below minimum ({}): {}", low, field.low, whole);
  }
  if (high > field.high) {
    return fmt::format("end of range ({}) above maximum ({}): {}", high, field.high, whole);
  }
  if (low > high) {
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", low, high, whole);
  }
  if (every == 0) return fmt::format("step of range should be a positive number: {}", whole);
  for (auto at = low; at <= high; at += every) bits |= std::uint64_t{1} << at;
  if ((first == "*" || first == "?") && every == 1) bits |= CronTimes::kAny;
  return std::nullopt;
}

std::optional<std::string> field_problem(std::string_view text, const CronField& field,
                                         std::uint64_t& bits) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto part = text.substr(0, comma);
    if (!part.empty()) {
      if (auto problem = range_problem(part, field, bits)) return problem;
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array kDescriptors{
    Descriptor{"@yearly",   "0 0 1 1 *"},
    Descriptor{"@annually", "0 0 1 1 *"},
    Descriptor{"@monthly",  "0 0 1 * *"},
    Descriptor{"@weekly",   "0 0 * * 0"},
    Descriptor{"@daily",    "0 0 * * *"},
    Descriptor{"@midnight", "0 0 * * *"},
    Descriptor{"@hourly",   "0 * * * *"}
};

std::optional<std::string> every_problem(std::string_view text, CronTimes& times) {
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const auto duration = kube::parse_duration(text.substr(kEvery.size()));
    if (!duration) {
      return fmt::format("failed to parse duration {}: {}", text, duration.error().message);
    }
    times.every = *duration;
    return std::nullopt;
  }
  return fmt::format("unrecognized descriptor: {}", text);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(" \t\n\v\f\r", at);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(text.find_first_of(" \t\n\v\f\r", begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

}  // namespace

bool is_time_zone_name(std::string_view name) {
  constexpr std::size_t kPartBytesMax = 14;
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"._+-"}.contains(c);
  };
  for (bool more = true; more;) {
    const auto slash = name.find('/');
    const auto part = name.substr(0, slash);
    if (part.empty() || part.size() > kPartBytesMax || part == "." || part == ".." ||
        part.starts_with('-') || !std::ranges::all_of(part, good)) {
      return false;
    }
    more = slash != std::string_view::npos;
    name.remove_prefix(more ? slash + 1 : name.size());
  }
  return true;
}

bool is_time_zone(std::string_view name) {
  if (name == "UTC" || name == "Local") return true;
  return is_time_zone_name(name) && std::ranges::binary_search(kTimeZones, name);
}

namespace {

std::optional<std::string> take_schedule_apart(std::string_view schedule, CronTimes& times) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const auto space = schedule.find(' ');
    const auto begin = schedule.find('=') + 1;
    const auto zone = schedule.substr(begin, std::min(space, schedule.size()) - begin);
    if (!zone.empty() && !is_time_zone(zone)) {
      return fmt::format("provided bad location {0}: unknown time zone {0}", zone);
    }
    times.zone = zone;
    schedule = space == std::string_view::npos ? std::string_view{} : schedule.substr(space + 1);
  }
  if (schedule.starts_with('@')) {
    const auto known = std::ranges::find(kDescriptors, schedule, &Descriptor::name);
    if (known == kDescriptors.end()) return every_problem(schedule, times);
    schedule = known->fields;
  }
  const auto fields = words(schedule);
  if (fields.size() != kCronFields.size()) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                       fmt::join(fields, " "));
  }
  const std::array bits{&times.minutes, &times.hours, &times.days, &times.months, &times.weekdays};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (auto problem = field_problem(fields[i], kCronFields[i], *bits[i])) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> schedule_problem(std::string_view schedule) {
  CronTimes times;
  return take_schedule_apart(schedule, times);
}

std::optional<CronTimes> schedule_times(std::string_view schedule) {
  CronTimes times;
  if (take_schedule_apart(schedule, times)) return std::nullopt;
  return times;
}

}  // namespace fixpoint::kinds
