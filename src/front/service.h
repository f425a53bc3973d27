// SPDX-License-Identifier: Apache-2.0
//
// Service: the one owner of the store. Runs requests through the core, puts their changes on disk,
// and tells nobody of a change before it is durable.
//
// Invariant: whatever leaves this process (an answer, a watch event, a controller's notification)
// shows only revisions that survive kill -9. A commit that fails takes its changes back: the
// waiting writers learn why, and the store is again what the disk holds.
// Everything here belongs to the loop's thread. Read next: api_server.h, which speaks HTTP.
#pragma once

#include "apiserver/core.h"
#include "base/rng.h"
#include "net/loop.h"
#include "store/durable.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace fixpoint::front {

class Service {
 public:
  // `log` is null for an ephemeral cluster; its progress must reach `on_progress` below.
  Service(net::Loop& loop, store::Store store, const apiserver::Tokens* tokens);

  void attach(std::unique_ptr<store::DurableLog> log);
  // Hand to DurableLog::open; may be called on any thread.
  store::DurableLog::OnProgress progress_sink();

  // Runs a request now. The answer must not be shown before `when_durable(response.visible)`.
  apiserver::Response run(const apiserver::Request& request);
  // The same for a request whose resource is known, from core().resolve() in the same tick.
  apiserver::Response run(const apiserver::Request& request, const apiserver::Resource& resource);
  // Opens a watch on the present store.
  kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request);

  // Calls back once `revision` is durable, at once if it is; with the reason if it was lost.
  using Durable = std::function<void(std::optional<Error>)>;
  void when_durable(store::Revision revision, Durable callback);

  // Called with every durable batch of events, oldest first, at the end of the tick it became so.
  using Listener = std::function<void(const std::vector<store::Event>&)>;
  void listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  // Called when changes were taken back because they could not be put on disk: whatever was derived
  // from the store since is to be derived again.
  void on_rewind(std::function<void()> callback) {
    rewind_callbacks_.push_back(std::move(callback));
  }

  const store::Store& store() const { return store_; }
  store::Revision durable() const { return durable_; }
  // Why the last writes could not be put on disk; nothing once a later one was.
  const std::optional<Error>& disk_problem() const { return disk_problem_; }
  apiserver::Core& core() { return core_; }
  net::Loop& loop() { return loop_; }
  Rng& rng() { return rng_; }
  apiserver::Environment environment();
  // Waits for the disk; for the end of the process.
  void drain();

 private:
  apiserver::Response settled(store::Revision before, apiserver::Response response);
  void publish(std::vector<store::Event> events);
  void log_gathered();
  void advance(const store::Progress& progress);
  void release(store::Revision durable);
  void lose(store::Revision durable, const Error& why);
  void schedule_delivery();

  net::Loop& loop_;
  store::Store store_;
  apiserver::Core core_;
  Rng rng_ = Rng::from_kernel();
  std::unique_ptr<store::DurableLog> log_;
  store::Revision durable_;
  std::multimap<store::Revision, Durable> waiting_;
  std::vector<store::Event> unpublished_;  // committed in memory, not yet told
  std::vector<store::Event> gathered_;     // of late, not yet given to the log
  std::vector<Listener> listeners_;
  std::vector<std::function<void()>> rewind_callbacks_;
  bool delivery_scheduled_ = false;
  std::optional<Error> disk_problem_;
  // Progress arrives by way of the loop; it must not outlive us there.
  std::shared_ptr<Service*> self_ = std::make_shared<Service*>(this);

 public:
  ~Service() { *self_ = nullptr; }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
};

}  // namespace fixpoint::front
