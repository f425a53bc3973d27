// SPDX-License-Identifier: Apache-2.0
//
// Four of the twelve edge cases of docs/operators/stellar.md: a node goes, and what belongs to
// somebody else or is kept stays. The other eight are in edge_cases_test.cc.
#include "base/thoroughness_for_tests.h"
#include "operators/stellar/stellar_fixture.h"
#include "runtime/test_replies.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class StellarRemovalCases : public StellarFixture {
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

TEST_F(StellarRemovalCases, EC3_TheFinalizerStaysUntilEveryChildIsGone) {
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

TEST_F(StellarRemovalCases, EC3_TerminatingIsSaidBeforeTheFirstDelete) {
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

TEST_F(StellarRemovalCases, EC3_ARetainedClaimStaysAndIsFoundAgain) {
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

TEST_F(StellarRemovalCases, EC3_AClaimOfAnotherNetworkIsNotAdopted) {
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

TEST_F(StellarRemovalCases, EC4_NothingIsMadeOnceTheNodeIsBeingDeleted) {
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

TEST_F(StellarRemovalCases, EC4_ADeletionInTheMiddleOfAPassStopsItsWrites) {
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

TEST_F(StellarRemovalCases, EC7_AnotherNetworkLeavesWhatRunsAsItIsUntilItIsSetBack) {
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

TEST_F(StellarRemovalCases, EC7_AForeignObjectIsNeverTouched) {
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

TEST_F(StellarRemovalCases, EC7_TheSameNameInTwoNamespacesIsTwoNodes) {
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

TEST_F(StellarRemovalCases, EC8_ADeletionDuringAPartitionEndsWithNothingLeft) {
  install_mesh();
  for (std::size_t reach = 0; reach < 14; reach += kFewCasesStride) {
    SCOPED_TRACE(reach);
    bring_up("alice", kIstioSpec);
    delete_node();
    std::size_t calls = 0;
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

TEST_F(StellarRemovalCases, EC8_ADeleteThatIsRefusedForGoodIsNamed) {
  delete_what_a_webhook_keeps();

  EXPECT_EQ(phase(), "Terminating");
  EXPECT_EQ(condition("CleanupBlocked"), "True Forbidden");
  EXPECT_THAT(told("CleanupBlocked"), HasSubstr("PeerAuthentication ns/alice-peer-auth"));
  EXPECT_THAT(told("CleanupBlocked"), HasSubstr("admission webhook says no"));

  on_call_ = {};
  finish_deletion();
  EXPECT_TRUE(node().is_null());
}

TEST_F(StellarRemovalCases, EC8_EverythingThatCannotBeDeletedIsInOneCommandAndOneEvent) {
  bring_up("alice", kValidatorSpec);
  on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
    if (call.verb != client::Verb::Delete || call.resource.plural != "services") {
      return std::nullopt;
    }
    return std::unexpected(runtime::refused(403, "Forbidden", "a policy says no"));
  };
  delete_node();
  std::vector<std::string> said;
  for (int pass = 0; pass < 6; ++pass) {
    world_.sync();
    for (const auto& event : run("alice").events) {
      if (event.reason == "CleanupBlocked") said.push_back(event.note);
    }
  }

  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("a policy says no; mend that, or give the objects up: "));
  EXPECT_THAT(said[0], HasSubstr("kubectl annotate sn alice stellar.org/leave-behind="));
  EXPECT_THAT(said[0], HasSubstr("Service/alice-headless"));
  EXPECT_THAT(said[0], testing::EndsWith(" -n ns"));
  EXPECT_EQ(told("CleanupBlocked"), said[0]);
}

TEST_F(StellarRemovalCases, EC8_APersonMayGiveUpWhatCannotBeDeleted) {
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

}  // namespace
}  // namespace fixpoint::operators::stellar
