// SPDX-License-Identifier: Apache-2.0
#include "cluster/daemons/daemon_set.h"

#include "cluster/workloads/workload_fixture.h"

#include <chrono>

#include <gmock/gmock.h>

namespace fixpoint::cluster::daemons {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class DaemonSets : public WorkloadFixture {
 protected:
  void node(std::string_view name, std::string_view spec = {}) {
    const auto response =
        create("/api/v1/nodes", R"({"metadata":{"name":")" + std::string{name} +
                                    R"(","labels":{"disk":"ssd"}},"spec":{)" + std::string{spec} +
                                    R"(},"status":{"allocatable":{"cpu":"2","pods":"10"},
                                    "conditions":[{"type":"Ready","status":"True"}]}})");
    ASSERT_EQ(response.code, 201) << message(response);
  }
  void set(std::string_view spec = {}, std::string_view pod_spec = {}) {
    made("daemonsets", R"({"metadata":{"name":"d"},"spec":{)" + std::string{spec} +
                           R"("selector":{"matchLabels":{"app":"d"}},"template":{"metadata":
                           {"labels":{"app":"d"}},"spec":{)" +
                           std::string{pod_spec} +
                           R"("containers":[{"name":"c","image":"a"}]}}}})");
    converge();
  }
  void update(std::string_view image) {
    change("daemonsets", "d",
           R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" +
               std::string{image} + R"("}]}}}})");
    settle();
  }
  // "node image" of every pod that is not going.
  std::vector<std::string> placed() {
    std::vector<std::string> found;
    for (const auto& pod : all("pods")) {
      if (kube::being_deleted(pod)) continue;
      found.push_back(std::string{pod.get("spec", "nodeName").as_string()} + " " +
                      std::string{pod.get("spec", "containers")[0].get("image").as_string()});
    }
    std::ranges::sort(found);
    return found;
  }
  // Pods that were asked to go are gone.
  void reap() {
    for (const auto& pod : all("pods")) {
      if (kube::being_deleted(pod)) {
        remove(path("pods", kube::name_of(pod)), R"({"gracePeriodSeconds":0})");
      }
    }
    settle();
  }
  std::string status() { return json::to_text(read("daemonsets", "d").get("status")); }
};

TEST_F(DaemonSets, RunOnePodOnEveryNodeThatComes) {
  node("a");
  node("b");
  set();
  EXPECT_THAT(placed(), ElementsAre("a a", "b a"));
  EXPECT_EQ(status(),
            R"({"currentNumberScheduled":2,"desiredNumberScheduled":2,"numberAvailable":2,)"
            R"("numberMisscheduled":0,"numberReady":2,"observedGeneration":1,)"
            R"("updatedNumberScheduled":2})");

  node("c");
  converge();

  EXPECT_THAT(placed(), ElementsAre("a a", "b a", "c a"));
}

TEST_F(DaemonSets, StayAwayFromNodesTheyDoNotMatchOrTolerate) {
  node("a");
  node("b", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  node("c", R"("taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}])");
  set({}, R"("nodeSelector":{"disk":"ssd"},)");
  EXPECT_THAT(placed(), ElementsAre("a a", "c a"));

  patch("/api/v1/nodes/a", R"({"metadata":{"labels":{"disk":"none"}}})");
  patch("/api/v1/nodes/c", R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  settle();
  reap();

  EXPECT_THAT(placed(), ElementsAre("c a"));  // what runs may stay
  EXPECT_EQ(read("daemonsets", "d").get("status", "numberMisscheduled").as_int(), 1);

  patch("/api/v1/nodes/c", R"({"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}})");
  settle();

  EXPECT_THAT(placed(), testing::IsEmpty());
  EXPECT_EQ(read("daemonsets", "d").get("status", "desiredNumberScheduled").as_int(-1), 0);
}

TEST_F(DaemonSets, UpdateOneNodeAfterTheOther) {
  node("a");
  node("b");
  set();
  update("b");
  EXPECT_EQ(placed().size(), 1U);
  reap();
  EXPECT_THAT(placed(), ElementsAre("a b", "b a"));
  EXPECT_THAT(names("controllerrevisions").size(), 2U);

  converge();
  reap();
  converge();

  EXPECT_THAT(placed(), ElementsAre("a b", "b b"));
}

TEST_F(DaemonSets, WithASurgeTheNewPodComesFirst) {
  node("a");
  set(R"("updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}},)");
  update("b");
  EXPECT_THAT(placed(), ElementsAre("a a", "a b"));

  converge();
  reap();

  EXPECT_THAT(placed(), ElementsAre("a b"));
}

TEST_F(DaemonSets, OnDeleteWaitsForAPerson) {
  node("a");
  set(R"("updateStrategy":{"type":"OnDelete"},)");
  update("b");
  EXPECT_THAT(placed(), ElementsAre("a a"));
  remove(path("pods", names("pods")[0]), R"({"gracePeriodSeconds":0})");
  settle();
  EXPECT_THAT(placed(), ElementsAre("a b"));
}

TEST_F(DaemonSets, AFailedPodIsReplacedAndThenAfterAPause) {
  node("a");
  set();
  report(names("pods")[0], "Failed", false);
  settle();
  reap();
  ASSERT_THAT(placed(), ElementsAre("a a"));
  EXPECT_THAT(told("DaemonSet"),
              Contains(HasSubstr("FailedDaemonPod: Found failed daemon pod ns/")));

  const auto second = names("pods")[0];
  report(second, "Failed", false);
  settle();
  reap();
  EXPECT_THAT(names("pods"), ElementsAre(second));
  clock_.advance(std::chrono::seconds(1));
  settle();
  reap();

  EXPECT_THAT(names("pods"), testing::Not(Contains(second)));
}

TEST_F(DaemonSets, OldRevisionsGoBeyondTheLimit) {
  set(R"("revisionHistoryLimit":1,)");
  for (const auto image : {"b", "c", "d"}) update(image);
  EXPECT_EQ(names("controllerrevisions").size(), 2U);
}

}  // namespace
}  // namespace fixpoint::cluster::daemons
