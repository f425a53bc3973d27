// SPDX-License-Identifier: Apache-2.0
//
// Unit: one controller with everything it needs: its view of the cache, its guard and the guard's
// memory, its journal. It passes only while all three hold: this process leads, the cache is
// synced, the guard remembers.
#pragma once

#include "client/client.h"
#include "runtime/cache/cache.h"
#include "runtime/controller/controller.h"
#include "runtime/controller/event_log.h"
#include "runtime/guard/guard_metrics.h"
#include "runtime/guard/object_guard.h"
#include "runtime/guard/shadow_store.h"
#include "runtime/manager/journal.h"
#include "runtime/metrics/operator_metrics.h"
#include "runtime/registry.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

class Unit {
 public:
  struct Setup {
    std::string entry;  // the operator it belongs to, as --operators names it
    Part part;
    client::Client* client = nullptr;
    Scheduler* scheduler = nullptr;
    Workers* workers = nullptr;
    Cache* cache = nullptr;
    const Fence* fence = nullptr;  // null: there is no lease
    const Log* log = nullptr;
    ControllerMetrics* metrics = nullptr;
    GuardMetrics* guard_metrics = nullptr;
    MetricsRegistry* registry = nullptr;
    GuardSettings guard;
    std::string identity;
    std::string own_namespace;
    std::string version;  // of the program
    Traces traces = Traces::Off;
    Rng rng{0};
  };
  explicit Unit(Setup setup);
  ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  const std::string& name() const { return controller_.declaration().name; }
  // Follows what the operator watches; says what is not served.
  void follow();
  // This process leads from now on.
  void lead();
  // Not any more; what it is doing is not carried on, since the fence is closed.
  void stand_by();
  // No pass starts any more; `done` when the last has ended.
  void drain(std::move_only_function<void()> done);
  void flush(std::move_only_function<void()> done);

  void look_at_all() { controller_.look_at_all(); }

  bool synced() const { return synced_; }
  // Why it is not synced: kinds that are not listed yet.
  std::string missing() const;
  void refresh_metrics();
  json::Value debug() const;
  json::Value debug_guard() const;

 private:
  void check_kinds();
  void kind_missing(const Watch& watch);
  void begin();
  void pass_ended(const ControllerCore::Ended& ended);
  void on_notice(const GuardNotice& notice);
  void send_events();

  Setup setup_;
  std::shared_ptr<bool> alive_;
  std::map<FollowId, kube::GroupVersionKind> follows_;
  ObjectGuard guard_;
  EventLog events_;
  ShadowStore shadow_;
  std::unique_ptr<CacheSession> session_;
  Journal journal_;
  std::unique_ptr<OperatorMetrics> told_;  // null: the operator declares none
  Controller controller_;
  bool leading_ = false;
  bool loaded_ = false;
  bool synced_ = false;
  bool running_ = false;
  bool draining_ = false;
};

}  // namespace fixpoint::runtime
