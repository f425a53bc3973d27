// SPDX-License-Identifier: Apache-2.0
#include "cluster/disruption/budget.h"

#include "cluster/workloads/workload_fixture.h"

#include <chrono>

#include <gmock/gmock.h>

namespace fixpoint::cluster::disruption {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Budgets : public WorkloadFixture {
 protected:
  void owner(std::string_view kind, int replicas) {
    made(kind, R"({"metadata":{"name":"web"},"spec":{"replicas":)" + std::to_string(replicas) +
                   R"(,"selector":{"matchLabels":{"app":"web"}},"template":)" +
                   pod_template("web", "a") + "}}");
    converge();
  }
  void budget(std::string_view spec) {
    made("poddisruptionbudgets", R"({"metadata":{"name":"b"},"spec":{)" + std::string{spec} +
                                     R"(,"selector":{"matchLabels":{"app":"web"}}}})");
    settle();
  }
  json::View status() { return read("poddisruptionbudgets", "b").get("status"); }
  // "healthy/desired of expected, allowed"
  std::string counts() {
    const json::View now = status();
    const auto number = [&](std::string_view field) {
      return std::to_string(now.get(field).as_int(-1));
    };
    return number("currentHealthy") + "/" + number("desiredHealthy") + " of " +
           number("expectedPods") + ", " + number("disruptionsAllowed");
  }
  int evict(std::string_view pod) {
    return create(path("pods", pod) + "/eviction",
                  R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                      std::string{pod} + R"("}})")
        .code;
  }
};

TEST_F(Budgets, AllowAsManyDisruptionsAsThereAreHealthyPodsToSpare) {
  owner("replicasets", 3);
  budget(R"("minAvailable":2)");
  EXPECT_EQ(counts(), "3/2 of 3, 1");
  EXPECT_EQ(status().get("conditions")[0].get("reason").as_string(), "SufficientPods");

  const auto pods = names("pods");
  EXPECT_EQ(evict(pods[0]), 201);
  EXPECT_EQ(evict(pods[1]), 429);
  settle();
  EXPECT_EQ(counts(), "2/2 of 3, 0");
  converge();

  EXPECT_EQ(counts(), "3/2 of 3, 1");
  EXPECT_TRUE(status().get("disruptedPods").is_null());
}

TEST_F(Budgets, CountWhatTheOwnerWantsAndOfItsDeploymentRatherThanItsSet) {
  owner("deployments", 4);
  budget(R"("maxUnavailable":"25%")");
  EXPECT_EQ(counts(), "4/3 of 4, 1");
  report(names("pods")[0], "Running", false);
  settle();
  EXPECT_EQ(counts(), "3/3 of 4, 0");
  EXPECT_EQ(status().get("conditions")[0].get("reason").as_string(), "InsufficientPods");
}

TEST_F(Budgets, AChargeForAPodThatStaysIsForgotten) {
  owner("replicasets", 2);
  budget(R"("minAvailable":1)");
  const auto pod = names("pods")[0];
  change("poddisruptionbudgets", "b/status",
         R"({"status":{"disruptedPods":{")" + pod + R"(":")" + format_seconds(clock_.wall()) +
             R"("}}})");
  settle();
  EXPECT_EQ(counts(), "1/1 of 2, 0");
  clock_.advance(std::chrono::seconds(121));
  settle();
  EXPECT_EQ(counts(), "2/1 of 2, 1");
  EXPECT_THAT(told("Pod"), Contains(HasSubstr("NotDeleted: Pod was expected by PDB ns/ns")));
}

TEST_F(Budgets, OfPodsWithoutAScaleAllowNothing) {
  made("jobs", R"({"metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"app":"web"}},
    "spec":{"restartPolicy":"Never","schedulerName":"nobody",
    "containers":[{"name":"c","image":"i"}]}}}})");
  settle();
  budget(R"("maxUnavailable":1)");
  const json::View condition = status().get("conditions")[0];
  EXPECT_EQ(condition.get("reason").as_string(), "SyncFailed");
  EXPECT_EQ(condition.get("message").as_string(),
            "jobs.batch does not implement the scale subresource");
}

TEST_F(Budgets, OfNoPodsSaySo) {
  budget(R"("minAvailable":1)");
  EXPECT_EQ(counts(), "0/1 of 0, 0");
  EXPECT_THAT(told("PodDisruptionBudget"), Contains("NoPods: No matching pods found"));
}

TEST_F(Budgets, ATargetOfADisruptionThatDidNotComeIsNoTargetAnyMore) {
  owner("replicasets", 1);
  const auto pod = names("pods")[0];
  change("pods", pod + "/status",
         R"({"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"x",
         "lastTransitionTime":")" +
             format_seconds(clock_.wall()) + R"("}]}})");
  settle();
  EXPECT_TRUE(kube::condition_is_true(read("pods", pod), "DisruptionTarget"));
  clock_.advance(std::chrono::seconds(120));
  settle();
  EXPECT_FALSE(kube::condition_is_true(read("pods", pod), "DisruptionTarget"));
}

}  // namespace
}  // namespace fixpoint::cluster::disruption
