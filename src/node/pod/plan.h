// SPDX-License-Identifier: Apache-2.0
//
// decide: what a pod's containers should be doing now. A pure function of facts and time.
//
// Init containers run one after the other, each to its end, sidecars among them until they have
// started; then all others run at once. What ended is started again as the restart policy says,
// after a growing wait. A pod that is deleted, over its deadline or done has everything stopped:
// the regular containers first, then the sidecars from last to first.
// Read next: pod_worker.h, which carries the plan out.
#pragma once

#include "node/pod/facts.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::node {

struct StopStep {
  std::size_t container = 0;
  std::string message;  // of the event
  Duration grace{};     // from the beginning of the stop to SIGKILL
};

struct PodPlan {
  std::vector<std::size_t> start;
  std::vector<StopStep> stop;
  // Ended and waiting for their time: they are shown as CrashLoopBackOff.
  std::vector<std::size_t> backing_off;
  // Nothing is started any more: the pod is deleted, failed, or done.
  bool ending = false;
  // Ending, and nothing runs.
  bool ended = false;
  // It fails for a reason of the pod itself: DeadlineExceeded, Evicted.
  std::optional<Waiting> failure;
  // Time alone changes the answer then.
  std::optional<Instant> again;
};

PodPlan decide(const PodFacts& facts, Instant now);

// Will this container be started again after the way it ended?
bool restarts(const PodFacts& facts, const ContainerFacts& container);
// How long it still has to wait; nothing when it is not waiting.
std::optional<Instant> backing_off_until(const PodFacts& facts, const ContainerFacts& container,
                                         Instant now);
// All init containers are done and all sidecars started, or a regular container ever ran.
bool initialized(const PodFacts& facts);

}  // namespace fixpoint::node
