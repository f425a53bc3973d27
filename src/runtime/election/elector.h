// SPDX-License-Identifier: Apache-2.0
//
// Elector: one process of several leads, by a Lease that all of them try to hold.
//
// A machine over Client and Scheduler without threads: reads the Lease, takes it when nobody holds
// it, and renews it by PUT with the resourceVersion it knows, so that of two writers one is told.
// Invariants:
// - Times of other machines are never compared. A holder counts as gone when *we* have seen its
//   record unchanged for the time it asked for, on our own monotonic clock.
// - may_write() is true only within `renew_deadline` of the *sending* of a renewal that succeeded.
//   Nobody can have seen that renewal earlier, and everybody waits longer (`lease`): so it is false
//   before anybody else leads, also in a process that was stopped and woke up, because it is asked
//   before each write and looks at the clock then. A machine that slept may have a monotonic clock
//   that slept too; its wall clock did not, so a wall clock that ran ahead closes the fence until
//   the next renewal as well.
// - A clean stop gives the lease back, after the fence was closed.
// Read next: manager/manager.h, which keeps the caches of those who do not lead warm.
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "client/client.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/scheduler.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

struct ElectionOptions {
  kube::Key lease;
  std::string identity;  // unique to this process, e.g. host name and random digits
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  // A try follows the last after retry_period times 1 … this, so that candidates drift apart.
  double jitter = 1.2;
};
// Invalid unless lease > renew deadline > jittered retry period, each at least a millisecond.
Result<void> check(const ElectionOptions& options);

class Elector {
 public:
  struct Handlers {
    std::function<void()> on_leading;
    // Not called for a clean stop.
    std::function<void(std::string_view why)> on_lost;
    // Somebody else holds the lease now.
    std::function<void(std::string_view holder)> on_other;
    // A try failed; said once until a try succeeds.
    std::function<void(std::string_view problem)> on_problem;
  };
  Elector(client::Client& client, Scheduler& scheduler, Rng rng, ElectionOptions options,
          Handlers handlers);
  ~Elector();
  Elector(const Elector&) = delete;
  Elector& operator=(const Elector&) = delete;

  void start();
  // Closes the fence, gives the lease back if it is held, and calls `done` (also when that failed:
  // the lease then runs out by itself).
  void stop(std::move_only_function<void()> done);

  bool leads() const { return leading_; }
  // The fence: ask before every write.
  bool may_write() const;
  const std::string& holder() const { return seen_.holder; }
  const ElectionOptions& options() const { return options_; }

 private:
  struct Seen {
    json::Value lease;  // the whole object, whose other fields are kept
    json::Value spec;
    std::string holder;
    MonotonicInstant at{};  // when this spec was first seen here
    bool known = false;
  };
  struct Proof {
    MonotonicInstant sent{};
    Instant wall{};
  };

  void schedule_try(Duration delay);
  void attempt();
  void read();
  void read_answered(client::Reply reply);
  void claim();
  void create();
  void update();
  void claim_answered(client::Reply reply, Proof proof);
  void send_release();
  void finish_stop();
  void note(json::Value lease, MonotonicInstant at);
  MonotonicInstant runs_out() const;
  bool free_to_take() const;
  json::Value record(std::string_view holder) const;
  void won(Proof proof);
  void lost(std::string_view why);
  void watch_deadline();
  void problem(const client::CallError& error, std::string_view doing);
  Duration jittered_retry();
  void send(client::Call call, std::function<void(client::Reply)> answered);

  client::Client& client_;
  Scheduler& scheduler_;
  Rng rng_;
  ElectionOptions options_;
  Handlers handlers_;
  Seen seen_;
  bool started_ = false;
  bool leading_ = false;
  bool in_flight_ = false;
  bool must_read_ = true;  // what is known of the lease may be out of date
  bool reported_ = false;  // the current problem was told
  Proof proof_;            // of the last renewal that succeeded
  TimerSerial retry_ = 0;
  TimerSerial deadline_ = 0;
  std::move_only_function<void()> stopped_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::runtime
