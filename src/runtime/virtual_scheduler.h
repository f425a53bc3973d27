// SPDX-License-Identifier: Apache-2.0
//
// VirtualScheduler: time for tests and the verifier. Nothing happens until told; tasks of one
// instant run in the order in which they were asked for, so every run is the same run.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "runtime/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace fixpoint::runtime {

class VirtualScheduler final : public Scheduler {
 public:
  Instant wall() const override { return clock_.wall() + wall_step_; }
  MonotonicInstant now() const override { return clock_.monotonic(); }

  TimerSerial after(Duration delay, Task task) override {
    FP_CHECK(delay >= Duration::zero());
    const auto serial = ++last_;
    tasks_.emplace(std::pair{now() + delay, serial}, std::move(task));
    return serial;
  }

  void cancel(TimerSerial timer) override {
    std::erase_if(tasks_, [&](const auto& entry) { return entry.first.second == timer; });
  }

  // Runs everything that is due within `by`, also what becomes due on the way, and stands there.
  void advance(Duration by) {
    const auto until = now() + by;
    while (!tasks_.empty() && tasks_.begin()->first.first <= until) run_next();
    clock_.advance(until - now());
  }
  // Everything that is due now. Whoever asks for "now" again and again spins: that ends the test.
  void run_due(std::size_t tasks_max = kTasksMax) {
    for (std::size_t ran = 0; !tasks_.empty() && tasks_.begin()->first.first <= now(); ++ran) {
      FP_CHECK(ran < tasks_max);
      run_next();
    }
  }
  // Goes to the next task and runs it; false when nobody waits for anything.
  bool run_next() {
    if (tasks_.empty()) return false;
    auto next = tasks_.extract(tasks_.begin());
    if (next.key().first > now()) clock_.advance(next.key().first - now());
    next.mapped()();
    return true;
  }

  // How long until something happens by itself; nothing when nothing ever will.
  std::optional<Duration> next_in() const {
    if (tasks_.empty()) return std::nullopt;
    return tasks_.begin()->first.first - now();
  }
  std::size_t pending() const { return tasks_.size(); }

  // Somebody sets the machine's clock: the wall jumps, monotonic time does not notice.
  void step_wall(Duration by) { wall_step_ += by; }

 private:
  static constexpr std::size_t kTasksMax = 100'000;

  VirtualClock clock_;
  Duration wall_step_{};
  TimerSerial last_ = 0;
  std::map<std::pair<MonotonicInstant, TimerSerial>, Task> tasks_;
};

}  // namespace fixpoint::runtime
