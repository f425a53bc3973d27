// SPDX-License-Identifier: Apache-2.0
//
// EventExpiry: Events are kept for an hour, as a real server keeps them.
#pragma once

#include "cluster/controller.h"

#include <map>

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
  void note(const store::RecordRef& record, Instant now);
  std::multimap<Instant, std::string> due_;
  std::map<std::string, Instant, std::less<>> latest_;  // the entry of due_ that counts
  std::vector<store::RecordRef> fresh_;
};

}  // namespace fixpoint::cluster
