// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/conditions.h"

#include "base/rfc3339.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

using json::Draft;

bool has_type(const Draft& condition, std::string_view type) {
  const Draft* given = condition.find("type");
  return given != nullptr && given->as_string() == type;
}

void put(Draft& status, const Condition& condition, Instant now, bool with_update) {
  const std::string time = format_seconds(now);
  std::string transition = time;
  if (const Draft* known = find_condition(status, condition.type)) {
    if (condition_text(known, "status") == condition.status) {
      if (condition_text(known, "reason") == condition.reason) return;
      transition = std::string{condition_text(known, "lastTransitionTime")};
    }
    remove_condition(status, condition.type);
  }
  auto made = Draft::object({
      {"type",               condition.type  },
      {"status",             condition.status},
      {"lastTransitionTime", transition      }
  });
  if (with_update) made["lastUpdateTime"] = time;
  if (!condition.reason.empty()) made["reason"] = condition.reason;
  if (!condition.message.empty()) made["message"] = condition.message;
  status.array_at("conditions").push_back(std::move(made));
}

}  // namespace

const Draft* find_condition(const Draft& status, std::string_view type) {
  const Draft* conditions = status.find("conditions");
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  for (const Draft& condition : conditions->elements()) {
    if (has_type(condition, type)) return &condition;
  }
  return nullptr;
}

std::string_view condition_text(const Draft* condition, std::string_view field) {
  const Draft* given = condition == nullptr ? nullptr : condition->find(field);
  return given == nullptr ? std::string_view{} : given->as_string();
}

void remove_condition(Draft& status, std::string_view type) {
  Draft* conditions = status.find("conditions");
  if (conditions == nullptr || !conditions->is_array()) return;
  std::erase_if(conditions->elements(),
                [&](const Draft& condition) { return has_type(condition, type); });
  if (conditions->empty()) status.erase("conditions");
}

void set_condition(Draft& status, const Condition& condition, Instant now) {
  put(status, condition, now, false);
}

void set_updated_condition(Draft& status, const Condition& condition, Instant now) {
  put(status, condition, now, true);
}

}  // namespace fixpoint::cluster
