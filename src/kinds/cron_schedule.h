// SPDX-License-Identifier: Apache-2.0
//
// When a cron job runs: the grammar of schedules, and the names of time zones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

// What is wrong with a schedule of five fields or a @descriptor; nothing when it is fine.
std::optional<std::string> schedule_problem(std::string_view schedule);

// Whether it has the form of a zone's name.
bool is_time_zone_name(std::string_view name);
// Whether there is such a zone. They are a table: what the machine has installed must not matter.
bool is_time_zone(std::string_view name);

}  // namespace fixpoint::kinds
