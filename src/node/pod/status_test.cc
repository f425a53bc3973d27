// SPDX-License-Identifier: Apache-2.0
#include "node/pod/status.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "node/pod/pod_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

constexpr std::string_view kOne =
    R"({"restartPolicy":"Always","containers":[{"name":"a","image":"busybox:1"}]})";

json::Value told(const PodFacts& facts, int when) {
  return pod_status(facts, decide(facts, at(when)), at(when));
}

std::string text(json::View view) {
  return json::to_text(view, json::Escape::Plain);
}

json::Value condition(const json::Value& status, std::string_view type) {
  for (const json::View one : status.get("conditions").elements()) {
    if (one.get("type").as_string() == type) return one;
  }
  return {};
}

bool holds(const json::Value& status, std::string_view type) {
  const auto found = condition(status, type);
  return found.get("status").as_string() == "True";
}

TEST(NodePodStatus, IsPendingAndCreatingBeforeAnythingRan) {
  const auto status = told(prepared(kOne), 1);

  EXPECT_EQ(status.get("phase").as_string(), "Pending");
  EXPECT_EQ(text(status.get("containerStatuses")[0].get("state")),
            R"({"waiting":{"reason":"ContainerCreating"}})");
  EXPECT_TRUE(holds(status, "Initialized"));
  const auto ready = condition(status, "Ready");
  EXPECT_EQ(ready.get("message").as_string(), "containers with unready status: [a]");
}

TEST(NodePodStatus, IsRunningAndReadyWithAddressesAndTimes) {
  auto facts = prepared(kOne);
  runs(facts.containers[0], 1);

  const auto status = told(facts, 2);

  EXPECT_EQ(status.get("phase").as_string(), "Running");
  EXPECT_EQ(status.get("podIP").as_string(), "127.1.0.1");
  EXPECT_EQ(status.get("startTime").as_string(), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(holds(status, "Ready"));
  const json::View container = status.get("containerStatuses")[0];
  EXPECT_EQ(text(container.get("state")), R"({"running":{"startedAt":"2026-01-01T00:00:01Z"}})");
  EXPECT_EQ(text(container.get("lastState")), "{}");
  EXPECT_TRUE(container.get("ready").as_bool() && container.get("started").as_bool());
  EXPECT_EQ(container.get("containerID").as_string(), "fixpoint://a");
}

TEST(NodePodStatus, ShowsACrashLoopWithItsWaitAndTheLastEnd) {
  auto facts = prepared(kOne);
  auto& container = facts.containers[0];
  runs(container, 1);
  ends(container, 3, 2);
  container.backoff = {.current = std::chrono::seconds(80), .updated = at(1)};
  container.restarts = 4;

  const auto status = told(facts, 3);

  const json::View shown = status.get("containerStatuses")[0];
  EXPECT_EQ(status.get("phase").as_string(), "Running");
  EXPECT_EQ(shown.get("state", "waiting", "reason").as_string(), "CrashLoopBackOff");
  EXPECT_EQ(shown.get("state", "waiting", "message").as_string(),
            "back-off 1m20s restarting failed container=a pod=p_ns(u-1)");
  EXPECT_EQ(text(shown.get("lastState")),
            R"({"terminated":{"containerID":"fixpoint://a","exitCode":3,)"
            R"("finishedAt":"2026-01-01T00:00:02Z","reason":"Error",)"
            R"("startedAt":"2026-01-01T00:00:01Z"}})");
  EXPECT_EQ(shown.get("restartCount").as_int(), 4);
}

TEST(NodePodStatus, SucceedsOrFailsWhenEverythingEndedForGood) {
  for (const auto& [code, phase, reason] : {
           std::tuple{0, "Succeeded", "PodCompleted"},
           std::tuple{1, "Failed",    "PodFailed"   }
  }) {
    auto facts = prepared(R"({"restartPolicy":"Never","containers":[{"name":"a"}]})");
    runs(facts.containers[0], 1);
    ends(facts.containers[0], code, 2);
    const auto status = told(facts, 3);
    EXPECT_EQ(status.get("phase").as_string(), phase);
    const auto ready = condition(status, "Ready");
    EXPECT_EQ(ready.get("reason").as_string(), reason);
    EXPECT_EQ(status.get("containerStatuses")[0].get("state", "terminated", "exitCode").as_int(),
              code);
  }
}

TEST(NodePodStatus, StaysInAPhaseThatIsFinal) {
  auto facts = prepared(kOne, R"({"phase":"Failed","reason":"Evicted","message":"m"})");
  runs(facts.containers[0], 1);

  const auto status = told(facts, 2);

  EXPECT_EQ(status.get("phase").as_string(), "Failed");
  EXPECT_EQ(status.get("reason").as_string(), "Evicted");
}

TEST(NodePodStatus, SaysWhichInitContainersAreNotDone) {
  auto facts = prepared(R"({"initContainers":[{"name":"i"},{"name":"j"}],
                            "containers":[{"name":"a"}]})");
  runs(facts.containers[0], 1);
  ends(facts.containers[0], 0, 2);
  runs(facts.containers[1], 2);

  const auto status = told(facts, 3);

  EXPECT_EQ(status.get("phase").as_string(), "Pending");
  const auto initialized_now = condition(status, "Initialized");
  EXPECT_EQ(initialized_now.get("message").as_string(), "containers with incomplete status: [j]");
  EXPECT_EQ(text(status.get("containerStatuses")[0].get("state")),
            R"({"waiting":{"reason":"PodInitializing"}})");
  EXPECT_TRUE(status.get("initContainerStatuses")[0].get("ready").as_bool());
}

TEST(NodePodStatus, FailsWithAnInitContainerThatIsNotStartedAgain) {
  auto facts = prepared(
      R"({"restartPolicy":"Never","initContainers":[{"name":"i"}],"containers":[{"name":"a"}]})");
  runs(facts.containers[0], 1);
  ends(facts.containers[0], 3, 2);

  const auto status = told(facts, 3);
  EXPECT_EQ(status.get("phase").as_string(), "Failed");
}

TEST(NodePodStatus, WaitsForReadinessGatesOfOthers) {
  auto facts =
      prepared(R"({"readinessGates":[{"conditionType":"x/y"}],"containers":[{"name":"a"}]})");
  runs(facts.containers[0], 1);

  const auto ready = condition(told(facts, 2), "Ready");

  EXPECT_EQ(ready.get("reason").as_string(), "ReadinessGatesNotReady");
}

TEST(NodePodStatus, SaysWhyAPodWasActiveTooLong) {
  auto facts = prepared(R"({"activeDeadlineSeconds":5,"containers":[{"name":"a"}]})");
  runs(facts.containers[0], 1);
  ends(facts.containers[0], 137, 6);

  const auto status = told(facts, 7);

  EXPECT_EQ(status.get("phase").as_string(), "Failed");
  EXPECT_EQ(status.get("reason").as_string(), "DeadlineExceeded");
}

TEST(NodePodStatus, PatchesOnlyWhatChangedAndNothingAtTheFixpoint) {
  auto facts = prepared(kOne);
  runs(facts.containers[0], 1);
  const auto status = told(facts, 2);
  json::Draft pod{facts.pod};
  pod["status"] = status;
  facts.pod = pod.freeze();

  auto later = told(facts, 60);
  EXPECT_TRUE(status_patch(facts.pod, later).is_null());

  facts.containers[0].ready = false;
  later = told(facts, 60);
  const auto patch = status_patch(facts.pod, later);
  EXPECT_EQ(patch.get("metadata", "uid").as_string(), "u-1");
  EXPECT_EQ(patch.get("status").size(), 2U);  // conditions and containerStatuses
  EXPECT_EQ(kube::condition_of(patch, "Ready").get("lastTransitionTime").as_string(),
            "2026-01-01T00:01:00Z");
}

}  // namespace
}  // namespace fixpoint::node
