// SPDX-License-Identifier: Apache-2.0
//
// ShadowStore: what the guard must not forget, in a ConfigMap beside the operator.
//
// One key per contested or paused object. Written at once when a war begins or an object is paused,
// otherwise at most every ten seconds, and at the end; only while the lease is held, by PUT with
// the resourceVersion, so that a leader of yesterday cannot overwrite today's. A pause of an object
// that is not there is announced only after it was stored here.
#pragma once

#include "base/clock.h"
#include "client/client.h"
#include "runtime/guard/object_guard.h"
#include "runtime/scheduler.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

// A ConfigMap holds a megabyte; the rest is for its metadata. Pauses come first.
inline constexpr std::size_t kShadowBytesMax = 900 * 1024;

struct ShadowOptions {
  kube::Key config_map;
  Duration flush_every = std::chrono::seconds(10);
  Duration retry_after = std::chrono::seconds(2);
};

class ShadowStore {
 public:
  struct Handlers {
    std::function<bool()> may_write;  // the fence
    std::function<void(std::string_view problem)> on_problem;
  };
  ShadowStore(client::Client& client, Scheduler& scheduler, ObjectGuard& guard,
              ShadowOptions options, Handlers handlers);
  ~ShadowStore();
  ShadowStore(const ShadowStore&) = delete;
  ShadowStore& operator=(const ShadowStore&) = delete;

  // Before the first pass of a leader. A ConfigMap that is not there is an empty one; any other
  // failure is reported, and the guard starts with what the objects themselves say.
  void load(std::move_only_function<void()> done);
  // Writes what is not written yet, then calls `done`, whatever became of it.
  void flush(std::move_only_function<void()> done);

 private:
  void changed();
  void schedule(Duration delay);
  void write();
  void send(client::Verb verb);
  void written(client::Reply reply, std::uint64_t serial);
  void read_version();
  void ended();
  void problem(std::string_view doing, const client::CallError& error);
  json::Value body() const;
  bool dirty() const;
  void call(client::Call call, std::function<void(client::Reply)> answered);

  client::Client& client_;
  Scheduler& scheduler_;
  ObjectGuard& guard_;
  ShadowOptions options_;
  Handlers handlers_;
  json::Value known_;  // the ConfigMap as it is; null: it is not there
  std::uint64_t stored_ = 0;
  bool in_flight_ = false;
  bool reported_ = false;
  std::optional<MonotonicInstant> last_write_;
  TimerSerial timer_ = 0;
  std::move_only_function<void()> flushed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::runtime
