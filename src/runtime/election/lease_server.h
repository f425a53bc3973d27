// SPDX-License-Identifier: Apache-2.0
//
// For tests: an API server that knows only Leases, and processes that reach it through a network
// that delays, loses and cuts, on virtual time. A process can be stopped (its timers and answers
// wait) and go on later, as SIGSTOP does it.
#pragma once

#include "base/rng.h"
#include "client/client.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "runtime/test_replies.h"
#include "runtime/virtual_scheduler.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fixpoint::runtime {

class LeaseServer {
 public:
  client::Reply act(const client::Call& call) {
    if (call.verb == client::Verb::Get) return lease_ ? found() : refuse(404, "NotFound");
    if (call.verb == client::Verb::Create) {
      return lease_ ? refuse(409, "AlreadyExists") : store(call.body);
    }
    if (!lease_) return refuse(404, "NotFound");
    const bool same = kube::resource_version_of(call.body) == kube::resource_version_of(*lease_);
    return same ? store(call.body) : refuse(409, "Conflict");
  }
  const std::optional<json::Value>& lease() const { return lease_; }
  client::Reply store(const json::Value& object) {
    auto draft = json::Draft(object);
    draft.object_at("metadata")["resourceVersion"] = std::to_string(++version_);
    lease_ = draft.freeze();
    ++writes_;
    return found();
  }
  void remove() { lease_.reset(); }
  int writes() const { return writes_; }

 private:
  client::Reply found() const { return client::Answer{.body = *lease_}; }
  static client::Reply refuse(int code, std::string reason) {
    return std::unexpected(refused(code, std::move(reason)));
  }
  std::optional<json::Value> lease_;
  int version_ = 0;
  int writes_ = 0;
};

// The time of one process: tasks of a stopped one wait until it goes on.
class ProcessScheduler final : public Scheduler {
 public:
  explicit ProcessScheduler(VirtualScheduler& world) : world_(world) {}
  Instant wall() const override { return world_.wall() + wall_step_; }
  MonotonicInstant now() const override { return world_.now(); }
  TimerSerial after(Duration delay, Task task) override {
    const auto serial = ++last_;
    tasks_.emplace(serial, std::move(task));
    world_.after(delay, [this, serial] {
      if (stopped_) {
        waiting_.push_back(serial);
      } else {
        run(serial);
      }
    });
    return serial;
  }
  void cancel(TimerSerial timer) override { tasks_.erase(timer); }

  void stop() { stopped_ = true; }
  void go_on() {
    stopped_ = false;
    for (const auto serial : std::exchange(waiting_, {})) run(serial);
  }
  void step_wall(Duration by) { wall_step_ += by; }

 private:
  void run(TimerSerial serial) {
    auto found = tasks_.extract(serial);
    if (!found.empty()) found.mapped()();
  }
  VirtualScheduler& world_;
  bool stopped_ = false;
  Duration wall_step_{};
  TimerSerial last_ = 0;
  std::map<TimerSerial, Task> tasks_;
  std::deque<TimerSerial> waiting_;
};

class LossyClient final : public client::Client {
 public:
  struct Network {
    Duration delay_max = std::chrono::milliseconds(20);  // each way
    int lost_of_1000 = 0;                                // each way
    bool cut = false;
  };
  LossyClient(VirtualScheduler& world, ProcessScheduler& process, LeaseServer& server, Rng rng)
      : world_(world), process_(process), server_(server), rng_(rng) {}

  Network network;

  void call(client::Call request, Done done) override {
    const auto serial = ++last_;
    open_.emplace(serial, std::move(done));
    const auto deadline = request.deadline;
    process_.after(deadline, [this, serial] { end(serial, std::unexpected(lost())); });
    if (lose()) return;
    world_.after(delay(), [this, serial, request = std::move(request)] {
      auto reply = server_.act(request);
      if (lose()) return;
      world_.after(delay(), [this, serial, reply = std::move(reply)]() mutable {
        process_.after(Duration::zero(), [this, serial, reply = std::move(reply)]() mutable {
          end(serial, std::move(reply));
        });
      });
    });
  }
  void list(client::ListCall, PageDone) override { FP_CHECK(false); }
  std::unique_ptr<client::Watching> watch(client::WatchCall, client::WatchHandlers) override {
    return nullptr;
  }
  void resolve(kube::GroupVersionKind, Resolved) override { FP_CHECK(false); }

 private:
  bool lose() { return network.cut || static_cast<int>(rng_.below(1000)) < network.lost_of_1000; }
  Duration delay() {
    return Duration(rng_.below(static_cast<std::uint64_t>(network.delay_max.count()) + 1));
  }
  void end(std::uint64_t serial, client::Reply reply) {
    auto found = open_.extract(serial);
    if (!found.empty()) found.mapped()(std::move(reply));
  }
  VirtualScheduler& world_;
  ProcessScheduler& process_;
  LeaseServer& server_;
  Rng rng_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Done> open_;
};

}  // namespace fixpoint::runtime
