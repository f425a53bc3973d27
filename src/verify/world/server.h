// SPDX-License-Identifier: Apache-2.0
//
// Server: the API-server core that ships, answering calls on a store of the caller's.
//
// What the core needs besides is made from the store: randomness from its revision, so that the
// same call on the same store has the same answer, and a clock that stands still (see world.h about
// time).
#pragma once

#include "apiserver/read/watch.h"
#include "apiserver/weakness.h"
#include "base/clock.h"
#include "client/call.h"
#include "client/collection.h"
#include "cluster/controller.h"
#include "store/store.h"

#include <expected>
#include <optional>

namespace fixpoint::verify::world {

class Server final : public cluster::Server {
 public:
  // `store` outlives this.
  explicit Server(store::Store& store, apiserver::Weakness weakness = apiserver::Weakness::None)
      : store_(store), weakness_(weakness) {}

  // When it is, always.
  static Instant moment();

  client::Reply call(const client::Call& call);
  client::PageReply list(const client::ListCall& call);
  std::expected<client::Resource, client::CallError> resolve(const kube::GroupVersionKind& kind);
  // How a watch of this collection shows the store's events.
  apiserver::Watch watch(const client::Collection& collection);

  // As the built-in controllers ask.
  apiserver::Response call(const apiserver::Request& request) override;
  const store::Snapshot& latest() const override { return store_.latest(); }
  apiserver::CustomKinds& kinds() override;
  Instant now() const override { return moment(); }

 private:
  store::Store& store_;
  apiserver::Weakness weakness_;
};

// The store as it was before the last `lag` changes of this resource; nothing when it has not
// changed so often since `first`.
std::optional<store::Store> earlier(const store::Store& store, const client::Resource& resource,
                                    std::uint8_t lag, store::Revision first);

}  // namespace fixpoint::verify::world
