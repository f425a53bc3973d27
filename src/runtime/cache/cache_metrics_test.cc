// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/cache_metrics.h"

#include "runtime/metrics/page_check.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

FollowStatistics maps() {
  FollowStatistics follow;
  follow.collection.resource = {
      .kind = {"", "v1", "ConfigMap"},
        .plural = "configmaps"
  };
  follow.resource_version = "1234";
  follow.objects = 5;
  follow.rewinds = 1;
  return follow;
}

TEST(CacheMetrics, SayWhatIsHeldAndForgetWhatIsNot) {
  MetricsRegistry registry;
  CacheMetrics metrics(registry, "fixpoint_");
  const std::string labels = R"({name="",group="",version="v1",resource="configmaps"})";

  metrics.refresh({maps()});

  auto page = check_page(registry.page());
  EXPECT_EQ(page.problem, "");
  EXPECT_EQ(page.samples.at("informer_store_resource_version" + labels), 1234);
  EXPECT_EQ(page.samples.at("fixpoint_cache_objects" + labels), 5);
  EXPECT_EQ(page.samples.at("fixpoint_cache_rewinds_total" + labels), 1);
  metrics.refresh({});
  page = check_page(registry.page());
  EXPECT_FALSE(page.samples.contains("fixpoint_cache_objects" + labels));
  EXPECT_EQ(page.samples.at("fixpoint_cache_rewinds_total" + labels), 1) << "counters stay";
}

}  // namespace
}  // namespace fixpoint::runtime
