// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/status.h"

#include "base/rfc3339.h"

#include <set>

namespace fixpoint::kinds {
namespace {

using json::Draft;

void check_condition(View condition, const FieldPath& path, FieldErrors& errors) {
  constexpr std::size_t kReasonMax = 1024;
  constexpr std::size_t kMessageMax = 32 * 1024;
  kube::note_problems(path.child("type"), condition.get("type").as_string(),
                      kube::qualified_name_problems, errors);
  check_one_of(condition.get("status"), path.child("status"), {"False", "True", "Unknown"}, errors);
  if (const View generation = condition.get("observedGeneration"); generation.as_int() < 0) {
    note_invalid(path.child("observedGeneration"), generation,
                 "must be greater than or equal to zero", errors);
  }
  if (condition.get("lastTransitionTime").is_null()) {
    note_required(path.child("lastTransitionTime"), errors);
  }
  const auto reason = condition.get("reason").as_string();
  if (reason.empty()) {
    note_required(path.child("reason"), errors);
  } else {
    kube::note_problems(path.child("reason"), reason, kube::condition_reason_problems, errors);
    if (reason.size() > kReasonMax) {
      errors.push_back(kube::too_long(path.child("reason"), kReasonMax));
    }
  }
  if (condition.get("message").as_string().size() > kMessageMax) {
    errors.push_back(kube::too_long(path.child("message"), kMessageMax));
  }
}

}  // namespace

void validate_conditions(View conditions, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = path.index(i);
    const View type = conditions[i].get("type");
    if (!seen.insert(type.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("type"), type));
    }
    check_condition(conditions[i], here, errors);
  }
}

FieldErrors validate_disruption_budget_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath path{"status"};
  const View status = object.get("status");
  validate_conditions(status.get("conditions"), path.child("conditions"), errors);
  for (const std::string_view field :
       {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
    check_nonnegative(status.get(field), path.child(field), errors);
  }
  return errors;
}

void check_node_amounts(View node, FieldErrors& errors) {
  const FieldPath path{"status"};
  for (const std::string_view list : {"capacity", "allocatable"}) {
    const FieldPath list_path = path.child(list);
    for (const auto [name, amount] : node.get("status", list).members()) {
      check_resource_amount(name, amount, list_path.child(name), errors);
    }
  }
}

FieldErrors validate_node_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath path{"status"};
  check_node_amounts(object, errors);
  const FieldPath addresses_path = path.child("addresses");
  const View addresses = object.get("status", "addresses");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!(addresses[i] == addresses[j])) continue;
      // Printed with Go's names.
      auto error = kube::duplicate(addresses_path.index(i), addresses[i]);
      error.value = "{\"Type\":" + kube::shown(addresses[i].get("type").as_string()) +
                    ",\"Address\":" + kube::shown(addresses[i].get("address").as_string()) + "}";
      errors.push_back(std::move(error));
      break;
    }
  }
  return errors;
}

void check_collisions(View object, View old_object, FieldErrors& errors) {
  const View before = old_object.get("status", "collisionCount");
  if (before.is_null()) return;
  const auto now = object.get("status", "collisionCount").as_int();
  if (now >= before.as_int()) return;
  const FieldPath status{"status"};
  errors.push_back(
      kube::invalid(status.child("collisionCount"), std::to_string(now), "cannot be decremented"));
}

void prepare_volume_status(Draft& volume, View old_volume, const HookContext& context) {
  Draft& status = volume.object_at("status");
  const View before = old_volume.get("status");
  const Draft* phase = status.find("phase");
  const Draft* time = status.find("lastPhaseTransitionTime");
  const View old_time = before.get("lastPhaseTransitionTime");
  const bool same_phase = (phase == nullptr ? std::string_view{} : phase->as_string()) ==
                          before.get("phase").as_string();
  const bool timed = time != nullptr && !time->is_null();
  if (same_phase) {
    if (!timed && !old_time.is_null()) status["lastPhaseTransitionTime"] = Draft{old_time};
  } else if (!timed || time->as_string() == old_time.as_string()) {
    status["lastPhaseTransitionTime"] = format_seconds(context.now);
  }
}

void drop_node_config(Draft& node, View old_node, const HookContext&) {
  if (old_node.get("status").contains("config")) return;
  if (Draft* status = node.find("status"); status != nullptr && status->is_object()) {
    status->erase("config");
  }
}

void drop_terminating_replicas(Draft& object, View, const HookContext&) {
  if (Draft* status = object.find("status"); status != nullptr && status->is_object()) {
    status->erase("terminatingReplicas");
  }
}

}  // namespace fixpoint::kinds
