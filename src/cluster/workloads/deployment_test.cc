// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/deployment.h"

#include "cluster/workloads/workload_fixture.h"

#include <map>

#include <gmock/gmock.h>

namespace fixpoint::cluster {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Deployments : public WorkloadFixture {
 protected:
  json::Value deployment(int replicas, std::string_view extra = {}) {
    return made("deployments", R"({"metadata":{"name":"web"},"spec":{"replicas":)" +
                                   std::to_string(replicas) + std::string{extra} +
                                   R"(,"selector":{"matchLabels":{"app":"web"}},"template":)" +
                                   pod_template("web", "a") + "}}");
  }
  void image(std::string_view name) {
    change("deployments", "web",
           R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" +
               std::string{name} + R"("}]}}}})");
  }
  json::View status() { return read("deployments", "web").get("status"); }
  std::string condition(std::string_view type) {
    const json::View found = read("deployments", "web");
    const json::View condition = kube::condition_of(found, type);
    return std::string{condition.get("status").as_string()} + " " +
           std::string{condition.get("reason").as_string()};
  }
  // The image of each set and how many pods it wants.
  std::map<std::string, std::int64_t> sizes() {
    std::map<std::string, std::int64_t> found;
    for (const auto& set : all("replicasets")) {
      const auto image = set.get("spec", "template", "spec", "containers")[0].get("image");
      found[std::string{image.as_string()}] = set.get("spec", "replicas").as_int();
    }
    return found;
  }
  std::map<std::string, std::string> revisions() {
    std::map<std::string, std::string> found;
    for (const auto& set : all("replicasets")) {
      const auto image = set.get("spec", "template", "spec", "containers")[0].get("image");
      found[std::string{image.as_string()}] =
          kube::annotation_of(set, "deployment.kubernetes.io/revision");
    }
    return found;
  }
};

using Sizes = std::map<std::string, std::int64_t>;
using Revisions = std::map<std::string, std::string>;

TEST_F(Deployments, BecomeASetNamedByTheHashOfItsTemplate) {
  deployment(3);
  converge();

  ASSERT_EQ(all("replicasets").size(), 1U);
  const auto set = all("replicasets").front();
  const auto hash = std::string{kube::label_of(set, "pod-template-hash")};
  EXPECT_EQ(kube::name_of(set), "web-" + hash);
  EXPECT_EQ(set.get("spec", "selector", "matchLabels", "pod-template-hash").as_string(), hash);
  EXPECT_EQ(kube::annotation_of(set, "deployment.kubernetes.io/desired-replicas"), "3");
  EXPECT_EQ(kube::annotation_of(set, "deployment.kubernetes.io/max-replicas"), "4");
  EXPECT_EQ(kube::annotation_of(read("deployments", "web"), "deployment.kubernetes.io/revision"),
            "1");
  EXPECT_EQ(status().get("availableReplicas").as_int(), 3);
  EXPECT_TRUE(status().get("unavailableReplicas").is_null());
  EXPECT_EQ(condition("Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(condition("Progressing"), "True NewReplicaSetAvailable");
  EXPECT_THAT(told("Deployment"),
              ElementsAre("ScalingReplicaSet: Scaled up replica set web-" + hash + " from 0 to 3"));
}

TEST_F(Deployments, RollWithinTheirBounds) {
  deployment(4, R"(,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})");
  converge();
  image("b");

  // One pod becomes ready at a time, and the bounds hold all the way.
  for (int i = 0; i < 100; ++i) {
    settle();
    std::size_t ready = 0;
    std::string next;
    const auto pods = all("pods");
    for (const auto& pod : pods) {
      if (kube::condition_is_true(pod, "Ready")) {
        ++ready;
      } else {
        next = kube::name_of(pod);
      }
    }
    ASSERT_GE(ready, 3U);
    ASSERT_LE(pods.size(), 5U);
    if (next.empty()) break;
    report(next, "Running", true);
  }

  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 0},
                         {"b", 4}
  }));
  EXPECT_EQ(condition("Progressing"), "True NewReplicaSetAvailable");
  EXPECT_EQ(status().get("updatedReplicas").as_int(), 4);
}

TEST_F(Deployments, AStuckRolloutKeepsTheOldPodsAndSaysSoAfterItsDeadline) {
  deployment(4, R"(,"progressDeadlineSeconds":60)");
  converge();

  image("broken");
  settle();
  EXPECT_EQ(sizes(), (Sizes{
                         {"a",      3},
                         {"broken", 2}
  }));
  clock_.advance(std::chrono::seconds(62));
  settle();

  EXPECT_EQ(sizes(), (Sizes{
                         {"a",      3},
                         {"broken", 2}
  }));
  EXPECT_EQ(condition("Progressing"), "False ProgressDeadlineExceeded");

  image("a");
  converge();

  EXPECT_EQ(sizes(), (Sizes{
                         {"a",      4},
                         {"broken", 0}
  }));
  EXPECT_EQ(condition("Progressing"), "True NewReplicaSetAvailable");
}

TEST_F(Deployments, RollingBackTakesTheOldSetAgainUnderANewRevision) {
  deployment(2);
  converge();
  image("b");
  converge();

  image("a");
  converge();

  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 2},
                         {"b", 0}
  }));
  EXPECT_EQ(revisions(), (Revisions{
                             {"a", "3"},
                             {"b", "2"}
  }));
  EXPECT_EQ(kube::annotation_of(read("deployments", "web"), "deployment.kubernetes.io/revision"),
            "3");
  const auto sets = all("replicasets");
  EXPECT_TRUE(std::ranges::any_of(sets, [](const json::Value& set) {
    return kube::annotation_of(set, "deployment.kubernetes.io/revision-history") == "1";
  }));
}

TEST_F(Deployments, KeepAsManyOldSetsAsTheyAreAllowed) {
  deployment(1, R"(,"revisionHistoryLimit":2)");
  for (const std::string_view name : {"b", "c", "d", "e"}) {
    converge();
    image(name);
  }
  converge();

  EXPECT_EQ(revisions(), (Revisions{
                             {"c", "3"},
                             {"d", "4"},
                             {"e", "5"}
  }));
}

TEST_F(Deployments, PausedTheyScaleButDoNotRoll) {
  deployment(2);
  converge();
  change("deployments", "web", R"({"spec":{"paused":true}})");
  image("b");
  settle();
  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 2}
  }));
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused");

  change("deployments", "web", R"({"spec":{"replicas":5}})");
  converge();
  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 5}
  }));

  change("deployments", "web", R"({"spec":{"paused":false}})");
  converge();
  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 0},
                         {"b", 5}
  }));
}

TEST_F(Deployments, ScaledInTheMiddleOfARolloutAllSetsGrowInProportion) {
  deployment(10, R"(,"strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}})");
  converge();
  image("broken");
  settle();
  ASSERT_EQ(sizes(), (Sizes{
                         {"a",      8},
                         {"broken", 5}
  }));

  change("deployments", "web", R"({"spec":{"replicas":15}})");
  settle();

  EXPECT_EQ(sizes(), (Sizes{
                         {"a",      11},
                         {"broken", 7 }
  }));
}

TEST_F(Deployments, RecreateWaitsForTheLastOldPod) {
  deployment(2, R"(,"strategy":{"type":"Recreate"})");
  converge();
  const auto pods = names("pods");
  change("pods", pods[0], R"({"metadata":{"finalizers":["example.com/hold"]}})");

  image("b");
  settle();
  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 0}
  }));
  change("pods", pods[0], R"({"metadata":{"finalizers":null}})");
  converge();

  EXPECT_EQ(sizes(), (Sizes{
                         {"a", 0},
                         {"b", 2}
  }));
}

TEST_F(Deployments, ATakenNameIsACollisionAndGetsAnotherHash) {
  deployment(1);
  settle();
  const auto taken = names("replicasets").front();
  remove(path("deployments", "web"));
  settle();
  ASSERT_TRUE(names("replicasets").empty());
  made("replicasets", R"({"metadata":{"name":")" + taken +
                          R"("},"spec":{"replicas":0,"selector":{"matchLabels":{"x":"y"}},)"
                          R"("template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":)"
                          R"([{"name":"c","image":"z"}]}}}})");

  deployment(1);
  settle();
  clock_.advance(std::chrono::seconds(1));  // the pause after a refusal
  converge();

  EXPECT_EQ(status().get("collisionCount").as_int(), 1);
  EXPECT_EQ(names("replicasets").size(), 2U);
  EXPECT_EQ(status().get("availableReplicas").as_int(), 1);
}

TEST_F(Deployments, AQuotaThatRefusesPodsIsSeenInTheDeployment) {
  made("resourcequotas", R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}})");
  settle();
  deployment(2);
  settle();

  EXPECT_EQ(condition("ReplicaFailure"), "True FailedCreate");
}

TEST_F(Deployments, ASetThatCannotBeMadeIsSaid) {
  made("resourcequotas",
       R"({"metadata":{"name":"q"},"spec":{"hard":{"count/replicasets.apps":"0"}}})");
  settle();
  deployment(2);
  settle();

  EXPECT_EQ(condition("Progressing"), "False ReplicaSetCreateError");
  EXPECT_THAT(told("Deployment"), Contains(AllOf(HasSubstr("Failed to create new replica set"),
                                                 HasSubstr("exceeded quota"))));
}

TEST_F(Deployments, AdoptOrphanSetsThatTheySelect) {
  deployment(2);
  converge();
  remove(path("deployments", "web"), R"({"propagationPolicy":"Orphan"})");
  settle();
  const auto sets = names("replicasets");
  ASSERT_EQ(sets.size(), 1U);
  ASSERT_FALSE(kube::controller_of(read("replicasets", names("replicasets").front())));

  deployment(2);
  converge();

  EXPECT_EQ(names("replicasets"), sets);
  EXPECT_TRUE(kube::controller_of(read("replicasets", names("replicasets").front())));
}

TEST_F(Deployments, PassTheirAnnotationsOnButNotTheirOwn) {
  deployment(1);
  settle();
  change("deployments", "web",
         R"({"metadata":{"annotations":{"team":"x",)"
         R"("kubectl.kubernetes.io/last-applied-configuration":"{}"}}})");
  settle();

  const auto set = all("replicasets").front();
  EXPECT_EQ(kube::annotation_of(set, "team"), "x");
  EXPECT_EQ(kube::annotation_of(set, "kubectl.kubernetes.io/last-applied-configuration"), "");
}

TEST_F(Deployments, AtRestTheyWriteNothing) {
  deployment(3);
  converge();
  image("b");
  converge();
  const auto before = store_.revision();

  for (const auto& set : names("replicasets")) {
    change("replicasets", set, R"({"metadata":{"labels":{"touched":"yes"}}})");
  }
  const auto touched = store_.revision();
  settle();

  EXPECT_NE(touched, before);
  EXPECT_EQ(store_.revision(), touched);
}

}  // namespace
}  // namespace fixpoint::cluster
