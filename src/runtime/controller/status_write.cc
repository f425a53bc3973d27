// SPDX-License-Identifier: Apache-2.0
//
// Comparing a status with a conclusion, and the patch between them.
#include "runtime/controller/status_write.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/patch/merge_patch.h"

#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::runtime {
namespace {

constexpr std::string_view kConditions = "conditions";
constexpr std::string_view kObservedGeneration = "observedGeneration";

bool is_ours_to_add(std::string_view key) {
  return key == kConditions || key == kObservedGeneration;
}

std::int64_t generation_of(json::View primary) {
  return primary.get("metadata", "generation").as_int();
}

std::string_view truth(const Condition& condition) {
  if (condition.unknown) return "Unknown";
  return condition.is_true ? "True" : "False";
}

// Absent is fine: the kind's schema may have no such field.
bool observed(json::View holder, std::int64_t generation) {
  const json::View seen = holder.get(kObservedGeneration);
  return generation == 0 || seen.is_null() || seen.as_int() == generation;
}

bool same_condition(json::View live, const Condition& wanted, std::int64_t generation) {
  return live.get("type").as_string() == wanted.type &&
         live.get("status").as_string() == truth(wanted) &&
         live.get("reason").as_string() == wanted.reason &&
         live.get("message").as_string() == wanted.message && observed(live, generation);
}

bool same_fields(json::View live, json::View wanted) {
  for (const auto [key, value] : wanted.members()) {
    if (!is_ours_to_add(key) && live.get(key) != value) return false;
  }
  for (const auto [key, value] : live.members()) {
    if (!is_ours_to_add(key) && !wanted.contains(key)) return false;
  }
  return true;
}

json::View find_condition(json::View conditions, std::string_view type) {
  for (const json::View condition : conditions.elements()) {
    if (condition.get("type").as_string() == type) return condition;
  }
  return {};
}

json::Draft condition_draft(const Condition& condition, json::View before, std::int64_t generation,
                            Instant now) {
  json::Draft draft = json::Draft::object();
  const bool same = before.get("status").as_string() == truth(condition);
  const std::string_view since = before.get("lastTransitionTime").as_string();
  draft["lastTransitionTime"] = same && !since.empty() ? std::string{since} : format_seconds(now);
  draft["message"] = condition.message;
  if (generation > 0) draft[kObservedGeneration] = generation;
  draft["reason"] = condition.reason;
  draft["status"] = truth(condition);
  draft["type"] = condition.type;
  return draft;
}

}  // namespace

bool says(json::View primary, const Conclusion& conclusion) {
  if (conclusion.status.is_null() && conclusion.conditions.empty()) return true;
  const json::View live = primary.get("status");
  const std::int64_t generation = generation_of(primary);
  if (!conclusion.status.is_null()) {
    if (live.empty() && !(conclusion.status.empty() && generation == 0)) return false;
    if (!same_fields(live, conclusion.status) || !observed(live, generation)) return false;
  }
  if (conclusion.conditions.empty()) return true;
  const json::View conditions = live.get(kConditions);
  if (conditions.size() != conclusion.conditions.size()) return false;
  auto at = conditions.elements().begin();
  for (const Condition& condition : conclusion.conditions) {
    if (!same_condition(*at, condition, generation)) return false;
    ++at;
  }
  return true;
}

json::Value wanted_status(json::View primary, const Conclusion& conclusion, Instant now) {
  const json::View live = primary.get("status");
  const std::int64_t generation = generation_of(primary);
  json::Draft status = conclusion.status.is_null()
                           ? (live.is_null() ? json::Draft::object() : json::Draft(live))
                           : json::Draft(conclusion.status);
  if (!conclusion.status.is_null() && generation > 0) status[kObservedGeneration] = generation;
  if (conclusion.conditions.empty()) {
    const json::View kept = live.get(kConditions);
    if (!kept.is_null()) status[kConditions] = kept;
    return status.freeze();
  }
  json::Draft conditions = json::Draft::array();
  for (const Condition& condition : conclusion.conditions) {
    conditions.push_back(condition_draft(
        condition, find_condition(live.get(kConditions), condition.type), generation, now));
  }
  status[kConditions] = std::move(conditions);
  return status.freeze();
}

json::Value status_patch(json::View primary, json::View wanted, Rules rules) {
  const json::View live = primary.get("status");
  const json::Value from = live.is_object() ? json::Value(live) : json::Value::empty_object();
  const json::Value difference = json::make_merge_patch(from, wanted);
  if (difference.empty() && rules.on(Rule::QuietFixpoint)) return {};
  json::Draft patch = json::Draft::object();
  patch["status"] = difference;
  if (rules.on(Rule::BoundToSnapshot)) {
    json::Draft& metadata = patch.object_at("metadata");
    metadata["resourceVersion"] = primary.get("metadata", "resourceVersion");
    metadata["uid"] = primary.get("metadata", "uid");
  }
  return patch.freeze();
}

}  // namespace fixpoint::runtime
