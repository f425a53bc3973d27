// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/replica_set.h"

#include "cluster/workloads/claim.h"
#include "cluster/workloads/conditions.h"
#include "cluster/workloads/pod_ranking.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "cluster/workloads/status_counts.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <utility>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

constexpr std::string_view kReplicaFailure = "ReplicaFailure";

Result<kube::LabelSelector> selector_in(const kube::GroupVersionResource& resource, View object) {
  const View selector = object.get("spec", "selector");
  if (resource.group.empty()) return kube::LabelSelector::from_labels(selector);
  return kube::LabelSelector::from_object(selector);
}

std::size_t wanted_pods(View set) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, set.get("spec", "replicas").as_int(1)));
}

// What kept the last pass from making or deleting pods.
const Refusal* failure_in(const ReplicaSetFacts& facts) {
  if (!facts.refused || facts.refused->request.resource != kPodResource) return nullptr;
  const auto verb = facts.refused->request.verb;
  const bool manages = verb == apiserver::Verb::Create || verb == apiserver::Verb::Delete;
  return manages ? &*facts.refused : nullptr;
}

// The selector that a pod with all labels of the template matches.
kube::LabelSelector template_labels(View set) {
  return kube::LabelSelector::from_labels(set.get("spec", "template", "metadata", "labels"));
}

void set_failure(Draft& status, const ReplicaSetFacts& facts, std::size_t active, Instant now) {
  const Refusal* failure = failure_in(facts);
  if (failure == nullptr) return remove_condition(status, kReplicaFailure);
  if (namespace_is_terminating(*failure) || find_condition(status, kReplicaFailure) != nullptr) {
    return;
  }
  const bool creates = active < wanted_pods(facts.set->body);
  set_condition(status,
                {.type = std::string{kReplicaFailure},
                 .status = "True",
                 .reason = creates ? "FailedCreate" : "FailedDelete",
                 .message = std::string{message_of(*failure)}},
                now);
}

json::Value new_status(const ReplicaSetFacts& facts, const std::vector<store::RecordRef>& active,
                       Instant now) {
  const View set = facts.set->body;
  const auto min_ready = set.get("spec", "minReadySeconds").as_int();
  const auto full = template_labels(set);
  std::int64_t labelled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  for (const auto& pod : active) {
    if (full.matches(kube::labels_of(pod->body))) ++labelled;
    if (is_ready(pod->body)) ++ready;
    if (is_available(pod->body, min_ready, now)) ++available;
  }
  Draft status{set.get("status")};
  if (!status.is_object()) status = Draft::object();
  set_failure(status, facts, active.size(), now);
  status["replicas"] = static_cast<std::int64_t>(active.size());
  set_count(status, "fullyLabeledReplicas", labelled);
  set_count(status, "readyReplicas", ready);
  set_count(status, "availableReplicas", available);
  status["observedGeneration"] = kube::generation_of(set);
  return status.freeze();
}

void write_status(const ReplicaSetFacts& facts, const std::vector<store::RecordRef>& active,
                  Instant now, Decision& decision) {
  const json::Value status = new_status(facts, active, now);
  if (status == facts.set->body.get("status")) return;
  Draft set{facts.set->body};
  set["status"] = status;
  const json::Value body = set.freeze();
  decision.requests.push_back({.request = update_request(facts.resource, body, "status")});
}

void create_missing_pods(View set, std::size_t count, Decision& decision) {
  const json::Value pod = pod_from_template(set, set.get("spec", "template")).freeze();
  const std::string body = json::to_text(pod);
  for (std::size_t i = 0; i < count; ++i) decision.requests.push_back(create_pod(set, body));
}

void manage(const ReplicaSetFacts& facts, const std::vector<store::RecordRef>& active, Instant now,
            Decision& decision) {
  const View set = facts.set->body;
  const auto wanted = wanted_pods(set);
  if (active.size() < wanted) {
    return create_missing_pods(set, std::min(wanted - active.size(), kReplicasPerPass), decision);
  }
  const auto surplus = std::min(active.size() - wanted, kReplicasPerPass);
  if (surplus == 0) return;
  for (const auto& pod : first_to_delete(active, facts.family, surplus, now)) {
    decision.requests.push_back(delete_pod(set, pod->body));
  }
}

}  // namespace

Decision decide(const ReplicaSetFacts& facts, Instant now) {
  Decision decision;
  const View set = facts.set->body;
  const auto selector = selector_in(facts.resource, set);
  if (!selector) return decision;
  std::vector<store::RecordRef> candidates;
  std::ranges::copy_if(facts.pods, std::back_inserter(candidates),
                       [](const auto& pod) { return is_active(pod->body); });
  auto claimed = claim(set, kPodResource, candidates,
                       [&](View pod) { return selector->matches(kube::labels_of(pod)); });
  decision.requests = std::move(claimed.effects);
  const auto& active = claimed.children;
  if (!kube::being_deleted(set) && failure_in(facts) == nullptr) {
    manage(facts, active, now, decision);
  }
  write_status(facts, active, now, decision);
  decision.again = next_availability(active, set.get("spec", "minReadySeconds").as_int(), now);
  // What this pass leaves over is the next one's, at once.
  const auto missing =
      std::max(active.size(), wanted_pods(set)) - std::min(active.size(), wanted_pods(set));
  if (missing > kReplicasPerPass) decision.again = now;
  return decision;
}

namespace {

KeyedController::Declaration declaration_of(ReplicaSetController::Kind kind) {
  if (kind == ReplicaSetController::Kind::ReplicaSet) {
    return {
        .name = "replicaset-controller",
        .prefix = "replicasets.apps/",
        .kind = {"apps", "ReplicaSet"},
        .children = {kPodPrefix},
        .adopts = {kPodPrefix}
    };
  }
  return {
      .name = "replication-controller",
      .prefix = "replicationcontrollers/",
      .kind = {"", "ReplicationController"},
      .children = {kPodPrefix},
      .adopts = {kPodPrefix}
  };
}

kube::GroupVersionResource resource_of_kind(ReplicaSetController::Kind kind) {
  if (kind == ReplicaSetController::Kind::ReplicaSet) return {"apps", "v1", "replicasets"};
  return {"", "v1", "replicationcontrollers"};
}

// Only a surplus needs to know who else is about.
std::vector<store::RecordRef> family_of(const Reader& reader, View set, std::string_view prefix) {
  std::vector<store::RecordRef> family;
  const auto owner = kube::controller_of(set);
  if (!owner) return family;
  for (const auto& sibling : reader.controlled(owner->uid, prefix)) {
    const auto pods = reader.controlled(kube::uid_of(sibling->body), kPodPrefix);
    family.insert(family.end(), pods.begin(), pods.end());
  }
  return family;
}

}  // namespace

ReplicaSetController::ReplicaSetController(Kind kind)
    : KeyedController(declaration_of(kind)), kind_(kind) {}

Result<kube::LabelSelector> ReplicaSetController::selector_of(View object) const {
  return selector_in(resource_of_kind(kind_), object);
}

Decision ReplicaSetController::pass(const Reader& reader, const Subject& subject,
                                    Instant now) const {
  if (!subject.record) return {};
  const View set = subject.record->body;
  ReplicaSetFacts facts{.resource = resource_of_kind(kind_),
                        .set = subject.record,
                        .pods = reader.controlled(kube::uid_of(set), kPodPrefix),
                        .refused = subject.refused};
  const auto orphans = reader.orphans(kPodPrefix, subject.parts.ns);
  facts.pods.insert(facts.pods.end(), orphans.begin(), orphans.end());
  if (facts.pods.size() > wanted_pods(set)) {
    facts.family = family_of(reader, set, subject.parts.prefix);
  }
  return decide(facts, now);
}

}  // namespace fixpoint::cluster
