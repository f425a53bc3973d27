// SPDX-License-Identifier: Apache-2.0
//
// pick: the node a pod goes to, or the reasons why there is none.
//
// Nodes are tried in a circle that goes on where the last pod ended, and no more of them than
// Kubernetes would look at: with many nodes that fit, the best of a fair sample is good enough. The
// same pods in the same order on the same nodes always end up in the same places. Pods of lower
// priority are never evicted to make room (no preemption): a pod that would need it waits and says
// so.
#pragma once

#include "cluster/scheduler/board.h"
#include "cluster/scheduler/volume_needs.h"

#include <string>

namespace fixpoint::cluster::scheduler {

struct Verdict {
  std::string node;  // empty when there is none
  std::string why;   // then; in Kubernetes' words
};

// Where the circle goes on; the caller keeps it between pods.
struct Turn {
  std::size_t next = 0;
};

Verdict pick(json::View pod, const VolumeNeeds& volumes, Board& board, Turn& turn);

}  // namespace fixpoint::cluster::scheduler
