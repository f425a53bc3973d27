// SPDX-License-Identifier: Apache-2.0
#include "node/pod/plan.h"

#include "node/pod/pod_for_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kTwo =
    R"({"restartPolicy":"Always","containers":[{"name":"a"},{"name":"b"}]})";
constexpr std::string_view kInit =
    R"({"restartPolicy":"Always","initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"},
        {"name":"j"}],"containers":[{"name":"a"}]})";

TEST(PodPlan, StartsAllRegularContainersAtOnce) {
  EXPECT_THAT(decide(prepared(kTwo), at(0)).start, ElementsAre(0, 1));
}

TEST(PodPlan, StartsNothingBeforeThePodIsPrepared) {
  auto facts = prepared(kTwo);
  facts.prepared = false;

  EXPECT_THAT(decide(facts, at(0)).start, IsEmpty());
}

TEST(PodPlan, RunsInitContainersOneByOneAndSidecarsUntilTheyHaveStarted) {
  auto facts = prepared(kInit);
  EXPECT_THAT(decide(facts, at(0)).start, ElementsAre(0));

  runs(facts.containers[0], 0);
  EXPECT_THAT(decide(facts, at(1)).start, IsEmpty());

  ends(facts.containers[0], 0, 1);
  EXPECT_THAT(decide(facts, at(1)).start, ElementsAre(1));

  runs(facts.containers[1], 1);
  facts.containers[1].startup_passed = false;
  EXPECT_THAT(decide(facts, at(2)).start, IsEmpty());

  facts.containers[1].startup_passed = true;
  EXPECT_THAT(decide(facts, at(2)).start, ElementsAre(2));

  ends(facts.containers[2], 0, 3);
  EXPECT_THAT(decide(facts, at(3)).start, ElementsAre(3));
}

TEST(PodPlan, RestartsASidecarBesideRunningContainersAndNoInitContainerAgain) {
  auto facts = prepared(kInit);
  ends(facts.containers[0], 0, 1);
  ends(facts.containers[2], 0, 2);
  runs(facts.containers[3], 3);
  ends(facts.containers[1], 1, 4);

  EXPECT_THAT(decide(facts, at(4)).start, ElementsAre(1));
}

TEST(PodPlan, RestartsAtOnceTheFirstTimeAndThenLaterAndLater) {
  auto facts = prepared(R"({"restartPolicy":"Always","containers":[{"name":"a"}]})");
  auto& container = facts.containers[0];
  ends(container, 1, 10);
  EXPECT_THAT(decide(facts, at(10)).start, ElementsAre(0));

  int finished = 10;
  for (const int wait : {10, 20, 40, 80, 160, 300, 300}) {
    container.backoff.started_again(at(finished), at(finished));
    finished += 1;
    ends(container, 1, finished);
    const auto plan = decide(facts, at(finished));
    EXPECT_THAT(plan.backing_off, ElementsAre(0));
    EXPECT_EQ(plan.again, at(finished + wait));
    EXPECT_THAT(decide(facts, at(finished + wait)).start, ElementsAre(0));
    finished += wait;
  }
}

TEST(PodPlan, ForgetsTheBackoffOfWhatRanForTenMinutes) {
  auto facts = prepared(R"({"restartPolicy":"Always","containers":[{"name":"a"}]})");
  auto& container = facts.containers[0];
  container.backoff = {.current = std::chrono::minutes(5), .updated = at(0)};
  ends(container, 1, 601);

  EXPECT_THAT(decide(facts, at(601)).start, ElementsAre(0));
}

TEST(PodPlan, ObeysTheRestartPolicy) {
  struct Case {
    std::string_view policy;
    int code;
    bool again;
  };
  for (const auto& [policy, code, again] : {
           Case{"Always",    0, true },
           Case{"Always",    1, true },
           Case{"OnFailure", 0, false},
           Case{"OnFailure", 1, true },
           Case{"Never",     1, false}
  }) {
    auto facts = prepared(R"({"restartPolicy":")" + std::string{policy} +
                          R"(","containers":[{"name":"a"},{"name":"b"}]})");
    runs(facts.containers[1], 0);
    ends(facts.containers[0], code, 1);
    EXPECT_EQ(!decide(facts, at(1)).start.empty(), again) << policy << code;
  }
}

TEST(PodPlan, EndsThePodWhenAnInitContainerFailsForGood) {
  auto facts = prepared(
      R"({"restartPolicy":"Never","initContainers":[{"name":"i"}],"containers":[{"name":"a"}]})");
  ends(facts.containers[0], 3, 1);

  const auto plan = decide(facts, at(1));

  EXPECT_TRUE(plan.ending && plan.ended);
  EXPECT_THAT(plan.start, IsEmpty());
}

TEST(PodPlan, StopsRegularContainersBeforeSidecarsAndThoseFromLastToFirst) {
  auto facts = prepared(R"({"terminationGracePeriodSeconds":20,"initContainers":[
      {"name":"s","restartPolicy":"Always"},{"name":"t","restartPolicy":"Always"}],
      "containers":[{"name":"a"}]})");
  for (auto& container : facts.containers) runs(container, 0);
  facts.gone = true;
  facts.ending_since = at(5);

  auto plan = decide(facts, at(5));
  ASSERT_EQ(plan.stop.size(), 1U);
  EXPECT_EQ(plan.stop[0].container, 2U);
  EXPECT_EQ(plan.stop[0].message, "Stopping container a");
  EXPECT_EQ(plan.stop[0].grace, std::chrono::seconds(20));

  ends(facts.containers[2], 0, 10);
  plan = decide(facts, at(10));
  ASSERT_EQ(plan.stop.size(), 1U);
  EXPECT_EQ(plan.stop[0].container, 1U);
  EXPECT_EQ(plan.stop[0].grace, std::chrono::seconds(15));

  ends(facts.containers[1], 0, 40);
  plan = decide(facts, at(40));
  EXPECT_EQ(plan.stop.at(0).container, 0U);
  EXPECT_EQ(plan.stop.at(0).grace, std::chrono::seconds(2));
}

TEST(PodPlan, FailsAPodThatIsOverItsDeadline) {
  auto facts = prepared(R"({"activeDeadlineSeconds":30,"containers":[{"name":"a"}]})");
  runs(facts.containers[0], 0);
  EXPECT_EQ(decide(facts, at(29)).again, at(30));

  const auto plan = decide(facts, at(30));

  ASSERT_TRUE(plan.failure.has_value());
  EXPECT_EQ(plan.failure->reason, "DeadlineExceeded");
  EXPECT_EQ(plan.stop.size(), 1U);
}

TEST(PodPlan, EvictsAtOnceAPodThatKeepsTooMuchOnDisk) {
  auto facts =
      prepared(R"({"terminationGracePeriodSeconds":60,"containers":[{"name":"a"},{"name":"b"}]})");
  runs(facts.containers[0], 0);
  runs(facts.containers[1], 0);
  facts.over_storage = "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". ";

  const auto plan = decide(facts, at(1));

  ASSERT_TRUE(plan.failure.has_value());
  EXPECT_EQ(plan.failure->reason, "Evicted");
  EXPECT_EQ(plan.failure->message, facts.over_storage);
  ASSERT_EQ(plan.stop.size(), 2U);
  EXPECT_EQ(plan.stop[0].grace, std::chrono::seconds(1));
}

TEST(PodPlan, StopsAnUnhealthyContainerWithTheGraceOfItsProbe) {
  auto facts = prepared(R"({"restartPolicy":"Always","containers":[
      {"name":"a","livenessProbe":{"terminationGracePeriodSeconds":7}}]})");
  runs(facts.containers[0], 0);
  facts.containers[0].unhealthy = "Container a failed liveness probe, will be restarted";

  const auto plan = decide(facts, at(1));

  ASSERT_EQ(plan.stop.size(), 1U);
  EXPECT_EQ(plan.stop[0].message, "Container a failed liveness probe, will be restarted");
  EXPECT_EQ(plan.stop[0].grace, std::chrono::seconds(7));
  facts.containers[0].stopping = true;
  EXPECT_THAT(decide(facts, at(1)).stop, IsEmpty());
}

TEST(PodPlan, DoesNotTryAgainBeforeTheTimeWhatCouldNotBeCreated) {
  auto facts = prepared(R"({"containers":[{"name":"a"}]})");
  facts.containers[0].blocked = Waiting{"CreateContainerConfigError", "configmap \"x\" not found"};
  facts.containers[0].retry_at = at(10);

  EXPECT_THAT(decide(facts, at(9)).start, IsEmpty());
  EXPECT_EQ(decide(facts, at(9)).again, at(10));
  EXPECT_THAT(decide(facts, at(10)).start, ElementsAre(0));
}

}  // namespace
}  // namespace fixpoint::node
