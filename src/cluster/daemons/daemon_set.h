// SPDX-License-Identifier: Apache-2.0
//
// DaemonSets: one pod on every node that it may run on.
//
// A pod is meant for its node by an affinity, and the scheduler binds it. Which template a pod is
// of is a ControllerRevision (controller_revision.h). A rolling update replaces pods a few nodes at
// a time: the old one goes first, or, with a surge, when the new one is available. A pod that
// failed is replaced after a pause that grows.
#pragma once

#include "cluster/keyed_controller.h"

#include <optional>
#include <vector>

namespace fixpoint::cluster::daemons {

// A pass makes and deletes no more pods than this, as a real controller.
inline constexpr std::size_t kPodsPerPass = 250;

struct DaemonSetFacts {
  store::RecordRef set;                     // never empty
  std::vector<store::RecordRef> pods;       // those it controls, and orphans of its namespace
  std::vector<store::RecordRef> revisions;  // the same
  std::vector<store::RecordRef> nodes;      // all there are
  std::optional<Refusal> refused;
  json::Value memory;  // the pauses of nodes on which pods failed
};

Decision decide(const DaemonSetFacts& facts, Instant now);

class DaemonSetController final : public KeyedController {
 public:
  DaemonSetController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster::daemons
