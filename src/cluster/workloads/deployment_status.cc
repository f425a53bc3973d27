// SPDX-License-Identifier: Apache-2.0
//
// What a Deployment says of itself: counts from its sets, Available, Progressing, ReplicaFailure.
#include "base/rfc3339.h"
#include "cluster/workloads/conditions.h"
#include "cluster/workloads/deployment_pass.h"
#include "cluster/workloads/status_counts.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kAvailable = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";
constexpr std::string_view kPaused = "DeploymentPaused";

std::int64_t sum_of(const DeploymentPass& pass, std::string_view field) {
  std::int64_t sum = 0;
  for (const SetState* set : pass.all()) sum += set->status(field);
  return sum;
}

void fill_counts(DeploymentPass& pass) {
  auto& status = pass.status();
  const auto available = sum_of(pass, "availableReplicas");
  std::int64_t wanted = 0;
  for (const SetState* set : pass.all()) wanted += set->record ? set->before : set->replicas;
  status["observedGeneration"] = kube::generation_of(pass.deployment);
  set_count(status, "replicas", sum_of(pass, "replicas"));
  set_count(status, "updatedReplicas",
            pass.newest == nullptr ? 0 : pass.newest->status("replicas"));
  set_count(status, "readyReplicas", sum_of(pass, "readyReplicas"));
  set_count(status, "availableReplicas", available);
  set_count(status, "unavailableReplicas", std::max<std::int64_t>(0, wanted - available));
  const bool enough = available >= pass.replicas() - pass.max_unavailable();
  set_updated_condition(
      status,
      {.type = "Available",
       .status = enough ? "True" : "False",
       .reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
       .message = enough ? "Deployment has minimum availability."
                         : "Deployment does not have minimum availability."},
      pass.now);
}

bool complete(const DeploymentPass& pass, std::int64_t updated, std::int64_t replicas,
              std::int64_t available, std::int64_t observed) {
  return updated == pass.replicas() && replicas == pass.replicas() &&
         available == pass.replicas() && observed >= kube::generation_of(pass.deployment);
}

bool complete_now(DeploymentPass& pass) {
  const auto& status = pass.status();
  return complete(pass, count_of(status, "updatedReplicas"), count_of(status, "replicas"),
                  count_of(status, "availableReplicas"), count_of(status, "observedGeneration"));
}

// More new pods, fewer old ones, more that are ready or available than when last looked at.
bool progressed(DeploymentPass& pass) {
  const View before = pass.deployment.get("status");
  const auto& after = pass.status();
  const auto was = [&](std::string_view field) { return before.get(field).as_int(); };
  const auto is = [&](std::string_view field) { return count_of(after, field); };
  return is("updatedReplicas") > was("updatedReplicas") ||
         is("replicas") - is("updatedReplicas") < was("replicas") - was("updatedReplicas") ||
         is("readyReplicas") > was("readyReplicas") ||
         is("availableReplicas") > was("availableReplicas");
}

std::optional<Instant> deadline_of(DeploymentPass& pass) {
  const Draft* condition = find_condition(pass.status(), kProgressing);
  const auto since = parse_rfc3339(condition_text(condition, "lastUpdateTime"));
  if (!since) return std::nullopt;
  const auto seconds = pass.deployment.get("spec", "progressDeadlineSeconds").as_int();
  return *since + std::chrono::seconds(seconds);
}

bool timed_out(DeploymentPass& pass) {
  const auto reason = condition_text(find_condition(pass.status(), kProgressing), "reason");
  if (reason.empty() || reason == kAvailable) return false;
  if (reason == kTimedOut) return true;
  const auto deadline = deadline_of(pass);
  return deadline && *deadline < pass.now;
}

void set_progress(DeploymentPass& pass, std::string_view status, std::string_view reason,
                  std::string_view what) {
  const auto subject = pass.newest != nullptr
                           ? fmt::format("ReplicaSet \"{}\"", pass.newest->name)
                           : fmt::format("Deployment \"{}\"", kube::name_of(pass.deployment));
  set_updated_condition(pass.status(),
                        {.type = std::string{kProgressing},
                         .status = std::string{status},
                         .reason = std::string{reason},
                         .message = fmt::format("{} {}", subject, what)},
                        pass.now);
}

// Progress is told again and again under one reason, each time with a new time of update.
void renew_progress(DeploymentPass& pass) {
  const Draft* known = find_condition(pass.status(), kProgressing);
  const bool was_true = condition_text(known, "status") == "True";
  const std::string transition{condition_text(known, "lastTransitionTime")};
  remove_condition(pass.status(), kProgressing);
  set_progress(pass, "True", "ReplicaSetUpdated", "is progressing.");
  if (was_true) {
    auto& conditions = pass.status().array_at("conditions").elements();
    conditions.back()["lastTransitionTime"] = transition;
  }
}

void estimate_progress(DeploymentPass& pass) {
  const auto reason = condition_text(find_condition(pass.status(), kProgressing), "reason");
  const auto& status = pass.status();
  // Nothing is being rolled out: whatever changes now is no progress.
  if (reason == kAvailable && count_of(status, "replicas") == count_of(status, "updatedReplicas")) {
    return;
  }
  if (complete_now(pass)) {
    set_progress(pass, "True", kAvailable, "has successfully progressed.");
  } else if (progressed(pass)) {
    renew_progress(pass);
  } else if (timed_out(pass)) {
    set_progress(pass, "False", kTimedOut, "has timed out progressing.");
  }
}

// The new set's failure, else any other's.
View failure_of(const DeploymentPass& pass) {
  auto sets = pass.all();
  if (pass.newest != nullptr) std::ranges::rotate(sets, sets.end() - 1);
  for (const SetState* set : sets) {
    const View condition = kube::condition_of(set->seen(), "ReplicaFailure");
    if (!condition.is_null()) return condition;
  }
  return {};
}

void pass_on_failure(DeploymentPass& pass) {
  const View failure = failure_of(pass);
  auto& status = pass.status();
  if (failure.is_null()) return remove_condition(status, "ReplicaFailure");
  const Draft* known = find_condition(status, "ReplicaFailure");
  if (known != nullptr && condition_text(known, "status") == failure.get("status").as_string() &&
      condition_text(known, "reason") == failure.get("reason").as_string()) {
    return;
  }
  remove_condition(status, "ReplicaFailure");
  Draft condition{failure};
  condition["lastUpdateTime"] = failure.get("lastTransitionTime");
  status.array_at("conditions").push_back(std::move(condition));
}

}  // namespace

bool is_complete(const DeploymentPass& pass, View status) {
  return complete(pass, status.get("updatedReplicas").as_int(), status.get("replicas").as_int(),
                  status.get("availableReplicas").as_int(),
                  status.get("observedGeneration").as_int());
}

// The time of a pause does not count against the deadline.
void check_paused(DeploymentPass& pass) {
  if (!pass.has_deadline()) return;
  const auto reason = condition_text(find_condition(pass.status(), kProgressing), "reason");
  if (reason == kTimedOut) return;
  const bool paused = pass.deployment.get("spec", "paused").as_bool();
  if (paused == (reason == kPaused)) return;
  set_updated_condition(pass.status(),
                        {.type = std::string{kProgressing},
                         .status = "Unknown",
                         .reason = paused ? std::string{kPaused} : "DeploymentResumed",
                         .message = paused ? "Deployment is paused" : "Deployment is resumed"},
                        pass.now);
}

void write_counts(DeploymentPass& pass) {
  fill_counts(pass);
  pass.write();
}

void write_progress(DeploymentPass& pass) {
  fill_counts(pass);
  if (!pass.has_deadline()) {
    remove_condition(pass.status(), kProgressing);
  } else {
    estimate_progress(pass);
  }
  pass_on_failure(pass);
  pass.write();
  const auto reason = condition_text(find_condition(pass.status(), kProgressing), "reason");
  if (!pass.has_deadline() || reason.empty() || reason == kTimedOut || complete_now(pass)) return;
  // Times are whole seconds: one more, to be past the deadline.
  if (const auto deadline = deadline_of(pass)) {
    pass.decision.again = std::max(*deadline, pass.now) + std::chrono::seconds(1);
  }
}

}  // namespace fixpoint::cluster
