// SPDX-License-Identifier: Apache-2.0
//
// status.conditions of the workloads: one of each type, new ones last.
#pragma once

#include "base/clock.h"
#include "json/draft.h"

#include <string>
#include <string_view>

namespace fixpoint::cluster {

struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
};

// The condition of a type in a status; null when there is none.
const json::Draft* find_condition(const json::Draft& status, std::string_view type);
// A text of a condition; empty when it has none or there is no condition.
std::string_view condition_text(const json::Draft* condition, std::string_view field);
void remove_condition(json::Draft& status, std::string_view type);
// Leaves a condition that has this status and reason already as it is. One whose status stays keeps
// the time of its last transition.
void set_condition(json::Draft& status, const Condition& condition, Instant now);
// As set_condition, for kinds whose conditions also say when they were last updated.
void set_updated_condition(json::Draft& status, const Condition& condition, Instant now);

}  // namespace fixpoint::cluster
