// SPDX-License-Identifier: Apache-2.0
//
// From the old templates to the new one: rolling within bounds, or all at once.
#include "cluster/workloads/deployment_pass.h"
#include "cluster/workloads/pod_state.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

constexpr std::int64_t kKeepsAll = 2147483647;

std::int64_t sum(const std::vector<SetState*>& sets, auto&& of) {
  std::int64_t total = 0;
  for (const SetState* set : sets) total += of(*set);
  return total;
}

std::int64_t wanted(const std::vector<SetState*>& sets) {
  return sum(sets, [](const SetState& set) { return set.replicas; });
}

std::int64_t available(const std::vector<SetState*>& sets) {
  return sum(sets, [](const SetState& set) { return set.status("availableReplicas"); });
}

bool resize_newest(DeploymentPass& pass) {
  SetState& newest = *pass.newest;
  if (newest.replicas == pass.replicas()) return false;
  const auto size =
      newest.replicas > pass.replicas() ? pass.replicas() : new_set_replicas(pass, newest);
  return newest.replicas != size && pass.scale(newest, size);
}

// Pods that do not serve can go without making anything worse; they would block the rollout.
std::int64_t drop_unhealthy(DeploymentPass& pass, std::int64_t most) {
  std::int64_t dropped = 0;
  for (SetState* set : pass.old) {
    const auto unhealthy = set->replicas - set->status("availableReplicas");
    const auto count = std::min(most - dropped, unhealthy);
    if (set->replicas == 0 || count <= 0) continue;
    pass.scale(*set, set->replicas - count);
    dropped += count;
  }
  return dropped;
}

std::int64_t drop_available(DeploymentPass& pass) {
  const auto spare = available(pass.all()) - (pass.replicas() - pass.max_unavailable());
  std::int64_t dropped = 0;
  for (SetState* set : pass.old) {
    const auto count = std::min(set->replicas, spare - dropped);
    if (count <= 0) continue;
    pass.scale(*set, set->replicas - count);
    dropped += count;
  }
  return dropped;
}

bool shrink_old(DeploymentPass& pass) {
  if (wanted(pass.old) == 0) return false;
  // A set that tells of more than it wants has not yet heard of its new size: what is spare is not
  // known before it has.
  const bool behind = std::ranges::any_of(pass.old, [](const SetState* set) {
    return set->replicas > 0 && set->status("availableReplicas") > set->replicas;
  });
  if (behind) return false;
  const auto least = pass.replicas() - pass.max_unavailable();
  const auto missing_new = pass.newest->replicas - pass.newest->status("availableReplicas");
  const auto most = wanted(pass.all()) - least - missing_new;
  if (most <= 0) return false;
  const auto dropped = drop_unhealthy(pass, most);
  return dropped + drop_available(pass) > 0;
}

// Pods of other sets, or sets that believe they have some.
bool old_pods_run(const DeploymentPass& pass) {
  if (sum(pass.old, [](const SetState& set) { return set.status("replicas"); }) > 0) return true;
  const auto newest =
      pass.newest == nullptr ? std::string_view{} : kube::uid_of(pass.newest->seen());
  return std::ranges::any_of(pass.facts.pods, [&](const store::RecordRef& pod) {
    return !is_finished(pod->body) && (newest.empty() || !kube::owned_by(pod->body, newest));
  });
}

}  // namespace

void roll(DeploymentPass& pass) {
  sync_revision(pass, true);
  if (resize_newest(pass) || shrink_old(pass)) return;
  if (is_complete(pass, pass.deployment.get("status"))) delete_old_revisions(pass);
}

void recreate(DeploymentPass& pass) {
  sync_revision(pass, false);
  bool shrunk = false;
  for (SetState* set : pass.old) shrunk = (set->replicas > 0 && pass.scale(*set, 0)) || shrunk;
  if (shrunk || old_pods_run(pass)) return;
  if (pass.newest == nullptr) sync_revision(pass, true);
  if (pass.newest->replicas != pass.replicas()) pass.scale(*pass.newest, pass.replicas());
  if (is_complete(pass, pass.deployment.get("status"))) delete_old_revisions(pass);
}

void delete_old_revisions(DeploymentPass& pass) {
  const auto keep = pass.deployment.get("spec", "revisionHistoryLimit").as_int(kKeepsAll);
  std::vector<const SetState*> sets;
  std::ranges::copy_if(pass.old, std::back_inserter(sets),
                       [](const SetState* set) { return !kube::being_deleted(set->seen()); });
  const auto surplus = static_cast<std::int64_t>(sets.size()) - keep;
  if (keep == kKeepsAll || surplus <= 0) return;
  std::ranges::stable_sort(sets, {}, [](const SetState* set) { return revision_of(set->seen()); });
  for (std::int64_t i = 0; i < surplus; ++i) {
    const SetState& set = *sets[static_cast<std::size_t>(i)];
    const bool settled =
        kube::generation_of(set.seen()) <= set.seen().get("status", "observedGeneration").as_int();
    if (set.status("replicas") != 0 || set.replicas != 0 || !settled) continue;
    pass.decision.requests.push_back({.request = delete_request(kReplicaSets, set.seen()),
                                      .tolerates = Effect::Tolerates::Absence});
    ++pass.deletions;
  }
}

}  // namespace fixpoint::cluster
