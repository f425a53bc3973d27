// SPDX-License-Identifier: Apache-2.0
//
// Scheduler and Workers: time and blocking work, as the single-threaded runtime sees them.
//
// In the shipped program both are the event loop's; tests and the verifier give their own, where
// time moves when told to and blocking work is answered in any order.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"

#include <cstdint>
#include <functional>

namespace fixpoint::runtime {

using TimerSerial = std::uint64_t;  // 0: no timer

class Scheduler {
 public:
  using Task = std::move_only_function<void()>;
  virtual ~Scheduler() = default;

  virtual Instant wall() const = 0;
  virtual MonotonicInstant now() const = 0;
  virtual TimerSerial after(Duration delay, Task task) = 0;
  virtual void cancel(TimerSerial timer) = 0;
};

// Runs `work` where it may block and then `done` on the runtime's thread. Work whose deadline
// passed is answered Unavailable at once; what it returns later is dropped.
class Workers {
 public:
  using Work = std::move_only_function<Result<json::Value>()>;
  using Done = std::move_only_function<void(Result<json::Value>)>;
  virtual ~Workers() = default;
  virtual void run(Duration deadline, Work work, Done done) = 0;
};

}  // namespace fixpoint::runtime
