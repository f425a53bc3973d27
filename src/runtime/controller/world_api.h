// SPDX-License-Identifier: Apache-2.0
//
// WorldApi: a TestWorld as LocalClient sees an API server.
#pragma once

#include "client/local_client.h"
#include "runtime/controller/test_world.h"

namespace fixpoint::runtime {

class WorldApi final : public client::LocalApi {
 public:
  explicit WorldApi(TestWorld& world) : world_(world) {}
  apiserver::Response run(const apiserver::Request& request) override {
    return world_.run(request);
  }
  kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request) override {
    return world_.core.open_watch(request, world_.store,
                                  {.now = world_.clock.wall(), .rng = world_.rng});
  }
  const store::Store& store() const override { return world_.store; }
  apiserver::CustomKinds& kinds() override { return world_.core.kinds(); }

 private:
  TestWorld& world_;
};

}  // namespace fixpoint::runtime
