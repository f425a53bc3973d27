// SPDX-License-Identifier: Apache-2.0
//
// Controller: the shell that runs a ControllerCore against the world.
//
// It carries out what passes want through Client and Workers, wakes the core when something is due,
// bounds each pass by the declared deadline and sends events. Everything happens on the one thread
// of Client and Scheduler. Passes start between start() and stop(); changes that arrive before are
// queued, so a standby with a warm cache takes over at once.
// Read next: controller_core.h, where the decisions are; manager/manager.h, which makes these.
#pragma once

#include "base/rng.h"
#include "client/client.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/carried_answers.h"
#include "runtime/controller/controller_core.h"
#include "runtime/scheduler.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace fixpoint::runtime {

// What happens in a controller, for metrics, logs and the debug page. Called on its thread; none of
// these may call back into the controller.
class ControllerListener {
 public:
  virtual ~ControllerListener() = default;
  virtual void pass_began(const ControllerCore::Started& started, const kube::Key& key) = 0;
  virtual void pass_ended(const ControllerCore::Ended& ended) = 0;
};

class Controller {
 public:
  struct Setup {
    const Operator* reconciler = nullptr;
    Outside* outside = nullptr;  // null: probes and effects are answered Internal
    client::Client* client = nullptr;
    CacheView* cache = nullptr;
    Scheduler* scheduler = nullptr;
    Workers* workers = nullptr;
    std::string identity;          // of this process, in events
    std::string field_manager;     // empty: "fixpoint-" and the controller's name
    WriteGuard* guard = nullptr;   // null: everything is allowed
    const Fence* fence = nullptr;  // null: there is no lease
    ControllerListener* listener = nullptr;
    QueueSettings queue;
    Rules rules;
    Rng rng{0};
  };
  // Everything in `setup` outlives this.
  explicit Controller(Setup setup);
  // Answers that are still out reach nobody any more.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  const Declaration& declaration() const { return core_.declaration(); }
  // What the cache noticed about a kind; watches of that kind decide whom it is about.
  void changed(const kube::GroupVersionKind& kind, std::span<const Change> changes);
  // A pass for this object, or for all, soon.
  void look_at(const kube::Key& key);
  void look_at_all();
  // The server's time went back: as if this process had just begun.
  void start_over();

  void start();
  // No pass starts any more; `done` is called when the last running one has ended.
  void stop(std::move_only_function<void()> done);

  // For metrics and the debug page.
  const ControllerCore& core() const { return core_; }
  EventLog::Statistics event_statistics() { return core_.events().statistics(); }

 private:
  using PassId = ControllerCore::PassId;

  Times now() const { return {setup_.scheduler->wall(), setup_.scheduler->now()}; }
  // Runs what is due, later on the loop and never from inside a caller.
  void wake();
  void arm();
  void turn();
  void drive(PassId id);
  void carry_out(PassId id, Effect effect);
  void ask(PassId id, EffectId effect, Probe probe);
  void answered(PassId id, EffectId effect, EffectReply reply);
  void watch_deadline(PassId id);
  void ended(const ControllerCore::Ended& ended);
  void send_events();
  template <class Argument, class Handle>
  auto guarded(Handle handle);

  Setup setup_;
  ControllerCore core_;
  CarriedAnswers carried_;
  bool started_ = false;
  std::move_only_function<void()> stopped_;
  TimerSerial turn_timer_ = 0;  // the next turn that is due now
  TimerSerial due_timer_ = 0;   // the next that is due later
  MonotonicInstant due_at_{};
  std::map<PassId, TimerSerial> deadlines_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::runtime
