// SPDX-License-Identifier: Apache-2.0
//
// ReplicaSets (and ReplicationControllers, which differ only in name): so many pods of one
// template, whichever they are.
//
// Pods are adopted by label and let go by label; the surplus goes in the order of pod_ranking.h;
// creations stop at the first refusal, which becomes the condition ReplicaFailure.
#pragma once

#include "cluster/keyed_controller.h"

#include <optional>
#include <vector>

namespace fixpoint::cluster {

// A pass makes or deletes no more pods than this, as a real controller: the next one follows at
// once, and others have their turn in between.
inline constexpr std::size_t kReplicasPerPass = 500;

struct ReplicaSetFacts {
  kube::GroupVersionResource resource;   // of the set: ReplicaSet or ReplicationController
  store::RecordRef set;                  // never empty
  std::vector<store::RecordRef> pods;    // those it controls, and orphans of its namespace
  std::vector<store::RecordRef> family;  // active pods of the sets with the same controller
  std::optional<Refusal> refused;
};

Decision decide(const ReplicaSetFacts& facts, Instant now);

class ReplicaSetController final : public KeyedController {
 public:
  enum class Kind : std::uint8_t { ReplicaSet, ReplicationController };
  explicit ReplicaSetController(Kind kind);

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  Result<kube::LabelSelector> selector_of(json::View object) const override;

  Kind kind_;
};

}  // namespace fixpoint::cluster
