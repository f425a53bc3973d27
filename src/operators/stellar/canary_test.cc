// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/canary.h"

#include "operators/stellar/stellar_fixture.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kTried = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","replicas":5,"horizonConfig":{"databaseSecretRef":"seed",
  "stellarCoreUrl":"http://core:11626","enableIngest":false},"strategy":{"type":"canary",
  "canary":{"weight":20,"checkIntervalSeconds":60,"stepWeight":20,"maxWeight":40}}})";

class StellarCanary : public StellarFixture {
 protected:
  // The old version runs and the new one is asked for.
  void begin() {
    bring_up("alice", kTried);
    edit("alice", R"({"spec":{"version":"22.2.0"}})");
    settle();
  }
  std::string version_of(std::string_view deployment) {
    const auto object = child(kinds::kDeployment, deployment);
    return std::string{
        object.get("spec", "template", "spec", "containers")[0].get("image").as_string()};
  }
  std::int64_t pods_of(std::string_view deployment) {
    const auto object = child(kinds::kDeployment, deployment);
    return object.get("spec", "replicas").as_int();
  }
  std::string status(std::string_view field) {
    return world_.text(nodes_, "alice", "status", field);
  }
  // As a kubelet and the Deployment's controller would say.
  void start_canary() {
    const auto deployment = child(kinds::kDeployment, "alice-canary");
    const auto count = std::to_string(deployment.get("spec", "replicas").as_int());
    world_.patch(resource_of(kinds::kDeployment), "alice-canary",
                 filled(R"({"status":{"observedGeneration":%,"replicas":%,"readyReplicas":%,
                 "updatedReplicas":%}})",
                        {std::to_string(kube::generation_of(deployment)), count, count, count}),
                 "status");
    if (has(kinds::kPod, "canary-0")) return;
    world_.create("", "v1", "pods", "ns", R"({"metadata":{"name":"canary-0","labels":{
        "app.kubernetes.io/name":"stellar-node","app.kubernetes.io/instance":"alice",
        "stellar.org/track":"canary"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    world_.patch(resource_of(kinds::kPod), "canary-0",
                 R"({"status":{"phase":"Running","podIP":"127.1.0.2","conditions":[
                 {"type":"Ready","status":"True"}]}})",
                 "status");
  }
  void answer_of_canary(Verdict verdict, std::string reason) {
    on_probe_ = [this, verdict, reason](const runtime::Probe& probe) -> Result<json::Value> {
      if (probe.arguments.get("host").as_string() != "127.1.0.2") return health.to_json();
      return Health{.verdict = verdict, .reason = reason, .message = "it says no"}.to_json();
    };
  }
  // An interval passes; what the pass after it said.
  std::vector<std::string> wait_and_look() {
    world_.clock.advance(seconds(61));
    world_.sync();
    return reasons(run("alice"));
  }
};

TEST_F(StellarCanary, TriesAVersionBesideTheOldOne) {
  begin();

  EXPECT_THAT(version_of("alice"), HasSubstr("22.1.0"));
  EXPECT_THAT(version_of("alice-canary"), HasSubstr("22.2.0"));
  EXPECT_EQ(pods_of("alice-canary"), 1);
  EXPECT_EQ(phase(), "Canary");
  EXPECT_EQ(condition("Ready"), "True NodeSynced");
  EXPECT_EQ(status("canaryVersion"), "22.2.0");
  EXPECT_EQ(status("canaryWeight"), "20");
  start_canary();
  EXPECT_EQ(settle().writes, 0U) << "nothing until it is due";
}

TEST_F(StellarCanary, GrowsStepByStepAndTakesOver) {
  begin();
  start_canary();
  wait_and_look();
  EXPECT_EQ(pods_of("alice-canary"), 2);
  EXPECT_THAT(version_of("alice"), HasSubstr("22.1.0"));
  settle();
  EXPECT_EQ(status("canaryWeight"), "40");
  EXPECT_EQ(phase(), "Canary");

  start_canary();
  EXPECT_THAT(wait_and_look(), Contains("CanaryPromoted"));
  EXPECT_THAT(version_of("alice"), HasSubstr("22.2.0"));
  settle();
  EXPECT_FALSE(has(kinds::kDeployment, "alice-canary"));
  start_pods();
  settle();
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(status("canaryVersion"), "");
}

TEST_F(StellarCanary, RollsBackWhatIsNotWellAndSaysSoForGood) {
  begin();
  start_canary();
  answer_of_canary(Verdict::Unhealthy, "StaleLedger");
  EXPECT_THAT(wait_and_look(), Contains("CanaryRolledBack"));
  settle();

  EXPECT_FALSE(has(kinds::kDeployment, "alice-canary"));
  EXPECT_THAT(version_of("alice"), HasSubstr("22.1.0"));
  EXPECT_EQ(phase(), "Degraded");
  EXPECT_EQ(condition("Ready"), "False CanaryRolledBack");
  EXPECT_EQ(condition("Available"), "True NodeSynced");
  EXPECT_THAT(told("Ready"), HasSubstr("Set version to 22.1.0, or to another one"));
  EXPECT_EQ(status("canaryRolledBackVersion"), "22.2.0");

  // A new process does not try again what failed.
  memory_ = {};
  world_.clock.advance(seconds(3600));
  EXPECT_EQ(settle().writes, 0U);

  // A person chooses another, and later the first again.
  edit("alice", R"({"spec":{"version":"22.1.0"}})");
  settle();
  start_pods();  // another annotation is another generation of a Deployment
  settle();
  EXPECT_EQ(phase(), "Running") << told("Ready");
  edit("alice", R"({"spec":{"version":"22.2.0"}})");
  settle();
  EXPECT_TRUE(has(kinds::kDeployment, "alice-canary"));
}

TEST_F(StellarCanary, WaitsForOneThatIsStillCatchingUp) {
  begin();
  start_canary();
  answer_of_canary(Verdict::Unhealthy, "Syncing");

  EXPECT_THAT(wait_and_look(), Not(Contains("CanaryRolledBack")));
  EXPECT_TRUE(has(kinds::kDeployment, "alice-canary"));
  EXPECT_EQ(pods_of("alice-canary"), 1);
}

TEST_F(StellarCanary, GoesOnWhereAnotherProcessWas) {
  begin();
  start_canary();
  wait_and_look();
  ASSERT_EQ(pods_of("alice-canary"), 2);
  settle();

  memory_ = {};
  EXPECT_EQ(settle().writes, 0U);
  EXPECT_EQ(pods_of("alice-canary"), 2);
}

TEST_F(StellarCanary, TakesEverythingAlongOnDeletion) {
  begin();
  world_.remove(nodes_, "alice");
  for (int pass = 0; pass < 12 && !node().is_null(); ++pass) {
    world_.sync();
    (void)run("alice");
  }

  EXPECT_TRUE(node().is_null());
  EXPECT_FALSE(has(kinds::kDeployment, "alice-canary"));
}

TEST(StellarTrial, HasAtLeastOnePod) {
  EXPECT_EQ(canary_pods(10, 20), 2);
  EXPECT_EQ(canary_pods(10, 25), 3);
  EXPECT_EQ(canary_pods(2, 10), 1);
  EXPECT_EQ(canary_pods(0, 10), 1);
}

}  // namespace
}  // namespace fixpoint::operators::stellar
