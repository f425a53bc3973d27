// SPDX-License-Identifier: Apache-2.0
//
// Manager: the operators of a process, run together on one loop against one API server.
//
// It shares one cache among all controllers, lets only the leader reconcile (the others stand by
// with warm caches), serves health, metrics and debug pages, and stops in good order: passes end,
// what the guard knows is written down, the lease is given back.
// Read next: unit.h, one controller; election/elector.h; cli/operator.cc, which makes one of these.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "client/client.h"
#include "net/server.h"
#include "runtime/cache/cache_metrics.h"
#include "runtime/election/elector.h"
#include "runtime/manager/endpoint.h"
#include "runtime/manager/loop_scheduler.h"
#include "runtime/manager/unit.h"
#include "runtime/metrics/registry.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

struct ManagerOptions {
  std::string identity;              // of this process: in the lease and in events
  std::set<std::string> namespaces;  // followed; empty: all
  std::string own_namespace = "default";
  std::optional<ElectionOptions> election;  // none: this process leads from the start
  std::optional<Endpoint> metrics;
  std::optional<Endpoint> health;  // the same as `metrics`: one server for both
  GuardSettings guard;
  std::string metrics_prefix = "fixpoint_";
  std::string version = "unknown";  // of the program, for operators that tell it
  Traces traces = Traces::Off;
  Duration drain = std::chrono::seconds(30);
};

struct ManagedPart {
  std::string entry;  // the operator it belongs to
  Part part;
};

class Manager {
 public:
  // All of these outlive it.
  struct Surroundings {
    net::Loop& loop;
    client::Client& client;
    MetricsRegistry& metrics;
    const Log& log;
  };
  Manager(Surroundings around, ManagerOptions options, std::vector<ManagedPart> parts, Rng rng);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // An error when an address cannot be served at.
  Result<void> start();
  // Once; `done` when everything is in order, after `drain` and a little at the latest.
  void stop(std::function<void()> done);

  // A pass for every object soon, whether something changed or not.
  void look_at_all();

  bool leads() const;
  bool synced() const;
  // Nothing when there is no such page. `local`: the peer is on this machine.
  struct Page {
    int code = 200;
    std::string_view type = "text/plain; charset=utf-8";
    std::string body;
  };
  std::optional<Page> page(std::string_view path, std::string_view query, bool local);

  std::uint16_t metrics_port() const;
  std::uint16_t health_port() const;

 private:
  class LeaseFence;
  enum class Serves : std::uint8_t { Metrics, Health, Both };

  Result<std::unique_ptr<net::Server>> listen(const Endpoint& endpoint, Serves what);
  void tidy_up(ListStage stage);
  void tidy_up_while_asked(Duration wait);
  void tidy_up_later();
  void elect();
  void lead();
  void stand_by(std::string_view why);
  void drained();
  void flushed();
  void released();
  Page ready_page(std::string_view query) const;
  json::Value debug() const;
  json::Value debug_cache() const;

  Surroundings around_;
  ManagerOptions options_;
  LoopScheduler scheduler_;
  ThreadWorkers workers_;
  std::unique_ptr<Elector> elector_;
  std::unique_ptr<LeaseFence> fence_;
  ControllerMetrics controller_metrics_;
  GuardMetrics guard_metrics_;
  CacheMetrics cache_metrics_;
  std::optional<ElectionMetrics> election_metrics_;
  std::unique_ptr<Cache> cache_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::unique_ptr<net::Server> metrics_server_;
  std::unique_ptr<net::Server> health_server_;
  Rng rng_;
  std::function<void()> stopped_;
  std::size_t waiting_ = 0;  // units that are still draining or flushing
  TimerSerial asked_timer_ = 0;
  TimerSerial read_timer_ = 0;
  TimerSerial drain_timer_ = 0;
  bool drained_ = false;
};

}  // namespace fixpoint::runtime
