// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/deployment.h"

#include "cluster/workloads/claim.h"
#include "cluster/workloads/conditions.h"
#include "cluster/workloads/deployment_pass.h"
#include "cluster/workloads/pod_template.h"
#include "json/parsing/parse.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/int_or_string.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

const kube::GroupVersionResource kDeployments{"apps", "v1", "deployments"};
constexpr std::string_view kReplicaSetPrefix = "replicasets.apps/";
// What progressDeadlineSeconds says when there is no deadline.
constexpr std::int64_t kNoDeadline = 2147483647;

bool is_rolling(View deployment) {
  return deployment.get("spec", "strategy", "type").as_string() == "RollingUpdate";
}

std::int64_t scaled(View value, std::int64_t total, kube::Rounding rounding) {
  if (value.is_null()) return 0;
  return kube::scaled_value(kube::IntOrString::from(value), total, rounding).value_or(0);
}

// A template that is not there, told from one that was refused.
bool refused_creation(const DeploymentFacts& facts) {
  return facts.refused && facts.refused->request.resource == kReplicaSets &&
         facts.refused->request.verb == apiserver::Verb::Create;
}

// The name of the new set is taken by another: the next one is hashed with a higher count.
void note_collision(DeploymentPass& pass) {
  auto& count = pass.status()["collisionCount"];
  count = count.as_int() + 1;
  pass.write();
}

void note_failed_creation(DeploymentPass& pass, const Refusal& refusal) {
  if (namespace_is_terminating(refusal) || !pass.has_deadline()) return;
  const auto refused = json::parse(refusal.request.body);
  const auto name = refused ? kube::name_of(*refused) : std::string_view{};
  set_updated_condition(pass.status(),
                        {.type = "Progressing",
                         .status = "False",
                         .reason = "ReplicaSetCreateError",
                         .message = fmt::format("Failed to create new replica set \"{}\": {}", name,
                                                message_of(refusal))},
                        pass.now);
  pass.write();
}

void select_nothing(DeploymentPass& pass) {
  pass.decision.notices.push_back(
      {.object = pass.deployment,
       .type = Notice::Type::Warning,
       .reason = "SelectingAll",
       .message = "This deployment is selecting all pods. A non-empty selector is required."});
  pass.status()["observedGeneration"] = kube::generation_of(pass.deployment);
  pass.write();
}

void decide_for(DeploymentPass& pass) {
  if (kube::being_deleted(pass.deployment)) {
    sync_revision(pass, false);
    return write_counts(pass);
  }
  check_paused(pass);
  const bool paused = pass.deployment.get("spec", "paused").as_bool();
  if (paused || is_scaling(pass)) {
    sync_revision(pass, false);
    scale_proportionally(pass);
    if (paused) delete_old_revisions(pass);
    return write_counts(pass);
  }
  if (is_rolling(pass.deployment)) {
    roll(pass);
  } else {
    recreate(pass);
  }
  write_progress(pass);
}

}  // namespace

std::string_view SetState::annotation(std::string_view key) const {
  const Draft* found = body.find("metadata", "annotations", key);
  return found == nullptr ? std::string_view{} : found->as_string();
}

DeploymentPass::DeploymentPass(const DeploymentFacts& given, Instant time)
    : facts(given), deployment(given.deployment->body), now(time), body(deployment) {}

std::int64_t DeploymentPass::replicas() const {
  return deployment.get("spec", "replicas").as_int(1);
}

Fenceposts fenceposts_of(View deployment) {
  if (!is_rolling(deployment)) return {};
  const View rolling = deployment.get("spec", "strategy", "rollingUpdate");
  const auto replicas = deployment.get("spec", "replicas").as_int(1);
  Fenceposts made{
      .surge = scaled(rolling.get("maxSurge"), replicas, kube::Rounding::Up),
      .unavailable = scaled(rolling.get("maxUnavailable"), replicas, kube::Rounding::Down)};
  if (made.surge == 0 && made.unavailable == 0) made.unavailable = 1;
  return made;
}

std::int64_t DeploymentPass::max_surge() const {
  return fenceposts_of(deployment).surge;
}

std::int64_t DeploymentPass::max_unavailable() const {
  return std::min(fenceposts_of(deployment).unavailable, replicas());
}

bool DeploymentPass::has_deadline() const {
  const View seconds = deployment.get("spec", "progressDeadlineSeconds");
  return !seconds.is_null() && seconds.as_int() != kNoDeadline;
}

std::vector<SetState*> DeploymentPass::all() const {
  auto sets = old;
  if (newest != nullptr) sets.push_back(newest);
  return sets;
}

void DeploymentPass::touch(SetState& set) {
  if (!std::exchange(set.changed, true)) order.push_back(&set);
}

bool DeploymentPass::scale(SetState& set, std::int64_t to) {
  const auto desired = std::to_string(replicas());
  const auto most = std::to_string(replicas() + max_surge());
  const bool sized = set.replicas != to;
  if (!sized && set.annotation(kDesiredReplicas) == desired &&
      set.annotation(kMaxReplicas) == most) {
    return false;
  }
  auto& annotations = set.body.object_at("metadata").object_at("annotations");
  annotations[kDesiredReplicas] = desired;
  annotations[kMaxReplicas] = most;
  set.replicas = to;
  set.body.object_at("spec")["replicas"] = to;
  touch(set);
  return sized;
}

void DeploymentPass::write() {
  for (const SetState* set : order) {
    const json::Value object = set->body.freeze();
    Effect effect{.request = set->record ? update_request(kReplicaSets, object)
                                         : create_request(kReplicaSets, object)};
    if (set->replicas != set->before) {
      effect.done = Notice{.object = deployment,
                           .reason = "ScalingReplicaSet",
                           .message = fmt::format("Scaled {} replica set {} from {} to {}",
                                                  set->before < set->replicas ? "up" : "down",
                                                  set->name, set->before, set->replicas)};
    }
    if (!set->record) {
      effect.refused = Notice{
          .object = deployment,
          .type = Notice::Type::Warning,
          .reason = "ReplicaSetCreateError",
          .message = fmt::format("Failed to create new replica set \"{}\": {{}}", set->name)};
    }
    decision.requests.insert(decision.requests.end() - deletions, std::move(effect));
  }
  const json::Value object = body.freeze();
  if (object == deployment) return;
  decision.requests.push_back({.request = update_request(kDeployments, object, "status")});
}

Decision decide(const DeploymentFacts& facts, Instant now) {
  DeploymentPass pass{facts, now};
  const View selector_object = pass.deployment.get("spec", "selector");
  const auto selector = kube::LabelSelector::from_object(selector_object);
  if (!selector) return {};
  if (selector->empty()) {
    select_nothing(pass);
    return std::move(pass.decision);
  }
  auto claimed = claim(pass.deployment, kReplicaSets, facts.sets,
                       [&](View set) { return selector->matches(kube::labels_of(set)); });
  pass.decision.requests = std::move(claimed.effects);
  std::ranges::sort(claimed.children, {}, [](const store::RecordRef& set) {
    return std::pair{kube::creation_timestamp_of(set->body), kube::name_of(set->body)};
  });
  for (const auto& set : claimed.children) {
    const auto replicas = set->body.get("spec", "replicas").as_int(1);
    auto& state = pass.states.emplace_back(SetState{.record = set,
                                                    .body = Draft{set->body},
                                                    .name = std::string{kube::name_of(set->body)},
                                                    .replicas = replicas,
                                                    .before = replicas});
    const bool current =
        same_template(set->body.get("spec", "template"), pass.deployment.get("spec", "template"));
    if (pass.newest == nullptr && current) {
      pass.newest = &state;
    } else {
      pass.old.push_back(&state);
    }
  }
  if (refused_creation(facts) && pass.newest == nullptr) {
    if (reason_of(*facts.refused) == "AlreadyExists") {
      note_collision(pass);
    } else {
      note_failed_creation(pass, *facts.refused);
    }
    return std::move(pass.decision);
  }
  decide_for(pass);
  return std::move(pass.decision);
}

DeploymentController::DeploymentController()
    : KeyedController({
          .name = "deployment-controller",
          .prefix = "deployments.apps/",
          .kind = {"apps", "Deployment"},
          .children = {kReplicaSetPrefix},
          .adopts = {kReplicaSetPrefix},
          .follows = {kPodPrefix}
}) {}

// Only Recreate waits for pods, and only for their end.
void DeploymentController::map(const store::Event& event, const Reader& reader,
                               KeyQueue& keys) const {
  if (event.after) return;
  const View pod = event.before->body;
  const auto owner = kube::controller_of(pod);
  if (!owner || owner->kind != "ReplicaSet") return;
  const auto set = reader.find(kReplicaSetPrefix, kube::namespace_of(pod), owner->name);
  if (!set) return;
  const auto deployment = kube::controller_of(set->body);
  if (!deployment || deployment->kind != "Deployment") return;
  const auto record = reader.find(key(kube::namespace_of(pod), deployment->name));
  if (record && !is_rolling(record->body)) keys.add(record->key);
}

Decision DeploymentController::pass(const Reader& reader, const Subject& subject,
                                    Instant now) const {
  if (!subject.record) return {};
  const View deployment = subject.record->body;
  DeploymentFacts facts{.deployment = subject.record,
                        .sets = reader.controlled(kube::uid_of(deployment), kReplicaSetPrefix),
                        .refused = subject.refused};
  if (!is_rolling(deployment)) {
    for (const auto& set : facts.sets) {
      const auto pods = reader.controlled(kube::uid_of(set->body), kPodPrefix);
      facts.pods.insert(facts.pods.end(), pods.begin(), pods.end());
    }
  }
  const auto orphans = reader.orphans(kReplicaSetPrefix, subject.parts.ns);
  facts.sets.insert(facts.sets.end(), orphans.begin(), orphans.end());
  return decide(facts, now);
}

}  // namespace fixpoint::cluster
