// SPDX-License-Identifier: Apache-2.0
//
// LoopScheduler and ThreadWorkers: the runtime's time and its blocking work in the shipped program.
#pragma once

#include "base/clock.h"
#include "net/loop.h"
#include "runtime/scheduler.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace fixpoint::runtime {

// The event loop's timers. `now` asks the clock each time: the fence of leader election must not
// believe the beginning of a tick.
class LoopScheduler final : public Scheduler {
 public:
  explicit LoopScheduler(net::Loop& loop) : loop_(loop) {}
  ~LoopScheduler() override;

  Instant wall() const override { return loop_.clock().wall(); }
  MonotonicInstant now() const override { return loop_.clock().monotonic(); }
  TimerSerial after(Duration delay, Task task) override;
  void cancel(TimerSerial timer) override;

 private:
  net::Loop& loop_;
  TimerSerial last_ = 0;
  std::unordered_map<TimerSerial, net::TimerId> timers_;
};

// Threads are started when there is work for them, and kept.
class ThreadWorkers final : public Workers {
 public:
  // Probes and effects at once: each waits for a machine elsewhere and takes no CPU here.
  static constexpr std::size_t kThreadsMax = 16;
  // Work that waits for a thread; more is answered Exhausted.
  static constexpr std::size_t kWaitingMax = 10'000;

  explicit ThreadWorkers(net::Loop& loop, std::size_t threads_max = kThreadsMax);
  // Waits for the work that runs, each of which has a deadline; nobody is called any more.
  ~ThreadWorkers() override;

  void run(Duration deadline, Work work, Done done) override;

 private:
  struct Job;
  void work();

  net::Loop& loop_;
  std::size_t threads_max_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the loop's thread only
  std::mutex mutex_;                                            // guards everything below
  std::condition_variable wakened_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace fixpoint::runtime
