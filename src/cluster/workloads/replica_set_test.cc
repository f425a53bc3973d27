// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/replica_set.h"

#include "base/thoroughness_for_tests.h"
#include "cluster/workloads/workload_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class ReplicaSets : public WorkloadFixture {
 protected:
  json::Value set(int replicas, std::string_view extra = {}) {
    return made("replicasets", R"({"metadata":{"name":"web"},"spec":{"replicas":)" +
                                   std::to_string(replicas) + std::string{extra} +
                                   R"(,"selector":{"matchLabels":{"app":"web"}},"template":)" +
                                   pod_template("web", "a") + "}}");
  }
  std::string orphan(std::string_view name) {
    return R"({"metadata":{"name":")" + std::string{name} +
           R"(","labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"a"}]}})";
  }
  json::View status() { return read("replicasets", "web").get("status"); }
};

TEST_F(ReplicaSets, MakesAndEndsPodsUntilThereAreAsManyAsWanted) {
  set(3);
  settle();
  EXPECT_EQ(names("pods").size(), 3U);
  EXPECT_THAT(names("pods"), testing::Each(StartsWith("web-")));

  change("replicasets", "web", R"({"spec":{"replicas":1}})");
  settle();

  EXPECT_EQ(names("pods").size(), 1U);
  EXPECT_EQ(json::to_text(status()),
            R"({"fullyLabeledReplicas":1,"observedGeneration":2,"replicas":1})");
}

TEST_F(ReplicaSets, APodThatFailedOrWasDeletedIsReplaced) {
  set(2);
  converge();
  const auto pods = names("pods");

  remove(path("pods", pods[0]));
  report(pods[1], "Failed", false);
  converge();

  EXPECT_EQ(names("pods").size(), 3U);  // the failed one stays to be looked at
  EXPECT_EQ(status().get("readyReplicas").as_int(), 2);
}

TEST_F(ReplicaSets, AdoptsOrphansItSelectsAndLetsGoOfWhatItDoesNot) {
  made("pods", orphan("stray"));
  set(2);
  settle();
  ASSERT_EQ(names("pods").size(), 2U);
  EXPECT_TRUE(kube::controller_of(read("pods", "stray")).has_value());

  change("pods", "stray", R"({"metadata":{"labels":{"app":"other"}}})");
  settle();

  EXPECT_FALSE(kube::controller_of(read("pods", "stray")).has_value());
  EXPECT_EQ(names("pods").size(), 3U);
}

TEST_F(ReplicaSets, AdoptsWhatNamesItAsAnOwnerThatIsNoController) {
  set(1);
  settle();
  const std::string pod = names("pods").at(0);
  const auto owners = [&] {
    return json::to_text(read("pods", pod).get("metadata", "ownerReferences"));
  };
  const auto before = owners();

  change(
      "pods", pod,
      R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web",)"
      R"("uid":")" +
          std::string{kube::uid_of(read("replicasets", "web"))} + R"("}]}})");
  settle();

  EXPECT_EQ(owners(), before);
  EXPECT_EQ(names("pods").size(), 1U);
}

TEST_F(ReplicaSets, AnOrphanThatComesLaterIsOneTooMany) {
  set(2);
  converge();

  made("pods", orphan("stray"));
  settle();

  EXPECT_EQ(names("pods").size(), 2U);
  EXPECT_EQ(get(path("pods", "stray")).code, 404);  // the only one that is not ready
}

TEST_F(ReplicaSets, ASetThatIsBeingDeletedMakesNothing) {
  set(2);
  settle();
  change("replicasets", "web", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  remove(path("replicasets", "web"));

  for (const auto& pod : names("pods")) remove(path("pods", pod));
  settle();

  EXPECT_TRUE(names("pods").empty());
}

TEST_F(ReplicaSets, ARefusedPodIsAConditionUntilItIsMade) {
  made("resourcequotas", R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}})");
  settle();
  set(3);
  settle();
  const json::View failed = status();
  const auto failure = failed.get("conditions")[0];
  EXPECT_EQ(failure.get("type").as_string(), "ReplicaFailure");
  EXPECT_EQ(failure.get("reason").as_string(), "FailedCreate");
  EXPECT_THAT(std::string{failure.get("message").as_string()}, HasSubstr("exceeded quota: q"));
  EXPECT_EQ(names("pods").size(), 1U);
  EXPECT_THAT(told("ReplicaSet"), testing::Contains(HasSubstr("FailedCreate: Error creating: ")));

  change("resourcequotas", "q", R"({"spec":{"hard":{"pods":"5"}}})");
  clock_.advance(std::chrono::minutes(1));
  settle();

  EXPECT_EQ(names("pods").size(), 3U);
  EXPECT_TRUE(status().get("conditions").is_null());
}

TEST_F(ReplicaSets, APodIsAvailableOnlyAfterItsSecondsOfReadiness) {
  set(1, R"(,"minReadySeconds":10)");
  converge();
  EXPECT_EQ(status().get("readyReplicas").as_int(), 1);
  EXPECT_EQ(status().get("availableReplicas").as_int(), 0);

  clock_.advance(std::chrono::seconds(10));
  settle();

  EXPECT_EQ(status().get("availableReplicas").as_int(), 1);
}

TEST_F(ReplicaSets, TellsOfEveryPodItMakesAndEnds) {
  set(1);
  settle();
  const auto pod = names("pods").front();
  change("replicasets", "web", R"({"spec":{"replicas":0}})");
  settle();

  EXPECT_THAT(told("ReplicaSet"), ElementsAre("SuccessfulCreate: Created pod: " + pod,
                                              "SuccessfulDelete: Deleted pod: " + pod));
}

TEST_F(ReplicaSets, APassHasABoundAndTheNextGoesOn) {
  constexpr int kPods = kSanitized ? 600 : 1200;
  static_assert(kPods > kReplicasPerPass);
  set(kPods);
  settle();

  EXPECT_THAT(names("pods"), SizeIs(kPods));
}

TEST_F(ReplicaSets, AtRestItWritesNothing) {
  set(3);
  converge();
  const auto before = store_.revision();

  clock_.advance(std::chrono::hours(1));
  settle();

  // Events expire; nothing else is written.
  const auto events = store_.events_after(before);
  for (const auto& event : *events) EXPECT_THAT(event.key(), StartsWith("events"));
}

TEST_F(ReplicaSets, AReplicationControllerIsOneToo) {
  made("replicationcontrollers",
       R"({"metadata":{"name":"old"},"spec":{"replicas":2,"selector":{"app":"web"},"template":)" +
           pod_template("web", "a") + "}}");
  converge();

  EXPECT_EQ(names("pods").size(), 2U);
  const json::View status = read("replicationcontrollers", "old").get("status");
  EXPECT_EQ(status.get("readyReplicas").as_int(), 2);
}

// The pure half: which pod goes first.
class Ranking : public ReplicaSets {
 protected:
  // Sets the status of pods by hand, then lets one of them go.
  std::string first_to_go(const std::vector<std::pair<std::string, std::string>>& patches) {
    set(static_cast<int>(patches.size()));
    settle();
    const auto pods = names("pods");
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (!patches[i].first.empty()) {
        const auto response = patch(path("pods", pods[i]) + "/status", patches[i].first);
        EXPECT_EQ(response.code, 200) << message(response);
      }
      if (!patches[i].second.empty()) change("pods", pods[i], patches[i].second);
    }
    settle();
    change("replicasets", "web",
           R"({"spec":{"replicas":)" + std::to_string(pods.size() - 1) + "}}");
    settle();
    const auto left = names("pods");
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (std::ranges::find(left, pods[i]) == left.end()) return std::to_string(i);
    }
    return "none";
  }
  static std::string status_of(std::string_view phase, std::string_view ready_since,
                               int restarts = 0) {
    return R"({"status":{"phase":")" + std::string{phase} +
           R"(","conditions":[{"type":"Ready","status":")" +
           (ready_since.empty() ? "False" : "True") + R"(","lastTransitionTime":")" +
           std::string{ready_since.empty() ? "2025-12-01T00:00:00Z" : ready_since} +
           R"("}],"containerStatuses":[{"name":"c","image":"a","imageID":"","ready":true,)"
           R"("restartCount":)" +
           std::to_string(restarts) + "}]}}";
  }
};

TEST_F(Ranking, PendingBeforeRunning) {
  EXPECT_EQ(first_to_go({
                {status_of("Running", ""), ""},
                {status_of("Pending", ""), ""}
  }),
            "1");
}

TEST_F(Ranking, NotReadyBeforeReady) {
  EXPECT_EQ(
      first_to_go({
          {status_of("Running", "2025-12-01T00:00:00Z"), ""},
          {status_of("Running", ""),                     ""}
  }),
      "1");
}

TEST_F(Ranking, CheapBeforeDear) {
  EXPECT_EQ(
      first_to_go({
          {status_of("Running", "2025-12-31T23:59:59Z"), ""                                     },
          {status_of("Running", "2025-12-01T00:00:00Z"),
           R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-5"}}})"}
  }),
      "1");
}

TEST_F(Ranking, ShortReadyBeforeLongReady) {
  EXPECT_EQ(first_to_go({
                {status_of("Running", "2025-12-01T00:00:00Z"), ""},
                {status_of("Running", "2025-12-31T23:59:59Z"), ""}
  }),
            "1");
}

TEST_F(Ranking, MoreRestartsBeforeFewer) {
  EXPECT_EQ(first_to_go({
                {status_of("Running", "2025-12-01T00:00:00Z", 0), ""},
                {status_of("Running", "2025-12-01T00:00:00Z", 7), ""}
  }),
            "1");
}

}  // namespace
}  // namespace fixpoint::cluster
