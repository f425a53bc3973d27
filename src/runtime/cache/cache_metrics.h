// SPDX-License-Identifier: Apache-2.0
//
// What the cache holds and how it fares, as metrics; brought up to date for each page.
#pragma once

#include "runtime/cache/cache.h"
#include "runtime/metrics/registry.h"

#include <string>
#include <vector>

namespace fixpoint::runtime {

class CacheMetrics {
 public:
  CacheMetrics(MetricsRegistry& registry, const std::string& prefix);
  void refresh(const std::vector<FollowStatistics>& all);

 private:
  Family<Gauge>& version_;
  Family<Gauge>& objects_;
  Family<Gauge>& bytes_;
  Family<Counter>& relists_;
  Family<Counter>& failures_;
  Family<Counter>& rewinds_;
};

}  // namespace fixpoint::runtime
