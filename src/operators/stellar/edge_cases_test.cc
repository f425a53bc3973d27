// SPDX-License-Identifier: Apache-2.0
//
// Eight of the twelve edge cases of docs/operators/stellar.md, in which a node is made and lives,
// each on the API server that ships, with the fault put in between two effects of a pass. Read
// next: removal_cases_test.cc, the other four; tests/integration has those that need processes.
#include "base/thoroughness_for_tests.h"
#include "operators/stellar/stellar_fixture.h"
#include "runtime/test_replies.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

using StellarEdgeCases = StellarFixture;

TEST_F(StellarEdgeCases, EC1_WhatWasLeftHalfMadeIsCompletedWhicheverCallFailed) {
  bring_up("alice", kValidatorSpec);
  const auto golden = picture();
  const auto writes = [&] {
    int count = 0;
    for (const auto& call : calls_) count += is_write(call) ? 1 : 0;
    return count;
  }();
  ASSERT_GT(writes, 6);

  std::size_t cases = 0;
  for (int lost = 0; lost < 2; ++lost) {
    for (int at = 0; at < writes; ++at) {
      if (cases++ % kFewCasesStride != 0) continue;
      SCOPED_TRACE(fmt::format("write {} {}", at, lost ? "committed, its answer lost" : "failed"));
      delete_node();
      finish_deletion();
      ASSERT_TRUE(node().is_null());
      world_.remove(resource_of(kinds::kPod), "alice-0");
      memory_ = {};
      int seen = 0;
      on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
        if (!is_write(call) || seen++ != at) return std::nullopt;
        if (lost == 1) std::ignore = world_.call(call);
        client::CallError error;
        error.fate = lost == 1 ? client::Fate::Unknown : client::Fate::Refused;
        error.status.code = lost == 1 ? 0 : 500;
        error.status.reason = "InternalError";
        return std::unexpected(error);
      };
      make("alice", kValidatorSpec);
      settle();
      const auto claim = world_.text(resource_of(kinds::kClaim), "alice-data", "metadata", "uid");
      EXPECT_NE(claim, "");
      EXPECT_NE(phase(), "Running") << "nothing runs yet";
      start_pods();
      settle();
      EXPECT_EQ(picture(), golden);
      EXPECT_EQ(world_.text(resource_of(kinds::kClaim), "alice-data", "metadata", "uid"), claim);
      on_call_ = {};
    }
  }
}

TEST_F(StellarEdgeCases, EC1_RunningNeedsEveryChildAtThisGeneration) {
  bring_up("alice", kValidatorSpec);
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.resource.plural != "configmaps" || !is_write(call)) return std::nullopt;
    return std::unexpected(runtime::refused(500, "InternalError", "no"));
  };

  edit("alice", R"({"spec":{"validatorConfig":{"homeDomain":"example.com"}}})");
  for (int pass = 0; pass < 12; ++pass) {
    world_.sync();
    (void)run("alice");
  }

  EXPECT_EQ(phase(), "Creating");
  EXPECT_EQ(condition("Ready").substr(0, 5), "False");
  EXPECT_EQ(generation_of(kinds::kStatefulSet, "alice"), "1")
      << "the workload waits for its configuration";
}

TEST_F(StellarEdgeCases, EC2_TheMeshFollowsTheWorkload) {
  install_mesh();
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.resource.plural != "statefulsets" || !is_write(call)) return std::nullopt;
    return std::unexpected(runtime::refused(500, "InternalError", "no"));
  };
  make("alice", kIstioSpec);
  for (int pass = 0; pass < 3; ++pass) {
    world_.sync();
    (void)run("alice");
    EXPECT_FALSE(has(kinds::kPeerAuthentication, "alice-peer-auth"));
  }

  on_call_ = {};
  settle();

  EXPECT_TRUE(has(kinds::kPeerAuthentication, "alice-peer-auth"));
  EXPECT_TRUE(has(kinds::kDestinationRule, "alice-dest-rule"));
  const auto pods = child(kinds::kStatefulSet, "alice");
  EXPECT_EQ(
      pods.get("spec", "template", "metadata").get("labels", "sidecar.istio.io/inject").as_string(),
      "true")
      << "and the pods are marked from the start";
}

TEST_F(StellarEdgeCases, EC2_AMeshThatIsNotInstalledIsSaidAndFollowedWhenItComes) {
  make("alice", kIstioSpec);
  settle();
  start_pods();
  settle();
  EXPECT_NE(phase(), "Running");
  EXPECT_EQ(condition("MeshReady"), "False FeatureUnavailable");
  EXPECT_THAT(told("FeatureUnavailable"),
              HasSubstr("install the mesh, or remove spec.serviceMesh"));

  install_mesh();
  settle();

  EXPECT_EQ(phase(), "Running") << told("Ready");
  EXPECT_EQ(condition("MeshReady"), "True AsDesired");
  EXPECT_EQ(condition("FeatureUnavailable"), "");
}

TEST_F(StellarEdgeCases, EC2_AMeshThatLacksAKindKeepsThePoliciesThatItHas) {
  install_mesh(&kinds::kDestinationRule);
  make("alice", R"({"nodeType":"Horizon","network":"testnet","version":"1","horizonConfig":{
      "databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
      "serviceMesh":{"istio":{}}})");
  settle();

  EXPECT_TRUE(has(kinds::kPeerAuthentication, "alice-peer-auth"));
  EXPECT_TRUE(has(kinds::kVirtualService, "alice-virtual-svc"));
  EXPECT_EQ(condition("MeshReady"), "False FeatureUnavailable");
  EXPECT_THAT(told("FeatureUnavailable"), HasSubstr("this cluster has no DestinationRule"));
}

TEST_F(StellarEdgeCases, EC5_ANodeThatDoesNotAnswerKeepsItsPhaseForAWhile) {
  bring_up("alice", kValidatorSpec);
  health = {};
  health.reason = "NoAnswer";
  health.message = "no answer within 5s";

  settle();
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("Ready"), "Unknown NoAnswer");
  EXPECT_EQ(condition("Available"), "Unknown NoAnswer");

  world_.clock.advance(std::chrono::minutes(1));
  settle();
  EXPECT_EQ(phase(), "Running");
  world_.clock.advance(std::chrono::minutes(2));
  settle();
  EXPECT_EQ(phase(), "Degraded") << "never Failed";

  health.verdict = Verdict::Healthy;
  settle();
  EXPECT_EQ(phase(), "Running");
}

TEST_F(StellarEdgeCases, EC5_ADeletionDoesNotWaitForAnAnswer) {
  bring_up("alice", kValidatorSpec);
  bool asked = false;
  on_probe_ = [&](const runtime::Probe&) -> Result<json::Value> {
    asked = true;
    return health.to_json();
  };

  delete_node();
  finish_deletion();

  EXPECT_TRUE(node().is_null());
  EXPECT_FALSE(asked);
}

TEST_F(StellarEdgeCases, EC6_AnInvalidSpecChangesNothingAndSaysEverything) {
  install_mesh();
  bring_up("alice", kIstioSpec);
  const auto before = picture();
  const auto set =
      world_.text(resource_of(kinds::kStatefulSet), "alice", "metadata", "resourceVersion");
  // A definition that is older than the operator lets this through.
  drop_rules();
  edit("alice", R"({"spec":{"serviceMesh":{"istio":{"timeoutSecs":0,
      "circuitBreaker":{"consecutiveErrors":0}}}}})");

  settle();

  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(condition("SpecValid"), "False SpecInvalid");
  EXPECT_THAT(told("SpecValid"), HasSubstr("consecutiveErrors`: Invalid value: 0: must be greater "
                                           "than 0\n  How to fix: Set to a value >= 1"));
  EXPECT_THAT(told("SpecValid"), HasSubstr("timeoutSecs"));
  EXPECT_EQ(world_.text(nodes_, "alice", "status", "observedGeneration"), "2");
  EXPECT_EQ(world_.text(resource_of(kinds::kStatefulSet), "alice", "metadata", "resourceVersion"),
            set);

  edit("alice", R"({"spec":{"serviceMesh":{"istio":{"timeoutSecs":30,
      "circuitBreaker":{"consecutiveErrors":5}}}}})");
  settle();
  EXPECT_EQ(phase(), "Running") << told("Ready");
  EXPECT_EQ(picture(), before);
}

TEST_F(StellarEdgeCases, EC9_AnIdleNodeIsWrittenToByNobody) {
  bring_up("alice", kValidatorSpec);

  for (int minute = 0; minute < 10; ++minute) {
    world_.clock.advance(std::chrono::minutes(1));
    health.ledger = 5000 + minute * 12;
    health.message = fmt::format("synced at ledger {}", *health.ledger);
    world_.sync();
    const auto end = run("alice");
    EXPECT_EQ(end.writes, 0U);
    EXPECT_THAT(end.events, IsEmpty());
    EXPECT_EQ(end.requeue_after, std::chrono::seconds(60));
  }
}

// In sync, but not complete: that is not said anew with every ledger.
TEST_F(StellarEdgeCases, EC9_AHealthyNodeThatLacksItsMeshIsToldOfOnce) {
  make("alice", kIstioSpec);
  settle();
  start_pods();
  settle();

  for (std::int64_t ledger = 5001; ledger < 5004; ++ledger) {
    health.ledger = ledger;
    health.message = fmt::format("ledger {}, 3 seconds old", ledger);
    world_.sync();
    const auto end = run("alice");
    EXPECT_EQ(end.writes, 0U);
    EXPECT_TRUE(end.events.empty()) << end.events.front().reason << " " << end.events.front().note;
  }
}

TEST_F(StellarEdgeCases, EC9_ASecretThatIsMissingIsToldOfOnce) {
  make("alice", R"({"nodeType":"Validator","network":"testnet","version":"22.1.0",
      "validatorConfig":{"seedSecretRef":"nowhere"}})");

  std::vector<std::string> said;
  for (int pass = 0; pass < 6; ++pass) {
    world_.sync();
    for (const auto& event : run("alice").events) said.push_back(event.reason + " " + event.note);
  }

  EXPECT_THAT(said, testing::ElementsAre(
                        "SecretMissing Secret nowhere is not there; create it in namespace ns"));
}

TEST_F(StellarEdgeCases, EC9_ThatANodeRunsIsSaidWhenItBegins) {
  make("alice", kValidatorSpec);
  settle();
  start_pods();

  std::vector<std::string> said;
  for (int pass = 0; pass < 4; ++pass) {
    world_.sync();
    for (const auto& event : run("alice").events) said.push_back(event.reason);
  }

  EXPECT_EQ(phase(), "Running");
  EXPECT_THAT(said, testing::ElementsAre("SuccessfulReconciliation"));
}

TEST_F(StellarEdgeCases, EC9_APassIsBounded) {
  install_mesh();
  make("alice", kIstioSpec);
  world_.sync();

  EXPECT_LE(run("alice").writes, 12U);
}

TEST_F(StellarEdgeCases, EC10_AnEditDuringAPassIsNeverClaimedByIt) {
  make("alice", kValidatorSpec);
  settle();
  start_pods();
  for (int at = 0; at < 6; ++at) {
    SCOPED_TRACE(at);
    edit("alice", fmt::format(R"({{"spec":{{"version":"22.{}.0"}}}})", at));
    int effects = 0;
    between_ = [&](const runtime::Effect&) {
      if (effects++ != at) return;
      edit("alice", fmt::format(R"({{"spec":{{"version":"23.{}.0"}}}})", at));
      world_.sync();
    };
    world_.sync();
    (void)run("alice");
    between_ = {};
    const auto seen = node();
    EXPECT_LE(seen.get("status", "observedGeneration").as_int(), kube::generation_of(seen));
    settle();
    start_pods();
    settle();

    EXPECT_EQ(generation_of(kinds::kStatefulSet, "alice"),
              world_.text(nodes_, "alice", "metadata", "generation"));
    EXPECT_EQ(phase(), "Running");
  }
}

TEST_F(StellarEdgeCases, EC11_AQuotaOnObjectsIsSaidAtOnceAndTriedSlowly) {
  bool short_of = true;
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (!short_of || call.resource.plural != "persistentvolumeclaims" || !is_write(call)) {
      return std::nullopt;
    }
    return std::unexpected(runtime::refused(
        403, "Forbidden",
        "persistentvolumeclaims \"alice-data\" is forbidden: exceeded quota: small, requested: "
        "persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: "
        "persistentvolumeclaims=0"));
  };
  make("alice", kValidatorSpec);
  world_.sync();
  const auto end = run("alice");

  EXPECT_EQ(condition("QuotaExceeded"), "True ObjectsRefused");
  EXPECT_THAT(told("QuotaExceeded"), HasSubstr("PersistentVolumeClaim ns/alice-data"));
  EXPECT_THAT(told("QuotaExceeded"), HasSubstr("exceeded quota: small"));
  EXPECT_NE(phase(), "Failed");
  EXPECT_THAT(reasons(end), Contains("QuotaExceeded"));
  EXPECT_FALSE(end.backoff);
  world_.sync();
  const auto again = run("alice");
  EXPECT_THAT(again.events, IsEmpty()) << "said once";

  short_of = false;
  settle();
  start_pods();
  settle();
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("QuotaExceeded"), "");
}

TEST_F(StellarEdgeCases, EC11_AQuotaOnPodsIsSeenWhereTheWorkloadSaysSo) {
  make("alice", kValidatorSpec);
  settle();
  const auto set = child(kinds::kStatefulSet, "alice");
  world_.create(
      "", "v1", "events", "ns",
      fmt::format(R"({{"metadata":{{"name":"e1"}},"reason":"FailedCreate","type":"Warning",
                "message":"create Pod alice-0 in StatefulSet alice failed error: pods is forbidden: exceeded quota: small",
                "involvedObject":{{"kind":"StatefulSet","namespace":"ns","name":"alice","uid":"{}"}}}})",
                  kube::uid_of(set)));
  world_.sync();
  const auto end = run("alice");

  EXPECT_EQ(condition("QuotaExceeded"), "True PodsRefused");
  EXPECT_THAT(told("QuotaExceeded"), HasSubstr("exceeded quota: small"));
  EXPECT_THAT(reasons(end), Contains("QuotaExceeded"));
  EXPECT_EQ(phase(), "Creating");

  start_pods();
  settle();
  EXPECT_EQ(condition("QuotaExceeded"), "") << "the event is still there, the pods are too";
  EXPECT_EQ(phase(), "Running");
}

TEST_F(StellarEdgeCases, EC12_AnOldStatusCountsForNothing) {
  bring_up("alice", kValidatorSpec);
  // The operator dies, the node dies, another operator starts.
  memory_ = {};
  health.verdict = Verdict::Unhealthy;
  health.reason = "StaleLedger";
  health.message = "the ledger is 400 seconds old";

  world_.sync();
  const auto end = run("alice");

  EXPECT_EQ(phase(), "Degraded");
  EXPECT_EQ(condition("Ready"), "False StaleLedger");
  EXPECT_THAT(reasons(end), Contains("SyncLagDetected"));
}

TEST_F(StellarEdgeCases, EC12_RunningIsWrittenOnlyAfterAGoodAnswerInTheSamePass) {
  make("alice", kValidatorSpec);
  settle();
  start_pods();
  bool answered = false;
  on_probe_ = [&](const runtime::Probe&) -> Result<json::Value> {
    answered = true;
    return health.to_json();
  };
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.subresource != "status") return std::nullopt;
    const auto phase = call.body.get("status", "phase").as_string();
    EXPECT_TRUE(phase != "Running" || answered);
    return std::nullopt;
  };

  settle();

  EXPECT_EQ(phase(), "Running");
}

TEST_F(StellarEdgeCases, EC12_ASecondStartWritesNothing) {
  install_mesh();
  bring_up("alice", kIstioSpec);
  memory_ = {};
  world_.sync();

  const auto end = run("alice");

  EXPECT_EQ(end.writes, 0U);
  EXPECT_THAT(end.events, IsEmpty());
}

}  // namespace
}  // namespace fixpoint::operators::stellar
