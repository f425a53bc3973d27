// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/policies.h"

#include "cluster/workloads/pod_state.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster::jobs {
namespace {

using json::View;

bool code_matches(View rule, std::int64_t code) {
  const auto values = rule.get("values").elements();
  const bool listed =
      std::ranges::any_of(values, [&](View value) { return value.as_int() == code; });
  const auto op = rule.get("operator").as_string();
  if (op == "In") return listed;
  return op == "NotIn" && !listed;
}

// The first container that ended with a code of the rule; null when none did.
View container_matching(View statuses, View rule) {
  for (const View status : statuses.elements()) {
    const View ended = status.get("state", "terminated");
    if (ended.is_null()) continue;
    const View wanted = rule.get("containerName");
    if (!wanted.is_null() && wanted.as_string() != status.get("name").as_string()) continue;
    const auto code = ended.get("exitCode").as_int();
    if (code != 0 && code_matches(rule, code)) return status;
  }
  return {};
}

View condition_matching(View pod, View patterns) {
  for (const View condition : pod.get("status", "conditions").elements()) {
    for (const View pattern : patterns.elements()) {
      if (condition.get("type") == pattern.get("type") &&
          condition.get("status") == pattern.get("status")) {
        return condition;
      }
    }
  }
  return {};
}

// What of the pod the rule matches, in words; nothing when it does not.
std::optional<std::string> match_of(View rule, View pod) {
  const auto named = fmt::format("{}/{}", kube::namespace_of(pod), kube::name_of(pod));
  if (const View codes = rule.get("onExitCodes"); !codes.is_null()) {
    View status = container_matching(pod.get("status", "containerStatuses"), codes);
    if (status.is_null()) {
      status = container_matching(pod.get("status", "initContainerStatuses"), codes);
    }
    if (status.is_null()) return std::nullopt;
    return fmt::format("Container {} for pod {} failed with exit code {}",
                       status.get("name").as_string(), named,
                       status.get("state", "terminated", "exitCode").as_int());
  }
  const View condition = condition_matching(pod, rule.get("onPodConditions"));
  if (condition.is_null()) return std::nullopt;
  return fmt::format("Pod {} has condition {}", named, condition.get("type").as_string());
}

FailureVerdict::Action action_named(std::string_view name) {
  using Action = FailureVerdict::Action;
  if (name == "Ignore") return Action::Ignore;
  if (name == "Count") return Action::Count;
  if (name == "FailIndex") return Action::FailIndex;
  return name == "FailJob" ? Action::FailJob : Action::None;
}

}  // namespace

bool only_replaces_failed(View job) {
  return job.get("spec", "podReplacementPolicy").as_string() == "Failed" ||
         !job.get("spec", "podFailurePolicy").is_null();
}

bool pod_failed(View job, View pod) {
  const auto phase = phase_of(pod);
  if (phase == "Failed") return true;
  return !only_replaces_failed(job) && kube::being_deleted(pod) && phase != "Succeeded";
}

FailureVerdict judge_failure(View job, View pod) {
  int index = 0;
  for (const View rule : job.get("spec", "podFailurePolicy", "rules").elements()) {
    const auto at = index++;
    const auto matched = match_of(rule, pod);
    if (!matched) continue;
    const auto name = rule.get("action").as_string();
    const auto action = action_named(name);
    if (action == FailureVerdict::Action::None) continue;
    return {.action = action,
            .message = fmt::format("{} matching {} rule at index {}", *matched, name, at)};
  }
  return {};
}

std::optional<std::string> success_by_policy(View job, const Indexes& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  const auto completions = job.get("spec", "completions").as_int();
  int index = 0;
  for (const View rule : job.get("spec", "successPolicy", "rules").elements()) {
    const auto at = index++;
    const View count = rule.get("succeededCount");
    auto have = succeeded.total();
    bool all = false;
    if (const View listed = rule.get("succeededIndexes"); !listed.is_null()) {
      const auto wanted = Indexes::parse(listed.as_string(), completions);
      if (wanted.empty()) continue;
      have = wanted.shared(succeeded);
      all = have == wanted.total();
    }
    if (all || (!count.is_null() && have >= count.as_int())) {
      return fmt::format("Matched rules at index {}", at);
    }
  }
  return std::nullopt;
}

}  // namespace fixpoint::cluster::jobs
