// SPDX-License-Identifier: Apache-2.0
//
// The guard in numbers. Series are made at zero when an object is first contested, which is well
// before it can be paused, so that increase() sees the pause; calm objects have none.
#pragma once

#include "runtime/guard/guard.h"
#include "runtime/guard/object_guard.h"
#include "runtime/metrics/registry.h"

#include <set>
#include <string>
#include <vector>

namespace fixpoint::runtime {

// Managers are named by others: the first so many are told apart, the rest are "other".
inline constexpr std::size_t kGuardActorsMax = 20;

class GuardMetrics {
 public:
  // `prefix` goes before each name: "fixpoint_" gives fixpoint_paused_resources.
  GuardMetrics(MetricsRegistry& registry, const std::string& prefix);
  // The guard must outlive the registry's pages.
  void add(const ObjectGuard& guard);
  void notice(const GuardNotice& notice);
  void persist_failed() { persist_failures_.add(); }

 private:
  void refresh();
  void make_series(const ManagedKey& key);
  std::string actor_label(const std::string& actor);

  Family<Counter>& thrashing_;
  Family<Gauge>& paused_;
  Family<Gauge>& contested_;
  Family<Counter>& drifts_;
  Family<Counter>& throttled_;
  Family<Counter>& stripped_;
  Family<Gauge>& info_;
  Counter& persist_failures_;
  std::vector<const ObjectGuard*> guards_;
  std::set<std::string> actors_;
};

}  // namespace fixpoint::runtime
