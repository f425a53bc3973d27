// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/pod_state.h"

#include "base/rfc3339.h"
#include "kube/meta/metadata.h"

#include <chrono>

namespace fixpoint::cluster {

std::string_view phase_of(json::View pod) {
  return pod.get("status", "phase").as_string();
}

bool is_finished(json::View pod) {
  const auto phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

bool is_active(json::View pod) {
  return !is_finished(pod) && !kube::being_deleted(pod);
}

bool is_ready(json::View pod) {
  return kube::condition_is_true(pod, "Ready");
}

std::optional<Instant> ready_since(json::View pod) {
  const json::View condition = kube::condition_of(pod, "Ready");
  if (condition.get("status").as_string() != "True") return std::nullopt;
  const auto since = parse_rfc3339(condition.get("lastTransitionTime").as_string());
  return since ? std::optional{*since} : std::nullopt;
}

bool is_available(json::View pod, std::int64_t min_ready_seconds, Instant now) {
  if (!is_ready(pod)) return false;
  if (min_ready_seconds == 0) return true;
  const auto since = ready_since(pod);
  return since && *since + std::chrono::seconds(min_ready_seconds) <= now;
}

std::optional<Instant> next_availability(const std::vector<store::RecordRef>& pods,
                                         std::int64_t min_ready_seconds, Instant now) {
  std::optional<Instant> first;
  if (min_ready_seconds == 0) return first;
  for (const auto& pod : pods) {
    const auto since = ready_since(pod->body);
    if (!since) continue;
    const Instant at = *since + std::chrono::seconds(min_ready_seconds);
    if (at > now && (!first || at < *first)) first = at;
  }
  return first;
}

}  // namespace fixpoint::cluster
