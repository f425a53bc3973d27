// SPDX-License-Identifier: Apache-2.0
//
// Backoff: how long to wait before trying again, longer each time, forgiven after a quiet while.
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <algorithm>
#include <chrono>

namespace fixpoint::runtime {

class Backoff {
 public:
  struct Limits {
    Duration first = std::chrono::milliseconds(800);
    Duration longest = std::chrono::seconds(30);
    Duration quiet = std::chrono::minutes(2);  // this long without trouble, and it is forgotten
  };
  Backoff(Limits limits, Rng rng) : limits_(limits), rng_(rng), step_(limits.first) {}

  // Somewhere in the upper half of the step, so that many who failed together do not come back
  // together.
  Duration next(MonotonicInstant now) {
    if (now - last_ >= limits_.quiet) step_ = limits_.first;
    last_ = now;
    const auto wait = jittered(step_);
    step_ = std::min(step_ * 2, limits_.longest);
    return wait;
  }
  // Trouble, but with progress in between: the first step again.
  Duration first(MonotonicInstant now) {
    step_ = limits_.first;
    return next(now);
  }

 private:
  Duration jittered(Duration step) {
    const auto half = static_cast<std::uint64_t>(step.count() / 2);
    return Duration{static_cast<Duration::rep>(half + rng_.below(half + 1))};
  }

  Limits limits_;
  Rng rng_;
  Duration step_;
  MonotonicInstant last_{};
};

}  // namespace fixpoint::runtime
