// SPDX-License-Identifier: Apache-2.0
//
// Every operation on a spec that the type table suggests, on a node of each type, poor and rich:
// the API server or the operator refuses it and says what is wrong where, or the node gets there or
// says what it waits for. Taken back, everything is as it was, and nobody writes any more.
//
// Each operation is tried on two of the six nodes, which is thousands; with FIXPOINT_EVERY_INPUT
// set on all of them.
#include "base/thoroughness_for_tests.h"
#include "operators/stellar/spec_operations.h"
#include "operators/stellar/stellar_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr std::string_view kRichValidator = R"({"nodeType":"Validator","network":"testnet",
  "version":"22.1.0","alerting":true,"networkPolicy":{"allowNamespaces":["web"]},
  "storage":{"size":"10Gi","annotations":{"a":"b"}},"resources":{"requests":{"cpu":"1"}},
  "probes":{"liveness":{"periodSeconds":9},"readiness":{"periodSeconds":9},
            "startup":{"periodSeconds":9}},
  "validatorConfig":{"seedSecretSource":{"localRef":{"name":"seed","key":"STELLAR_CORE_SEED"}}},
  "serviceMesh":{"istio":{"circuitBreaker":{},"retries":{}}}})";
constexpr std::string_view kRichHorizon = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","networkPolicy":{},"replicas":2,
  "autoscaling":{"minReplicas":2,"maxReplicas":4,"targetCpuUtilizationPercentage":70},
  "ingress":{"hosts":[{"host":"h.example.com","paths":[{"path":"/"}]}],"rateLimit":{}},
  "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
  "serviceMesh":{"linkerd":{"policyMode":"deny"}}})";
constexpr std::string_view kPlainRpc = R"({"nodeType":"SorobanRpc","network":"testnet",
  "version":"22.1.0","sorobanConfig":{"stellarCoreUrl":"http://core:11626"}})";
constexpr std::string_view kRichRpc = R"({"nodeType":"SorobanRpc","network":"testnet",
  "version":"22.1.0","networkPolicy":{"allowCidrs":["10.0.0.0/8"]},
  "storage":{"retentionPolicy":"Retain"},
  "sorobanConfig":{"stellarCoreUrl":"http://core:11626","captiveCoreStructuredConfig":{
    "historyArchiveUrls":["http://archive.example.com"]}}})";

// What a node may say without the spec being wrong: something outside of it is missing, or in the
// way.
const std::set<std::string, std::less<>> kWaits{"SecretMissing", "OwnershipConflict"};
// Handed on to Kubernetes as they are: what is wrong there, Kubernetes says of the child.
const std::set<std::string, std::less<>> kHandedOn{"topologySpreadConstraints",
                                                   "annotations",
                                                   "allowPodSelector",
                                                   "customMetrics",
                                                   "nodeAffinity",
                                                   "tolerations",
                                                   "sidecars",
                                                   "initContainers",
                                                   "volumes",
                                                   "volumeMounts",
                                                   "stellarCoreEnv",
                                                   "horizonEnv",
                                                   "serviceLabels",
                                                   "serviceAnnotations",
                                                   "securityContext"};
constexpr std::size_t kTroublesShown = 40;
// Of so many operations in a row one is tried on each node, beginning at another one.
constexpr std::size_t kStride = 3 * kCasesStride;
constexpr int kOperationsMin = 340 / static_cast<int>(kCasesStride);

class StellarInput : public StellarFixture {
 protected:
  StellarInput() {
    install_mesh();
    world_.create("storage.k8s.io", "v1", "storageclasses", "",
                  R"({"metadata":{"name":"grows"},"provisioner":"p","allowVolumeExpansion":true})");
  }

  void go_through(std::string_view base, std::size_t first) {
    json::Draft with_class(*json::parse(base));
    with_class.object_at("storage")["storageClass"] = "grows";
    base_ = with_class.freeze();
    begin();
    const auto all = SpecOperations::of(types::table_of<Spec>());
    const bool every = std::getenv("FIXPOINT_EVERY_INPUT") != nullptr;
    for (std::size_t at = every ? 0 : first * kCasesStride; at < all.size();
         at += every ? 1 : kStride) {
      const auto& operation = all[at];
      const auto old = live_spec();
      const auto spec = operation.on(old);
      if (spec == old) continue;
      ++operations_;
      doing_ = fmt::format("{} := {:.60}", operation.field(), json::to_text(operation.value));
      try_out(operation, old, spec);
      if (HasFailure()) break;
    }
    for (std::size_t i = 0; i < std::min(troubles_.size(), kTroublesShown); ++i) {
      ADD_FAILURE() << troubles_[i];
    }
    EXPECT_EQ(troubles_.size(), 0U);
    RecordProperty("operations", operations_);
    EXPECT_GT(operations_, kOperationsMin);
    EXPECT_GT(refused_ + refused_late_, operations_ / 4);
    EXPECT_GT(converged_, operations_ / 10);
  }

 private:
  void begin() {
    bring_up("alice", json::to_text(base_));
    come_to_rest();
    before_ = picture();
  }
  void trouble(std::string_view what, std::string_view more = {}) {
    troubles_.push_back(fmt::format("{}: {} {}", doing_, what, more));
  }
  json::Value live_spec() {
    const auto live = node();
    return json::Value(live.get("spec"));
  }
  client::Reply put(const json::Value& spec) {
    json::Draft draft(node());
    draft["apiVersion"] = "stellar.org/v1alpha1";
    draft["kind"] = "StellarNode";
    draft["spec"] = spec;
    return world_.call({
        .verb = client::Verb::Update,
        .resource = nodes_,
        .key = {"ns", "alice"},
        .body = draft.freeze()
    });
  }
  void try_out(const SpecOperation& operation, const json::Value& old, const json::Value& spec) {
    const auto revision = world_.revision();
    if (const auto reply = put(spec); !reply) {
      ++refused_;
      look_at(reply.error());
      if (world_.revision() != revision) trouble("refused, and something changed");
      return;
    }
    come_to_rest();
    judge(operation);
    if (!put(old)) {
      // The one thing that cannot be taken back: a claim that grew.
      if (operation.path.front() != "storage") trouble("cannot be taken back");
      return start_over();
    }
    come_to_rest();
    if (phase() != "Running") trouble("does not recover:", told("Ready"));
    if (picture() != before_) {
      // A claim that grew stays as it is.
      if (operation.path.front() != "storage" && operation.path.front() != "historyMode") {
        trouble("leaves something behind", first_difference(before_, picture()));
      }
      return start_over();
    }
    const auto end = pass();
    if (end.writes != 0) trouble("is written to at rest");
  }
  // Field and message, for everything that is wrong.
  void look_at(const client::CallError& error) {
    const auto& message = error.status.message;
    if (error.status.code != 422) trouble("refused with another code:", message);
    // "… is invalid: spec.x: …", or with several "… is invalid: [spec.x: …".
    if (message.find(" spec") == std::string::npos && message.find("[spec") == std::string::npos) {
      trouble("refused without naming a field:", message);
    }
  }
  runtime::PassEnd pass() {
    world_.sync();
    return run("alice");
  }
  // Passes until one changes nothing, with pods and disks as Kubernetes would have them.
  void come_to_rest() {
    runtime::PassEnd end;
    for (int count = 0; count < 20; ++count) {
      const auto revision = world_.revision();
      end = pass();
      if (has(kinds::kStatefulSet, "alice") || has(kinds::kDeployment, "alice")) start_pods();
      bind_claim();
      release_claim("alice");
      if (world_.revision() == revision && end.requeue_after != Duration::zero()) return;
    }
    trouble("never at rest:", end.failure.message);
  }
  void bind_claim() {
    const auto claim = child(kinds::kClaim, "alice-data");
    if (claim.is_null() || !claim.get("spec", "volumeName").as_string().empty()) return;
    world_.patch(resource_of(kinds::kClaim), "alice-data", R"({"spec":{"volumeName":"disk"}})");
    world_.patch(resource_of(kinds::kClaim), "alice-data", R"({"status":{"phase":"Bound"}})",
                 "status");
  }
  void judge(const SpecOperation& operation) {
    if (condition("SpecValid").starts_with("False")) {
      ++refused_late_;
      if (told("SpecValid").find("How to fix") == std::string::npos) {
        trouble("no way out:", told("SpecValid"));
      }
      return;
    }
    const auto now = phase();
    if (now == "Running" || now == "Suspended" || now == "Maintenance") {
      ++converged_;
      return;
    }
    const auto ready = condition("Ready");
    const auto reason = ready.substr(ready.find(' ') + 1);
    const bool handed_on =
        reason == "Invalid" && std::ranges::any_of(operation.path, [](const auto& name) {
          return kHandedOn.contains(name);
        });
    if (kWaits.contains(reason) || handed_on) {
      ++waits_;
    } else {
      trouble(fmt::format("{} {}:", now, ready), told("Ready"));
    }
  }
  void start_over() {
    delete_node();
    finish_deletion();
    world_.remove(resource_of(kinds::kPod), "alice-0");
    if (has(kinds::kClaim, "alice-data")) {
      world_.remove(resource_of(kinds::kClaim), "alice-data");
      release_claim("alice");
    }
    memory_ = {};
    if (!node().is_null()) trouble("is not deleted", told("CleanupBlocked"));
    ASSERT_TRUE(node().is_null()) << doing_;
    begin();
  }
  static std::string first_difference(std::string_view before, std::string_view after) {
    const auto at = std::ranges::mismatch(before, after);
    const auto from = static_cast<std::size_t>(at.in1 - before.begin());
    const auto start = from < 60 ? 0 : from - 60;
    return fmt::format("…{}… became …{}…", before.substr(start, 160),
                       after.substr(std::min(start, after.size()), 160));
  }

  json::Value base_;
  std::string before_;
  std::string doing_;
  int operations_ = 0;
  int refused_ = 0;       // by the server
  int refused_late_ = 0;  // by the operator
  int converged_ = 0;
  int waits_ = 0;
  std::vector<std::string> troubles_;
};

TEST_F(StellarInput, OfAPlainValidator) {
  go_through(kValidatorSpec, 0);
}
TEST_F(StellarInput, OfARichValidator) {
  go_through(kRichValidator, 1);
}
TEST_F(StellarInput, OfAPlainHorizon) {
  go_through(kHorizonSpec, 2);
}
TEST_F(StellarInput, OfARichHorizon) {
  go_through(kRichHorizon, 0);
}
TEST_F(StellarInput, OfAPlainRpcServer) {
  go_through(kPlainRpc, 1);
}
TEST_F(StellarInput, OfARichRpcServer) {
  go_through(kRichRpc, 2);
}

}  // namespace
}  // namespace fixpoint::operators::stellar
