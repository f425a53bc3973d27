// SPDX-License-Identifier: Apache-2.0
//
// The operator as `fixpoint manifests` installs it: with its service account, its roles and the
// arguments of its Deployment, through a whole life of every node type.
#include "tests/integration/answering_node.h"
#include "tests/integration/kubectl.h"
#include "tests/integration/stellar_stories.h"
#include "tests/shipped_program.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kAddress = "127.9.9.7";
constexpr std::string_view kPassphrase = "Test SDF Network ; September 2015";
const std::string kIngresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
const std::string kScalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

void make(const StellarStage& stage, std::string_view name, std::string_view spec) {
  const auto made =
      stage.call("POST", kNodes,
                 fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
      "metadata":{{"name":"{}"}},"spec":{{"network":"testnet","passphraseSecretRef":"phrase",
      "version":"22.1.0","alerting":true,"networkPolicy":{{}},{}}}}})",
                             name, spec));
  ASSERT_EQ(made.status, 201) << made.body;
}

void make_all(const StellarStage& stage) {
  make(stage, "v", R"("nodeType":"Validator","storage":{"size":"1Gi"},
       "validatorConfig":{"seedSecretRef":"seed"},"serviceMesh":{"istio":{"circuitBreaker":{}}})");
  make(stage, "h", R"("nodeType":"Horizon","replicas":2,
       "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
       "strategy":{"type":"canary","canary":{"checkIntervalSeconds":1}},
       "autoscaling":{"minReplicas":2,"maxReplicas":4,"targetCpuUtilizationPercentage":70},
       "ingress":{"hosts":[{"host":"h.example.com","paths":[{"path":"/"}]}]},
       "serviceMesh":{"istio":{"retries":{},"jwtRules":[{"issuer":"https://id.example.com",
       "jwksUri":"https://id.example.com/keys"}]}})");
  make(stage, "r", R"("nodeType":"SorobanRpc","storage":{"size":"1Gi"},
       "sorobanConfig":{"stellarCoreUrl":"http://core:11626"},
       "serviceMesh":{"linkerd":{"policyMode":"deny"}})");
}

bool runs(const StellarStage& stage, std::string_view name, std::string_view phase = "Running") {
  stage.start_pods(name, kAddress);
  const auto node = stage.cluster().get(fmt::format("{}/{}", kNodes, name));
  return node.get("status", "phase").as_string() == phase &&
         node.get("status", "observedGeneration") == node.get("metadata", "generation");
}

void expect_phase(const StellarStage& stage, const RunningOperator& process, std::string_view name,
                  std::string_view phase = "Running") {
  ASSERT_TRUE(eventually([&] { return runs(stage, name, phase); }))
      << stage.status(name) << process.log();
}

void edit(const StellarStage& stage, std::string_view name, std::string_view spec) {
  const auto edited = stage.call("PATCH", fmt::format("{}/{}", kNodes, name),
                                 fmt::format(R"({{"spec":{}}})", spec));
  ASSERT_EQ(edited.status, 200) << edited.body;
}

// What the Deployment of the manifests starts: its own words, without a cluster to be in.
void expect_words_are_understood(const StellarStage& stage, const Kubectl& kubectl) {
  const auto words = kubectl(
      "get deployment stars -n stars-system -o jsonpath={.spec.template.spec."
      "containers[0].args[*]}");
  ASSERT_THAT(words, HasSubstr("--operators=stellar"));
  const auto nowhere = (stage.scratch() / "nowhere").string();
  const auto said = output_of(
      fmt::format("'{}' {} --kubeconfig={} 2>&1", shipped_program().string(), words, nowhere));
  EXPECT_THAT(said, HasSubstr(nowhere)) << "all that is wrong is that there is no such file";
}

// A kubeconfig of the service account that the manifests make.
std::filesystem::path own_identity(const StellarStage& stage, const std::string& program,
                                   const Kubectl& kubectl) {
  std::string token = kubectl("create token stars --namespace stars-system");
  while (token.ends_with('\n')) token.pop_back();
  const auto config = stage.scratch() / "own.kubeconfig";
  std::filesystem::copy_file(stage.cluster().kubeconfig, config);
  const Kubectl own(program, config);
  own("config set-credentials own --token=" + token);
  own("config set-context --current --user=own --namespace=stars-system");
  EXPECT_THAT(own("auth can-i create nodes"), HasSubstr("no"));
  return config;
}

void live(const StellarStage& stage, const RunningOperator& process) {
  make_all(stage);
  for (const auto* name : {"v", "h", "r"}) {
    ASSERT_NO_FATAL_FAILURE(expect_phase(stage, process, name));
  }
  EXPECT_TRUE(stage.has(kIngresses + "/h-ingress"));
  EXPECT_TRUE(stage.has(kScalers + "/h-hpa"));
  EXPECT_TRUE(stage.has(StellarStage::mesh_path("requestauthentications") + "/h-req-auth"));
  EXPECT_TRUE(stage.has(StellarStage::mesh_path("servicemonitors") + "/h-service-monitor"));
  EXPECT_TRUE(stage.has(StellarStage::mesh_path("servers") + "/r-server"));

  // Another version is tried and takes over.
  edit(stage, "h", R"({"version":"22.2.0"})");
  ASSERT_TRUE(eventually([&] {
    stage.start_pods("h", kAddress);
    return stage.text(kDeployments + "/h", "metadata", "annotations", "stellar.org/version") ==
           "22.2.0";
  })) << stage.status("h")
      << process.log();
  ASSERT_NO_FATAL_FAILURE(expect_phase(stage, process, "h"));

  // What is not asked for any more goes.
  edit(stage, "h", R"({"serviceMesh":null,"autoscaling":null,"ingress":null,"alerting":false})");
  ASSERT_NO_FATAL_FAILURE(expect_phase(stage, process, "h"));
  EXPECT_FALSE(stage.has(StellarStage::mesh_path("virtualservices") + "/h-virtual-svc"));
  EXPECT_FALSE(stage.has(kScalers + "/h-hpa"));
  EXPECT_FALSE(stage.has(kIngresses + "/h-ingress"));
  edit(stage, "r", R"({"suspended":true})");
  ASSERT_NO_FATAL_FAILURE(expect_phase(stage, process, "r", "Suspended"));
  // A new seed restarts the pods; the claim is to be kept.
  stage.call("PATCH", "/api/v1/namespaces/default/secrets/seed",
             R"({"stringData":{"again":"yes"}})");
  edit(stage, "v", R"({"storage":{"retentionPolicy":"Retain"}})");
  expect_phase(stage, process, "v");
}

void die(const StellarStage& stage, const RunningOperator& process) {
  for (const auto* name : {"v", "h", "r"}) stage.call("DELETE", fmt::format("{}/{}", kNodes, name));
  for (const auto* name : {"v", "h", "r"}) {
    EXPECT_TRUE(eventually([&] {
      return stage.call("GET", fmt::format("{}/{}", kNodes, name)).status == 404;
    })) << stage.status(name)
        << process.log();
  }
  EXPECT_TRUE(stage.has(kClaims + "/v-data"));
  EXPECT_TRUE(eventually([&] { return !stage.has(kClaims + "/r-data"); }));
  stage.call("DELETE", kClaims + "/v-data");
}

}  // namespace

void lives_with_its_own_rights(const StellarStage& stage) {
  const auto program = find_kubectl();
  if (program.empty()) GTEST_SKIP() << "no kubectl on PATH and none built";
  const Kubectl kubectl(program, stage.cluster().kubeconfig);
  const auto manifests = (stage.scratch() / "manifests.yaml").string();
  output_of(
      fmt::format("'{}' manifests --operators stellar --name stars --namespace stars-system "
                  "> {}",
                  shipped_program().string(), manifests));
  const auto applied = kubectl("apply --server-side --force-conflicts -f " + manifests);
  ASSERT_THAT(applied, HasSubstr("deployment.apps/stars serverside-applied"));
  ASSERT_THAT(applied, HasSubstr("stellarnodes.stellar.org serverside-applied"));
  expect_words_are_understood(stage, kubectl);
  stage.install_mesh();
  stage.call("POST", "/api/v1/namespaces/default/secrets",
             fmt::format(
                 R"({{"metadata":{{"name":"phrase"}},"stringData":{{"NETWORK_PASSPHRASE":"{}"}}}})",
                 kPassphrase));
  const auto node = AnsweringNode::start(std::string{kAddress}, std::string{kPassphrase});
  ASSERT_TRUE(node.has_value()) << node.error().message;
  const auto process = stage.run({.kubeconfig = own_identity(stage, program, kubectl),
                                  .log = stage.scratch() / "own.log",
                                  .operators = "stellar",
                                  .flags = kElected});

  live(stage, *process);
  if (testing::Test::HasFatalFailure()) return;
  die(stage, *process);

  EXPECT_THAT(process->page("/metrics").body, Not(HasSubstr(R"(code="403")")));
  EXPECT_EQ(process->stop(), 0);
  EXPECT_THAT(process->log(), Not(HasSubstr("orbidden"))) << "nothing was asked for in vain";
  kubectl("delete namespace stars-system --wait=false");
}

}  // namespace fixpoint
