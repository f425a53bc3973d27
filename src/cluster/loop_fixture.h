// SPDX-License-Identifier: Apache-2.0
//
// LoopFixture: an API server and its built-in loops in a test. The loops run only when told to, so
// that a test can look at the moment between a write and what the loops make of it.
#pragma once

#include "apiserver/api_fixture.h"
#include "cluster/controllers.h"

namespace fixpoint::cluster {

class LoopFixture : public apiserver::ApiFixture, public Server {
 protected:
  apiserver::Response call(const apiserver::Request& request) override { return run(request); }
  const store::Snapshot& latest() const override { return store_.latest(); }
  apiserver::CustomKinds& kinds() override { return core_.kinds(); }
  Instant now() const override { return clock_.wall(); }

  // Tells the loops what happened since the last time and lets them work until they rest.
  void settle() {
    if (!begun_) {
      controllers_.begin(*this);
      begun_ = true;
      seen_ = store_.revision();
    }
    for (int i = 0; i < kRoundsMax; ++i) {
      const auto events = store_.events_after(seen_);
      ASSERT_TRUE(events.has_value());
      seen_ = store_.revision();
      controllers_.observe(*events);
      const bool more = controllers_.run(*this, kStepsMax);
      if (!more && store_.revision() == seen_) return;
    }
    FAIL() << "the loops never rest";
  }

  // Far more than any test's loops need to come to rest.
  static constexpr int kRoundsMax = 100;
  static constexpr std::size_t kStepsMax = 1000;

  Controllers controllers_ = Controllers::of_cluster("authority");
  bool begun_ = false;
  store::Revision seen_;
};

}  // namespace fixpoint::cluster
