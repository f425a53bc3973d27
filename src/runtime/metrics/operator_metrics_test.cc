// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/operator_metrics.h"

#include "runtime/metrics/page_check.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

ObjectMetrics boats() {
  return {
      .prefix = "sea_",
      .labels = {"color"},
      .gauges = {{"boat_up", "Floats."}, {"boat_depth", "Below it."}}
  };
}

class OperatorMetricsTest : public testing::Test {
 protected:
  std::map<std::string, double, std::less<>> page() {
    auto checked = check_page(registry_.page());
    EXPECT_EQ(checked.problem, "");
    return checked.samples;
  }
  static std::string series(std::string_view gauge, std::string_view name,
                            std::string_view color = "red") {
    return std::string{gauge} + R"({namespace="ns",name=")" + std::string{name} + R"(",color=")" +
           std::string{color} + R"("})";
  }

  MetricsRegistry registry_;
  OperatorMetrics metrics_{registry_, boats(), "1.2"};
};

TEST_F(OperatorMetricsTest, TellOfTheOperatorFromTheStart) {
  const auto first = page();
  EXPECT_EQ(first.at(R"(sea_operator_info{version="1.2"})"), 1);
  EXPECT_EQ(first.at("sea_operator_leader_status"), 0);
  EXPECT_EQ(first.at(R"(sea_reconcile_errors_total{kind="Transient"})"), 0);

  metrics_.leading(true);
  metrics_.pass_ended(std::chrono::milliseconds(20), ErrorClass::None);
  metrics_.pass_ended(std::chrono::milliseconds(30), ErrorClass::Invalid);

  const auto then = page();
  EXPECT_EQ(then.at("sea_operator_leader_status"), 1);
  EXPECT_EQ(then.at("sea_reconcile_duration_seconds_count"), 2);
  EXPECT_EQ(then.at(R"(sea_reconcile_errors_total{kind="Invalid"})"), 1);
  EXPECT_EQ(then.at(R"(sea_reconcile_errors_total{kind="Transient"})"), 0);
}

TEST_F(OperatorMetricsTest, ShowWhatTheNewestPassKnowsAndNothingOlder) {
  metrics_.tell(
      {
          "ns", "a"
  },
      {.labels = {"red"}, .values = {{"boat_up", 1}, {"boat_depth", 9}}});
  EXPECT_EQ(page().at(series("sea_boat_depth", "a")), 9);

  metrics_.tell({"ns", "a"}, {.labels = {"red"}, .values = {{"boat_up", 0}}});
  EXPECT_EQ(page().at(series("sea_boat_up", "a")), 0);
  EXPECT_FALSE(page().contains(series("sea_boat_depth", "a"))) << "nobody knows it any more";

  metrics_.tell({"ns", "a"}, {.labels = {"blue"}, .values = {{"boat_up", 1}}});
  EXPECT_FALSE(page().contains(series("sea_boat_up", "a"))) << "it is not red any more";
  EXPECT_EQ(page().at(series("sea_boat_up", "a", "blue")), 1);
}

TEST_F(OperatorMetricsTest, ForgetAnObjectWithTheObjectAndAllWithTheLease) {
  metrics_.leading(true);
  metrics_.tell({"ns", "a"}, {.labels = {"red"}, .values = {{"boat_up", 1}}});
  metrics_.tell({"ns", "b"}, {.labels = {"red"}, .values = {{"boat_up", 1}}});
  metrics_.tell({"ns", "c"}, {.labels = {"red"}, .values = {{"boat_up", 1}}});

  metrics_.forget({"ns", "a"});
  metrics_.tell({"ns", "b"}, {});
  EXPECT_FALSE(page().contains(series("sea_boat_up", "a")));
  EXPECT_FALSE(page().contains(series("sea_boat_up", "b")));
  EXPECT_TRUE(page().contains(series("sea_boat_up", "c")));

  metrics_.leading(false);
  EXPECT_FALSE(page().contains(series("sea_boat_up", "c")));
}

TEST_F(OperatorMetricsTest, ShowABoundedNumberOfObjectsAndCountTheRest) {
  for (std::size_t at = 0; at < kObjectsShownMax + 2; ++at) {
    metrics_.tell({"ns", std::to_string(at)}, {.labels = {"red"}, .values = {{"boat_up", 1}}});
  }

  EXPECT_EQ(page().at("sea_objects_not_shown"), 2);
  EXPECT_FALSE(page().contains(series("sea_boat_up", std::to_string(kObjectsShownMax))));

  metrics_.forget({"ns", "0"});
  metrics_.tell({"ns", std::to_string(kObjectsShownMax)},
                {.labels = {"red"}, .values = {{"boat_up", 1}}});
  EXPECT_TRUE(page().contains(series("sea_boat_up", std::to_string(kObjectsShownMax))));
  EXPECT_EQ(page().at("sea_objects_not_shown"), 1);
}

}  // namespace
}  // namespace fixpoint::runtime
