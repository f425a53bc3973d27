// SPDX-License-Identifier: Apache-2.0
//
// QuotaController: writes what a quota limits and what is used of it into the quota's status.
//
// Admission only ever adds to status.used; this loop recounts: at first, when the limits change,
// after deletions and other changes that free something, and now and then for what only time frees.
// Until it has run, a deleted object still counts.
#pragma once

#include "cluster/controller.h"

#include <chrono>

namespace fixpoint::cluster {

class QuotaController final : public Controller {
 public:
  std::string_view name() const override { return "resourcequota"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return recount_all_at_; }

 private:
  // As often as a real quota controller: a pod that never ended is freed only by this.
  static constexpr std::chrono::minutes kRecountEvery{5};

  void add_all(Api& api);
  void add_affected(Api& api, std::string_view freed);
  void recount(Api& api, const std::string& key);

  KeyQueue quotas_;  // keys of quotas to recount
  KeyQueue freed_;   // "pods/ns": something of this resource there uses less, or is gone
  bool definitions_changed_ = false;
  std::optional<Instant> recount_all_at_;  // set while there are quotas
};

}  // namespace fixpoint::cluster
