// SPDX-License-Identifier: Apache-2.0
//
// Loop: one thread that waits for sockets, timers and posted work, and owns all state behind them.
//
// A tick is: wait, handle what became ready, run due timers, then run the end-of-tick work. What is
// produced during a tick (a thousand watch events, say) is therefore written once per connection.
// At rest the loop sleeps in the kernel with no timeout but the next timer's.
// Only `post` and `stop` may be called from another thread; `stop` also from a signal handler.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

struct epoll_event;

namespace fixpoint::net {

using Task = std::move_only_function<void()>;

// Something with a file descriptor. `events` are epoll's bits.
class Pollable {
 public:
  virtual ~Pollable() = default;
  virtual void ready(std::uint32_t events) = 0;
};

struct TimerId {
  MonotonicInstant due{};
  std::uint64_t serial = 0;  // 0: no timer
  explicit operator bool() const { return serial != 0; }
  friend auto operator<=>(const TimerId&, const TimerId&) = default;
};

// The machine's clocks, for everybody who injects none.
const Clock& system_clock();

class Loop {
 public:
  // Aborts when the kernel gives no epoll or event descriptor: nothing can run without them.
  explicit Loop(const Clock& clock = system_clock());
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Ticks until `stop`. A stop that came before counts.
  void run();
  void stop() noexcept;
  // One tick that waits at most so long; true when there was anything to do.
  bool tick(Duration wait_max);
  // Ticks until `done()` holds; false when real time `limit` passed first.
  bool run_until(const std::function<bool()>& done, Duration limit);

  void post(Task task);
  // Runs after everything else of this tick (of the next one when called between ticks).
  void post_end_of_tick(Task task);

  // Runs once there is nothing else to do but to wait, or after kBusyMax of other work: for what is
  // the cheaper the more it has gathered.
  void post_when_idle(Task task);
  static constexpr Duration kBusyMax = std::chrono::milliseconds(1);

  TimerId after(Duration delay, Task task);
  // Forgets the timer; one that fired or was cancelled is no matter. Clears `id`.
  void cancel(TimerId& id);

  // When this tick woke up; good enough for deadlines and free to read.
  MonotonicInstant now() const { return now_; }
  const Clock& clock() const { return clock_; }

  // Takes the signal away from its default action and calls `handler` in the loop. Call it before
  // any thread is started, since the signal is blocked only here and in later threads.
  Result<void> on_signal(int signal, std::function<void()> handler);

  void watch(int fd, std::uint32_t events, Pollable& pollable);
  void change(int fd, std::uint32_t events, Pollable& pollable);
  // After this `pollable` is not called any more, not even for events already fetched.
  void unwatch(int fd, Pollable& pollable);

  // Scratch memory shared by all connections, since only one is served at any moment.
  struct Buffers;
  Buffers& buffers() { return *buffers_; }

 private:
  class Waker;
  class Signals;

  int wait_milliseconds(Duration wait_max) const;
  bool dispatch(int wait_ms);
  void run_posted();
  bool run_timers();
  bool run_end_of_tick();
  bool run_when_idle(bool busy);

  const Clock& clock_;
  MonotonicInstant now_;
  int epoll_ = -1;
  std::unique_ptr<Waker> waker_;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<Buffers> buffers_;
  std::atomic<bool> stopped_{false};
  std::map<TimerId, Task> timers_;
  std::uint64_t timer_serial_ = 0;
  std::vector<Task> end_of_tick_;
  std::vector<Task> when_idle_;
  MonotonicInstant busy_since_{};   // when the first of them was posted
  epoll_event* fetched_ = nullptr;  // events of the running tick that are not handled yet
  int fetched_count_ = 0;
  std::mutex posted_mutex_;  // guards posted_
  std::vector<Task> posted_;
};

}  // namespace fixpoint::net
