// SPDX-License-Identifier: Apache-2.0
//
// The twelve edge cases of docs/operators/stellar.md, each on the API server that ships, with the
// fault put in between two effects of a pass. tests/integration has those that need processes.
#include "operators/stellar/stellar_fixture.h"
#include "runtime/test_replies.h"

#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class StellarEdgeCases : public StellarFixture {
 protected:
  // A node in a mesh whose policies a webhook does not let go, a few passes after its deletion.
  void delete_what_a_webhook_keeps() {
    install_mesh();
    bring_up("alice", kIstioSpec);
    on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
      if (call.verb != client::Verb::Delete || call.resource.plural != "peerauthentications") {
        return std::nullopt;
      }
      return std::unexpected(runtime::refused(403, "Forbidden", "admission webhook says no"));
    };
    delete_node();
    for (int pass = 0; pass < 4; ++pass) {
      world_.sync();
      (void)run("alice");
    }
  }
};

TEST_F(StellarEdgeCases, EC1_WhatWasLeftHalfMadeIsCompletedWhicheverCallFailed) {
  bring_up("alice", kValidatorSpec);
  const auto golden = picture();
  const auto writes = [&] {
    int count = 0;
    for (const auto& call : calls_) count += is_write(call) ? 1 : 0;
    return count;
  }();
  ASSERT_GT(writes, 6);

  for (int lost = 0; lost < 2; ++lost) {
    for (int at = 0; at < writes; ++at) {
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

TEST_F(StellarEdgeCases, EC3_TheFinalizerStaysUntilEveryChildIsGone) {
  install_mesh();
  bring_up("alice", kIstioSpec);
  int refusals = 3;
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.verb != client::Verb::Delete || refusals-- <= 0) return std::nullopt;
    return std::unexpected(runtime::refused(500, "InternalError", "not now"));
  };
  between_ = [&](const runtime::Effect& effect) {
    const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
    if (api == nullptr || api->call.resource.plural != "stellarnodes") return;
    if (api->call.patch_type != client::PatchType::Json || !is_write(api->call)) return;
    EXPECT_THAT(owned_names(), IsEmpty()) << "the finalizer goes last";
  };

  delete_node();
  finish_deletion();

  EXPECT_TRUE(node().is_null());
  EXPECT_THAT(owned_names(), IsEmpty());
  EXPECT_FALSE(has(kinds::kClaim, "alice-data"));
}

TEST_F(StellarEdgeCases, EC3_TerminatingIsSaidBeforeTheFirstDelete) {
  bring_up("alice", kValidatorSpec);
  between_ = [&](const runtime::Effect& effect) {
    const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
    if (api == nullptr || api->call.verb != client::Verb::Delete) return;
    EXPECT_EQ(phase(), "Terminating");
  };

  delete_node();
  finish_deletion();

  EXPECT_TRUE(node().is_null());
}

TEST_F(StellarEdgeCases, EC3_ARetainedClaimStaysAndIsFoundAgain) {
  bring_up("alice", kValidatorSpec);
  const auto uid = world_.text(resource_of(kinds::kClaim), "alice-data", "metadata", "uid");
  // Asked for at the last moment: the claim still carries the reference.
  edit("alice", R"({"spec":{"storage":{"retentionPolicy":"Retain"}}})");

  delete_node();
  finish_deletion();
  EXPECT_TRUE(node().is_null());
  const auto kept = child(kinds::kClaim, "alice-data");
  ASSERT_FALSE(kept.is_null());
  EXPECT_FALSE(kube::being_deleted(kept));
  EXPECT_EQ(kept.get("metadata", "ownerReferences").size(), 0U);

  world_.remove(resource_of(kinds::kPod), "alice-0");
  bring_up("alice", kValidatorSpec);
  EXPECT_EQ(world_.text(resource_of(kinds::kClaim), "alice-data", "metadata", "uid"), uid);
}

TEST_F(StellarEdgeCases, EC3_AClaimOfAnotherNetworkIsNotAdopted) {
  bring_up("alice", R"({"nodeType":"Validator","network":"testnet","version":"1",
      "storage":{"retentionPolicy":"Retain"},"validatorConfig":{"seedSecretRef":"seed"}})");
  delete_node();
  finish_deletion();
  ASSERT_TRUE(has(kinds::kClaim, "alice-data"));

  make("alice", R"({"nodeType":"Validator","network":"mainnet","version":"1",
      "validatorConfig":{"seedSecretRef":"seed"}})");
  settle();

  EXPECT_EQ(condition("OwnershipConflict"), "True ForeignObject");
  EXPECT_EQ(phase(), "Failed");
  EXPECT_FALSE(has(kinds::kStatefulSet, "alice"));
  EXPECT_THAT(told("OwnershipConflict"),
              HasSubstr("has the data of another network, \"Test SDF Network ; September 2015\". "
                        "Set the network back, or give the data up (kubectl delete pvc "
                        "alice-data), or choose another name here"));

  world_.remove(resource_of(kinds::kClaim), "alice-data");
  release_claim("alice");
  settle();
  EXPECT_TRUE(has(kinds::kStatefulSet, "alice"));
}

TEST_F(StellarEdgeCases, EC7_AnotherNetworkLeavesWhatRunsAsItIsUntilItIsSetBack) {
  bring_up("alice", kValidatorSpec);
  const auto configuration = child(kinds::kConfigMap, "alice-config");

  edit("alice", R"({"spec":{"network":"futurenet"}})");
  settle();

  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(condition("OwnershipConflict"), "True ForeignObject");
  EXPECT_THAT(told("OwnershipConflict"),
              HasSubstr("give the data up (kubectl delete sn alice) and create the node again"));
  EXPECT_EQ(child(kinds::kConfigMap, "alice-config"), configuration);

  edit("alice", R"({"spec":{"network":"testnet"}})");
  settle();
  EXPECT_EQ(phase(), "Running");
}

TEST_F(StellarEdgeCases, EC4_NothingIsMadeOnceTheNodeIsBeingDeleted) {
  bring_up("alice", kValidatorSpec);
  delete_node();
  edit("alice", R"({"spec":{"alerting":true,"version":"22.2.0"}})");
  calls_.clear();

  finish_deletion();

  for (const auto& call : calls_) {
    EXPECT_NE(call.verb, client::Verb::Create) << call.resource.plural;
    EXPECT_NE(call.verb, client::Verb::Apply) << call.resource.plural;
  }
  EXPECT_TRUE(node().is_null());
  EXPECT_THAT(owned_names(), IsEmpty());
}

TEST_F(StellarEdgeCases, EC4_ADeletionInTheMiddleOfAPassStopsItsWrites) {
  make("alice", kValidatorSpec);
  world_.sync();
  int writes = 0;
  between_ = [&](const runtime::Effect& effect) {
    const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
    if (api == nullptr || !is_write(api->call)) return;
    if (++writes == 3) {
      delete_node();
      world_.sync();
    }
    EXPECT_LE(writes, 3) << api->call.resource.plural;
  };

  (void)run("alice");
  between_ = {};
  finish_deletion();

  EXPECT_TRUE(node().is_null());
  EXPECT_THAT(owned_names(), IsEmpty());
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

TEST_F(StellarEdgeCases, EC7_AForeignObjectIsNeverTouched) {
  install_mesh();
  world_.create("security.istio.io", "v1beta1", "peerauthentications", "ns",
                R"({"apiVersion":"security.istio.io/v1beta1","kind":"PeerAuthentication",
                "metadata":{"name":"alice-peer-auth"},"spec":{"mtls":{"mode":"DISABLE"}}})");
  const auto theirs = child(kinds::kPeerAuthentication, "alice-peer-auth");
  make("alice", kIstioSpec);
  settle();
  start_pods();
  settle();

  EXPECT_EQ(condition("OwnershipConflict"), "True ForeignObject");
  EXPECT_THAT(told("OwnershipConflict"), HasSubstr("Delete or rename it"));
  EXPECT_NE(phase(), "Running");
  EXPECT_TRUE(child(kinds::kPeerAuthentication, "alice-peer-auth") == theirs);

  delete_node();
  finish_deletion();
  EXPECT_TRUE(node().is_null());
  EXPECT_TRUE(child(kinds::kPeerAuthentication, "alice-peer-auth") == theirs);
}

TEST_F(StellarEdgeCases, EC7_TheSameNameInTwoNamespacesIsTwoNodes) {
  bring_up("alice", kValidatorSpec);
  world_.create("stellar.org", "v1alpha1", "stellarnodes", "other",
                fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
                "metadata":{{"name":"alice"}},"spec":{}}})",
                            kHorizonSpec));
  const auto before = picture();

  world_.sync();
  memory_ = {};
  (void)run("alice");

  EXPECT_EQ(picture(), before);
}

TEST_F(StellarEdgeCases, EC8_ADeletionDuringAPartitionEndsWithNothingLeft) {
  install_mesh();
  for (int reach = 0; reach < 14; ++reach) {
    SCOPED_TRACE(reach);
    bring_up("alice", kIstioSpec);
    delete_node();
    int calls = 0;
    on_call_ = [&](const client::Call&) -> std::optional<client::Reply> {
      if (calls++ < reach) return std::nullopt;
      client::CallError error;
      error.fate = client::Fate::NotSent;
      return std::unexpected(error);
    };
    for (int pass = 0; pass < 4; ++pass) {
      world_.sync();
      const auto end = run("alice");
      EXPECT_TRUE(node().is_null() || end.backoff || end.requeue_after.has_value());
    }
    on_call_ = {};
    finish_deletion();

    EXPECT_TRUE(node().is_null());
    EXPECT_THAT(owned_names(), IsEmpty());
    world_.remove(resource_of(kinds::kPod), "alice-0");
    memory_ = {};
  }
}

TEST_F(StellarEdgeCases, EC8_ADeleteThatIsRefusedForGoodIsNamed) {
  delete_what_a_webhook_keeps();

  EXPECT_EQ(phase(), "Terminating");
  EXPECT_EQ(condition("CleanupBlocked"), "True Forbidden");
  EXPECT_THAT(told("CleanupBlocked"), HasSubstr("PeerAuthentication ns/alice-peer-auth"));
  EXPECT_THAT(told("CleanupBlocked"), HasSubstr("admission webhook says no"));

  on_call_ = {};
  finish_deletion();
  EXPECT_TRUE(node().is_null());
}

TEST_F(StellarEdgeCases, EC8_APersonMayGiveUpWhatCannotBeDeleted) {
  delete_what_a_webhook_keeps();
  ASSERT_THAT(told("CleanupBlocked"), HasSubstr("kubectl annotate sn alice "
                                                "stellar.org/leave-behind=PeerAuthentication/"
                                                "alice-peer-auth"));

  edit("alice", R"({"metadata":{"annotations":{
      "stellar.org/leave-behind":"Other/thing, PeerAuthentication/alice-peer-auth"}}})");
  finish_deletion();

  EXPECT_TRUE(node().is_null());
  EXPECT_TRUE(has(kinds::kPeerAuthentication, "alice-peer-auth"));
  EXPECT_FALSE(has(kinds::kDestinationRule, "alice-dest-rule"));
  EXPECT_FALSE(has(kinds::kStatefulSet, "alice"));
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
