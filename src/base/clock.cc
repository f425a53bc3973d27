// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include "base/error.h"

namespace fixpoint {

Instant SystemClock::wall() const {
  return std::chrono::system_clock::now();
}

MonotonicInstant SystemClock::monotonic() const {
  return std::chrono::steady_clock::now();
}

void VirtualClock::advance(Duration by) {
  FP_CHECK(by >= Duration::zero());
  wall_ += by;
  monotonic_ += by;
}

}  // namespace fixpoint
