// SPDX-License-Identifier: Apache-2.0
//
// EventExpiry: Events are kept for an hour, as a real server keeps them.
#pragma once

#include "cluster/controller.h"

#include <deque>

namespace fixpoint::cluster {

inline constexpr auto kEventLifetime = std::chrono::hours(1);

class EventExpiry final : public Controller {
 public:
  std::string_view name() const override { return "event-expiry"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override;

 private:
  // A write of an Event. One that was written again since, or is gone, has nothing to end here.
  struct Due {
    Instant at;
    std::string key;
    store::Revision written;
  };
  std::deque<Due> due_;  // in the order of the writes, so the first is the first to end
  std::vector<store::RecordRef> fresh_;
};

}  // namespace fixpoint::cluster
