// SPDX-License-Identifier: Apache-2.0
//
// LocalClient: the Kubernetes API of an API-server core in the same process, without any socket.
//
// A request is run at once, as one step of the core; its answer comes later, through `post`.
// Watches are fed from the store's history whenever `changed` is called; given a clock, they end by
// their timeout and carry bookmarks as a server's do. What is not yet durable is told to nobody,
// exactly as over HTTP. For `fixpoint up --operators`, tests and the verifier.
#pragma once

#include "apiserver/core.h"
#include "base/clock.h"
#include "client/client.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <optional>

namespace fixpoint::client {

// The core and the store behind it; whoever owns them decides about time and durability.
class LocalApi {
 public:
  virtual ~LocalApi() = default;
  virtual apiserver::Response run(const apiserver::Request& request) = 0;
  virtual kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request) = 0;
  virtual const store::Store& store() const = 0;
  virtual apiserver::CustomKinds& kinds() = 0;
  // Events up to here may be told.
  virtual store::Revision durable() const { return store().revision(); }
  // Calls back once the revision is durable, with the reason if it was lost instead.
  // By value: whoever has to wait keeps the callback.
  virtual void when_durable(store::Revision,
                            std::function<void(std::optional<Error>)> callback) {  // NOLINT
    callback(std::nullopt);
  }
};

// A core and a store of its own, in memory: for tests.
class MemoryApi final : public LocalApi {
 public:
  explicit MemoryApi(const Clock& clock, std::uint64_t seed = 1) : clock_(clock), rng_(seed) {}
  apiserver::Response run(const apiserver::Request& request) override {
    return core_.handle(request, store_, environment());
  }
  kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request) override {
    return core_.open_watch(request, store_, environment());
  }
  const store::Store& store() const override { return store_; }
  store::Store& store_to_change() { return store_; }
  apiserver::CustomKinds& kinds() override { return core_.kinds(); }

 private:
  apiserver::Environment environment() { return {.now = clock_.wall(), .rng = rng_}; }

  const Clock& clock_;
  Rng rng_;
  store::Store store_;
  apiserver::Core core_;
};

class LocalClient final : public Client {
 public:
  using Post = std::function<void(std::move_only_function<void()>)>;

  // The api outlives the client. Who is asked to act as somebody else needs that one's rights;
  // `user` itself has all.
  LocalClient(LocalApi& api, Post post, apiserver::User user = apiserver::system_user());
  ~LocalClient() override;

  void call(Call call, Done done) override;
  void list(ListCall call, PageDone done) override;
  std::unique_ptr<Watching> watch(WatchCall call, WatchHandlers handlers) override;
  void resolve(kube::GroupVersionKind kind, Resolved done) override;

  // From now on watches end when their time is over, and bookmarks are sent. Whoever explores
  // states without time does without. The clock outlives the client.
  using After = std::function<void(Duration, std::move_only_function<void()>)>;
  void keep_time(const Clock& clock, After after);

  // The store has new events, or more of them are durable. Cheap when nobody watches.
  void changed();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fixpoint::client
