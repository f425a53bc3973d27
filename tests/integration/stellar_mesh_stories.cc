// SPDX-License-Identifier: Apache-2.0
//
// The stories of stellar_stories.h in which a node is in Istio, or its data outlives it.
#include "tests/integration/stellar_expectations.h"
#include "tests/integration/stellar_stories.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using What = Meddler::Deed::What;

constexpr std::string_view kInIstio =
    R"(,"networkPolicy":{"enabled":false},"serviceMesh":{"istio":{"circuitBreaker":{}}})";

std::string policy() {
  return StellarStage::mesh_path("peerauthentications") + "/alice-peer-auth";
}
std::string rule() {
  return StellarStage::mesh_path("destinationrules") + "/alice-dest-rule";
}

bool is_about(const Meddler::Seen& seen, std::string_view plural) {
  return seen.is_write() && seen.path.find(fmt::format("/{}", plural)) != std::string::npos;
}

Meddler::Deed server_error() {
  return {.what = What::Answer,
          .code = 500,
          .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":500,
                      "reason":"InternalError","message":"not now"})"};
}

// "True AsDesired"; empty when it is not there.
std::string condition_of_alice(const StellarStage& stage, std::string_view type) {
  const auto node = stage.cluster().get(kNodes + "/alice");
  for (const auto one : node.get("status", "conditions").elements()) {
    if (one.get("type").as_string() != type) continue;
    return fmt::format("{} {}", one.get("status").as_string(), one.get("reason").as_string());
  }
  return {};
}

// A kind that is not served is asked for every half minute: twice the usual patience.
bool in_the_end(const std::function<bool()>& holds) {
  for (int patience = 0; patience < 2; ++patience) {
    if (eventually(holds)) return true;
  }
  return false;
}

// The place in the log of the first write about such objects that the server took.
std::size_t first_made(const Meddler& wire, std::string_view plural) {
  const auto log = wire.log();
  const auto found = std::ranges::find_if(log, [&](const Meddler::Entry& entry) {
    return is_about(entry.seen, plural) && (entry.code == 200 || entry.code == 201);
  });
  return static_cast<std::size_t>(found - log.begin());
}

}  // namespace

void adds_policies_after_the_workload(const StellarStage& stage) {
  stage.install_mesh();
  const auto wire = stage.meddle("mesh");
  const auto refused = std::make_shared<std::atomic<int>>(0);
  wire->play([refused](const Meddler::Seen& seen) {
    if (!is_about(seen, "statefulsets")) return Meddler::Deed{};
    refused->fetch_add(1);
    return server_error();
  });
  const auto process = stage.run_stellar("mesh", *wire);
  stage.make("alice", kInIstio);
  ASSERT_TRUE(eventually([&] { return refused->load() >= 4; })) << process->log();
  EXPECT_FALSE(stage.has(policy())) << "nothing is there for it to be about";
  EXPECT_FALSE(stage.has(rule()));

  wire->play({});

  expect_running(stage, *process);
  EXPECT_EQ(condition_of_alice(stage, "MeshReady"), "True AsDesired");
  EXPECT_LT(first_made(*wire, "statefulsets"), first_made(*wire, "peerauthentications"));
  EXPECT_TRUE(stage.has(rule()));
  EXPECT_EQ(stage.text(kSets + "/alice", "spec", "template", "metadata", "labels",
                       "sidecar.istio.io/inject"),
            "true")
      << "and its pods are marked from the start";
  remove_alice(stage, *process);
  EXPECT_FALSE(stage.has(policy()));
}

void outlives_a_kind_of_the_mesh(const StellarStage& stage) {
  stage.install_mesh();
  const auto process = stage.run_stellar("kind");
  stage.make("alice", kInIstio);
  expect_running(stage, *process);
  const auto uid = stage.text(policy(), "metadata", "uid");
  const auto pods = stage.text(kSets + "/alice", "metadata", "uid");

  stage.remove_kind("destinationrules");

  EXPECT_TRUE(in_the_end([&] {
    return condition_of_alice(stage, "MeshReady") == "False FeatureUnavailable";
  })) << stage.status("alice")
      << process->log();
  EXPECT_THAT(stage.status("alice"), HasSubstr("this cluster has no DestinationRule"));
  EXPECT_EQ(condition_of_alice(stage, "FeatureUnavailable"), "True NotServed");
  EXPECT_EQ(stage.text(policy(), "metadata", "uid"), uid) << "the other policies stay";
  EXPECT_EQ(stage.text(kSets + "/alice", "metadata", "uid"), pods);

  stage.install_kind("destinationrules");

  EXPECT_TRUE(in_the_end([&] { return stage.has(rule()); })) << process->log();
  expect_running(stage, *process);
  EXPECT_EQ(condition_of_alice(stage, "MeshReady"), "True AsDesired");
  EXPECT_EQ(condition_of_alice(stage, "FeatureUnavailable"), "");
  EXPECT_EQ(stage.text(policy(), "metadata", "uid"), uid);
  remove_alice(stage, *process);
}

void keeps_the_finalizer_until_all_is_gone(const StellarStage& stage) {
  stage.install_mesh();
  const auto wire = stage.meddle("finalizer");
  const auto process = stage.run_stellar("finalizer", *wire);
  stage.make("alice", kInIstio);
  expect_running(stage, *process);
  // One delete is taken and the object lingers; another fails again and again.
  stage.call("PATCH", policy(), R"({"metadata":{"finalizers":["example.com/slow"]}})");
  const auto refused = std::make_shared<std::atomic<int>>(0);
  wire->play([refused](const Meddler::Seen& seen) {
    if (seen.method != "DELETE" || !is_about(seen, "services")) return Meddler::Deed{};
    refused->fetch_add(1);
    return server_error();
  });

  stage.call("DELETE", kNodes + "/alice");

  ASSERT_TRUE(eventually([&] {
    return !stage.text(policy(), "metadata", "deletionTimestamp").empty();
  })) << process->log();
  EXPECT_EQ(stage.phase("alice"), "Terminating") << "said before the first delete";
  EXPECT_TRUE(stage.has(kSets + "/alice")) << "policies go before what they are about";
  stage.call("PATCH", policy(), R"({"metadata":{"finalizers":null}})");
  ASSERT_TRUE(eventually([&] { return refused->load() >= 4; })) << process->log();
  EXPECT_THAT(stage.text(kNodes + "/alice", "metadata", "finalizers"),
              HasSubstr("stellarnode.stellar.org/finalizer"))
      << "a Service is left";
  wire->play({});
  expect_gone(stage, *process);
  EXPECT_FALSE(stage.has(policy()));
  EXPECT_FALSE(stage.has(rule()));
}

void keeps_a_retained_claim(const StellarStage& stage) {
  const auto claim = kClaims + "/alice-data";
  const auto process = stage.run_stellar("retained");
  stage.make("alice", kUnasked);
  stage.call("PATCH", kNodes + "/alice", R"({"spec":{"storage":{"retentionPolicy":"Retain"}}})");
  expect_running(stage, *process);
  const auto uid = stage.text(claim, "metadata", "uid");
  EXPECT_EQ(stage.text(kNodes + "/alice", "status", "volumeClaim"),
            "alice-data (stays, not deleted with the node)");

  stage.call("DELETE", kNodes + "/alice");

  ASSERT_TRUE(eventually([&] { return stage.gone("alice"); })) << process->log();
  EXPECT_EQ(stage.text(claim, "metadata", "uid"), uid);
  EXPECT_THAT(stage.text(claim, "metadata", "ownerReferences"), Not(HasSubstr("StellarNode")));
  EXPECT_EQ(stage.text(claim, "metadata", "deletionTimestamp"), "");

  stage.make("alice", kUnasked);

  expect_running(stage, *process);
  EXPECT_EQ(stage.text(claim, "metadata", "uid"), uid) << "its own again";
  remove_alice(stage, *process);
}

}  // namespace fixpoint
