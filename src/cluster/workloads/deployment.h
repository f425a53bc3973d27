// SPDX-License-Identifier: Apache-2.0
//
// Deployments: ReplicaSets, one for each template there has been, of which the newest grows while
// the others shrink within the bounds of the strategy.
//
// A pass claims the sets by label, finds or makes the one of today's template, then scales
// (deployment_scale.cc), rolls out (deployment_rollout.cc) or only tells (paused, being deleted),
// and ends with one write of the status (deployment_status.cc).
#pragma once

#include "cluster/keyed_controller.h"

#include <optional>
#include <vector>

namespace fixpoint::cluster {

struct DeploymentFacts {
  store::RecordRef deployment;         // never empty
  std::vector<store::RecordRef> sets;  // those it controls, and orphans of its namespace
  // Pods of the sets it controls; gathered only for Recreate, which waits for them to stop.
  std::vector<store::RecordRef> pods;
  std::optional<Refusal> refused;
};

Decision decide(const DeploymentFacts& facts, Instant now);

class DeploymentController final : public KeyedController {
 public:
  DeploymentController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster
