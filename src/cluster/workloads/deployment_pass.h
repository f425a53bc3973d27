// SPDX-License-Identifier: Apache-2.0
//
// DeploymentPass: a Deployment and its ReplicaSets while they are being decided upon. Changes are
// made to drafts here; requests come of them at the end, one for each object.
// Nothing here is for others: deployment.h is the door.
#pragma once

#include "cluster/workloads/deployment.h"
#include "json/draft.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

inline const kube::GroupVersionResource kReplicaSets{"apps", "v1", "replicasets"};
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.rollbackTo";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

// One ReplicaSet: what there is, and what it is to become.
struct SetState {
  store::RecordRef record;  // empty: it is to be made
  json::Draft body;
  std::string name;
  std::int64_t replicas = 0;  // wanted, as changed by this pass
  std::int64_t before = 0;    // wanted, as it was
  bool changed = false;

  json::View seen() const { return record ? json::View{record->body} : json::View{}; }
  std::int64_t status(std::string_view field) const { return seen().get("status", field).as_int(); }
  std::string_view annotation(std::string_view key) const;
};

struct DeploymentPass {
  DeploymentPass(const DeploymentFacts& given, Instant time);

  const DeploymentFacts& facts;
  json::View deployment;  // as it was read
  Instant now;
  json::Draft body;              // as it is to be: annotations and status
  std::deque<SetState> states;   // oldest first; a deque, so that pointers stay
  SetState* newest = nullptr;    // of today's template, if there is one
  std::vector<SetState*> old;    // all others, oldest first
  std::vector<SetState*> order;  // of their first change
  Decision decision;
  std::ptrdiff_t deletions = 0;  // the last requests of the decision: they come after all changes

  std::int64_t replicas() const;  // spec.replicas
  std::int64_t max_surge() const;
  std::int64_t max_unavailable() const;
  bool has_deadline() const;
  json::Draft& status() { return body.object_at("status"); }
  std::vector<SetState*> all() const;  // old ones, then the newest

  // Sizes the set and tells so; also keeps its notes of the Deployment's size up to date.
  bool scale(SetState& set, std::int64_t to);
  void touch(SetState& set);
  // Ends the pass: one request for each object that changed.
  void write();
};

// The bounds of a rolling update; both 0 would never end, so one may then be missing.
struct Fenceposts {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};
Fenceposts fenceposts_of(json::View deployment);

// deployment_revision.cc: finds the set of today's template, gives it its revision and annotations;
// makes it when it is missing and `create` says so.
void sync_revision(DeploymentPass& pass, bool create);
// Equal but for the hash label.
bool same_template(json::View a, json::View b);
std::int64_t revision_of(json::View set);

// deployment_scale.cc
bool is_scaling(const DeploymentPass& pass);
void scale_proportionally(DeploymentPass& pass);
// How many the new set should have, within the surge.
std::int64_t new_set_replicas(const DeploymentPass& pass, const SetState& newest);

// deployment_rollout.cc
void roll(DeploymentPass& pass);
void recreate(DeploymentPass& pass);
void delete_old_revisions(DeploymentPass& pass);

// deployment_status.cc
void check_paused(DeploymentPass& pass);
void write_counts(DeploymentPass& pass);
void write_progress(DeploymentPass& pass);
bool is_complete(const DeploymentPass& pass, json::View status);

}  // namespace fixpoint::cluster
