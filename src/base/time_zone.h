// SPDX-License-Identifier: Apache-2.0
//
// TimeZone: how far a place is from UTC at any moment, from the machine's own zone files.
//
// What the file lists holds until its last change; after that the rule at its end does, which says
// when in each year summer time begins and ends.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint {

class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // The content of a zone file (RFC 8536).
  static Result<TimeZone> parse(std::string_view bytes);
  std::chrono::seconds offset_at(Instant at) const {
    return offset_at(std::chrono::floor<std::chrono::seconds>(at));
  }
  // For years that an Instant does not reach.
  std::chrono::seconds offset_at(std::chrono::sys_seconds at) const;

 private:
  struct Change {
    std::chrono::sys_seconds at;
    std::chrono::seconds offset;
  };
  // "M3.2.0/2": the second Sunday of March, at two o'clock.
  struct YearDay {
    unsigned month = 1;
    unsigned week = 1;  // 5: the last
    unsigned weekday = 0;
    std::chrono::seconds time{7200};
    std::chrono::sys_seconds in(std::chrono::year year) const;
  };
  struct Rule {
    std::chrono::seconds standard{0};
    std::chrono::seconds summer{0};
    std::optional<YearDay> begins;  // summer time; nothing where there is none
    YearDay ends;
  };
  static std::optional<Rule> parse_rule(std::string_view text);
  static std::optional<YearDay> parse_day(std::string_view text);

  std::chrono::seconds first_{0};
  std::vector<Change> changes_;
  std::optional<Rule> rule_;
};

// Of the machine's files; "" is UTC, "Local" the machine's own. The message is Go's for one that is
// not there.
Result<TimeZone> load_time_zone(std::string_view name);

}  // namespace fixpoint
