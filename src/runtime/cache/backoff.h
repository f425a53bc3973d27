// SPDX-License-Identifier: Apache-2.0
//
// Backoff: how long to wait before trying again, longer each time until it is forgiven.
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <algorithm>
#include <chrono>

namespace fixpoint::runtime {

class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(800);
  static constexpr Duration kLongest = std::chrono::seconds(30);

  explicit Backoff(Rng rng) : rng_(rng) {}

  // Somewhere in the upper half of the step, so that many who failed together do not come back
  // together.
  Duration next() {
    const auto half = static_cast<std::uint64_t>(step_.count() / 2);
    step_ = std::min(step_ * 2, kLongest);
    return Duration{static_cast<Duration::rep>(half + rng_.below(half + 1))};
  }
  // There was progress since the last trouble: the next begins with the first step again.
  void forgive() { step_ = kFirst; }

 private:
  Rng rng_;
  Duration step_ = kFirst;
};

}  // namespace fixpoint::runtime
