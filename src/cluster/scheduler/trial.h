// SPDX-License-Identifier: Apache-2.0
//
// Trial: one pod held against the nodes, filter by filter.
//
// What concerns all nodes is reckoned once, when the trial begins; asking about a node is then a
// few comparisons. The filters, their order and their words are Kubernetes' own, since a person
// reads them in the pod's condition.
#pragma once

#include "cluster/scheduler/board.h"
#include "cluster/scheduler/pod_needs.h"
#include "cluster/scheduler/volume_needs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::cluster::scheduler {

// Why a node will not do. Whether other pods leaving would help tells a final objection from one
// that preemption might lift.
struct Objection {
  std::vector<std::string> reasons;
  bool final = true;
};

class Trial {
 public:
  Trial(const PodNeeds& needs, json::View pod, Board& board, const VolumeNeeds& volumes);

  std::optional<Objection> refused_by(Slot slot) const;
  // Scores of the nodes that will do, in their order; the higher the better.
  std::vector<std::int64_t> scores(const std::vector<Slot>& fitting) const;

 private:
  // Pods of a set, by domain of a label.
  struct Measured {
    const Domains* domains = nullptr;
    Counts sums;

    // Nothing where the node has no such label.
    std::optional<std::uint32_t> at(Slot slot) const;
  };
  struct Spread {
    const SpreadConstraint* constraint = nullptr;
    Measured measured;
    std::uint32_t fewest = 0;
    std::size_t domains = 0;  // that count
  };

  Measured measure(std::string_view key, const PodSet& set);
  Spread measure_spread(const SpreadConstraint& constraint);
  bool counts_for(const SpreadConstraint& constraint, const NodeState& node) const;
  void measure_near();
  void measure_held(json::View pod);

  std::optional<Objection> refused_by_taints(const NodeState& node) const;
  std::optional<Objection> refused_by_amounts(const NodeState& node) const;
  bool port_taken(const NodeState& node) const;
  std::optional<Objection> refused_by_spread(Slot slot) const;
  std::optional<Objection> refused_by_neighbours(Slot slot) const;

  std::int64_t taint_score(const NodeState& node) const;
  std::int64_t affinity_score(const NodeState& node) const;
  std::int64_t amount_score(const NodeState& node) const;
  std::int64_t neighbour_score(Slot slot) const;
  double spread_score(Slot slot) const;

  const PodNeeds& needs_;
  Board& board_;
  const VolumeNeeds& volumes_;
  std::vector<Measured> near_;
  bool first_of_its_kind_ = false;  // nobody matches its own terms yet, but itself
  std::vector<Measured> away_;
  std::vector<Measured> unwelcome_;  // by the terms of pods already there
  std::vector<Spread> must_spread_;
  std::vector<Spread> may_spread_;
  std::vector<std::pair<Measured, std::int64_t>> preferences_;
};

}  // namespace fixpoint::cluster::scheduler
