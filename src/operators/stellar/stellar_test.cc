// SPDX-License-Identifier: Apache-2.0
//
// What the operator makes of a spec, pass by pass, on the API server that ships.
#include "operators/stellar/stellar.h"

#include "operators/stellar/children/children.h"
#include "operators/stellar/stellar_fixture.h"

#include <algorithm>
#include <string>

namespace fixpoint::operators::stellar {
namespace {

using testing::Contains;
using testing::HasSubstr;

class StellarNodes : public StellarFixture {
 protected:
  // A field of a child as text.
  template <class... Keys>
  std::string text(const ChildKind& kind, std::string_view name, Keys... keys) {
    return world_.text(resource_of(kind), name, keys...);
  }
};

TEST_F(StellarNodes, AValidatorBecomesAStatefulSetWithEverythingAroundIt) {
  bring_up("alice", kValidatorSpec);

  EXPECT_TRUE(has(kinds::kStatefulSet, "alice"));
  EXPECT_TRUE(has(kinds::kService, "alice"));
  EXPECT_TRUE(has(kinds::kService, "alice-headless"));
  EXPECT_TRUE(has(kinds::kClaim, "alice-data"));
  EXPECT_TRUE(has(kinds::kNetworkPolicy, "alice-netpol"));
  EXPECT_FALSE(has(kinds::kDisruptionBudget, "alice")) << "a drain would wait for ever";
  EXPECT_THAT(text(kinds::kConfigMap, "alice-config", "data", "stellar-core.cfg"),
              HasSubstr("NETWORK_PASSPHRASE=\"Test SDF Network ; September 2015\""));
  EXPECT_EQ(condition("Ready"), "True NodeSynced");
  EXPECT_EQ(condition("Available"), "True NodeSynced");
  EXPECT_EQ(condition("Progressing"), "False Settled");
  EXPECT_EQ(condition("Degraded"), "False AsExpected");
  EXPECT_EQ(condition("SpecValid"), "True Accepted");
  EXPECT_EQ(condition("ResourcesReady"), "True AsDesired");
  EXPECT_EQ(world_.text(nodes_, "alice", "status", "ledgerSequence"), "4096");
}

TEST_F(StellarNodes, AHorizonBecomesADeploymentThatReadsItsVariables) {
  bring_up("web", kHorizonSpec);

  const auto deployment = child(kinds::kDeployment, "web");
  const auto container = deployment.get("spec", "template", "spec").get("containers")[0];
  EXPECT_EQ(container.get("image").as_string(), "stellar/horizon:22.1.0");
  std::vector<std::string> names;
  for (const auto variable : container.get("env").elements()) {
    names.emplace_back(variable.get("name").as_string());
  }
  EXPECT_THAT(names, Contains("DATABASE_URL"));
  EXPECT_THAT(names, Contains("NETWORK_PASSPHRASE"));
  EXPECT_EQ(text(kinds::kConfigMap, "web-config", "data", "STELLAR_CORE_URL"), "http://core:11626");
  EXPECT_TRUE(has(kinds::kDisruptionBudget, "web")) << "two pods: one at a time";
}

TEST_F(StellarNodes, ChildrenSayFromWhichGenerationTheyAre) {
  bring_up("alice", kValidatorSpec);
  edit("alice", R"({"spec":{"version":"22.2.0"}})");
  settle();

  EXPECT_EQ(generation_of(kinds::kStatefulSet, "alice"), "2");
  EXPECT_EQ(generation_of(kinds::kConfigMap, "alice-config"), "2");
}

TEST_F(StellarNodes, WhatIsNotAskedForAnyMoreIsRemoved) {
  bring_up("web", R"({"nodeType":"Horizon","network":"testnet","version":"1","alerting":true,
      "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
      "ingress":{"hosts":[{"host":"h.example"}]},"autoscaling":{"minReplicas":1,"maxReplicas":3}})");
  ASSERT_TRUE(has(kinds::kIngress, "web-ingress"));
  ASSERT_TRUE(has(kinds::kAutoscaler, "web-hpa"));
  ASSERT_TRUE(has(kinds::kConfigMap, "web-alerts"));

  edit("web", R"({"spec":{"ingress":null,"autoscaling":null,"alerting":false}})");
  settle("web");

  EXPECT_FALSE(has(kinds::kIngress, "web-ingress"));
  EXPECT_FALSE(has(kinds::kAutoscaler, "web-hpa"));
  EXPECT_FALSE(has(kinds::kConfigMap, "web-alerts"));
  EXPECT_TRUE(has(kinds::kConfigMap, "web-config"));
}

TEST_F(StellarNodes, AnAutoscalerIsNotArguedWith) {
  bring_up("web", R"({"nodeType":"Horizon","network":"testnet","version":"1",
      "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
      "autoscaling":{"minReplicas":1,"maxReplicas":3}})");

  world_.patch(resource_of(kinds::kDeployment), "web", R"({"spec":{"replicas":3}})");
  settle("web");

  EXPECT_EQ(text(kinds::kDeployment, "web", "spec", "replicas"), "3");
}

TEST_F(StellarNodes, ASuspendedNodeHasNoPodsAndKeepsTheRest) {
  bring_up("alice", kValidatorSpec);
  edit("alice", R"({"spec":{"suspended":true}})");
  settle();

  EXPECT_EQ(phase(), "Suspended");
  EXPECT_EQ(condition("Ready"), "False NodeSuspended");
  EXPECT_EQ(text(kinds::kStatefulSet, "alice", "spec", "replicas"), "0");
  EXPECT_TRUE(has(kinds::kService, "alice"));
  EXPECT_TRUE(has(kinds::kClaim, "alice-data"));
}

TEST_F(StellarNodes, MaintenanceKeepsItsHandsOffTheWorkload) {
  bring_up("alice", kValidatorSpec);
  edit("alice", R"({"spec":{"maintenanceMode":true}})");
  settle();
  world_.patch(resource_of(kinds::kStatefulSet), "alice", R"({"spec":{"replicas":0}})");
  settle();

  EXPECT_EQ(phase(), "Maintenance");
  EXPECT_EQ(text(kinds::kStatefulSet, "alice", "spec", "replicas"), "0");
}

TEST_F(StellarNodes, TwoNetworksInOneNamespaceAreOneTooMany) {
  bring_up("alice", kValidatorSpec);
  world_.clock.advance(std::chrono::seconds(5));
  make("bob", R"({"nodeType":"Validator","network":"mainnet","version":"1",
      "validatorConfig":{"seedSecretRef":"seed"}})");
  world_.sync();
  memory_ = {};
  const auto end = run("bob");

  EXPECT_EQ(phase("bob"), "Failed");
  EXPECT_EQ(condition("Ready", "bob"), "False NetworkSafetyViolation");
  EXPECT_THAT(told("Ready", "bob"), HasSubstr("alice"));
  EXPECT_THAT(reasons(end), Contains("NetworkSafetyViolation"));
  EXPECT_FALSE(has(kinds::kConfigMap, "bob-config"));
  memory_ = {};
  settle();
  EXPECT_EQ(phase(), "Running") << "whoever was there first stays";

  world_.clock.advance(std::chrono::seconds(5));
  make("carol", kValidatorSpec);
  memory_ = {};
  settle("carol");
  EXPECT_EQ(phase("carol"), "Creating") << "one that is refused itself refuses nobody";
}

TEST_F(StellarNodes, NetworksWithoutANameAreToldApartByTheirPassphrase) {
  constexpr std::string_view kOf = R"({"nodeType":"Validator","network":"custom",
      "customNetworkPassphrase":"%","version":"1","validatorConfig":{"seedSecretRef":"seed",
      "quorumSet":"[QUORUM_SET]\nVALIDATORS=[\"GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH\"]"}})";
  bring_up("alice", filled(kOf, {"ours"}));
  for (const auto* name : {"bob", "carol"}) {
    world_.clock.advance(std::chrono::seconds(5));
    make(name, filled(kOf, {name == std::string_view{"bob"} ? "theirs" : "ours"}));
    world_.sync();
    memory_ = {};
    (void)run(name);
  }

  EXPECT_EQ(condition("Ready", "bob"), "False NetworkSafetyViolation");
  EXPECT_EQ(phase("carol"), "Creating");
}

TEST_F(StellarNodes, TheFirstPodWaitsForAnArchive) {
  health.verdict = Verdict::Unhealthy;
  health.message = "404";
  make("alice", R"({"nodeType":"Validator","network":"testnet","version":"1","validatorConfig":{
      "seedSecretRef":"seed","enableHistoryArchive":true,
      "historyArchiveUrls":["https://history.example.com/one"]}})");
  settle();
  EXPECT_EQ(phase(), "WaitingForArchive");
  EXPECT_FALSE(has(kinds::kStatefulSet, "alice"));
  EXPECT_TRUE(has(kinds::kConfigMap, "alice-config"));

  health.verdict = Verdict::Healthy;
  settle();
  EXPECT_TRUE(has(kinds::kStatefulSet, "alice"));

  health.verdict = Verdict::Unhealthy;
  start_pods();
  settle();
  EXPECT_NE(phase(), "WaitingForArchive") << "pods that run are not taken away";
  EXPECT_TRUE(has(kinds::kStatefulSet, "alice"));
}

TEST_F(StellarNodes, WaitsForASecretAndSaysWhich) {
  make("alice", R"({"nodeType":"Validator","network":"testnet","version":"1",
      "validatorConfig":{"seedSecretRef":"mine"}})");
  settle();
  EXPECT_EQ(condition("Ready"), "False SecretMissing");
  EXPECT_THAT(told("Ready"), HasSubstr("Secret mine is not there; create it in namespace ns"));
  EXPECT_FALSE(has(kinds::kStatefulSet, "alice"));

  world_.create("", "v1", "secrets", "ns", R"({"metadata":{"name":"mine"}})");
  settle();
  EXPECT_TRUE(has(kinds::kStatefulSet, "alice"));
}

TEST_F(StellarNodes, SaysWhoShallFillASecretThatIsMissing) {
  make("alice", R"({"nodeType":"Validator","network":"testnet","version":"1",
      "validatorConfig":{"seedSecretSource":{"externalRef":{"name":"from-vault"}}}})");
  settle();

  EXPECT_THAT(told("Ready"), HasSubstr("Secret alice-seed (the target of ExternalSecret "
                                       "from-vault) is not there"));
}

constexpr std::string_view kArchivingSpec = R"({"nodeType":"Validator","network":"testnet",
    "version":"22","validatorConfig":{"seedSecretRef":"seed","enableHistoryArchive":true,
    "historyArchiveUrls":["https://one.example","https://two.example"]}})";

TEST_F(StellarNodes, LooksAfterTheArchivesOfANodeThatRuns) {
  std::int64_t lag = 64;
  bool readable = true;
  on_probe_ = [&](const runtime::Probe& probe) -> Result<json::Value> {
    if (probe.name != "archive") return health.to_json();
    if (!readable) return Health{.verdict = Verdict::Unknown, .message = "no answer"}.to_json();
    Health archive{.verdict = Verdict::Healthy, .reason = "Synced"};
    const bool second = probe.arguments.get("url").as_string() == "https://two.example";
    archive.ledger = probe.arguments.get("ledger").as_int(1) - (second ? lag : 10);
    if (probe.arguments.contains("ledger")) archive.lag = second ? lag : 10;
    return archive.to_json();
  };
  bring_up("alice", kArchivingSpec);
  EXPECT_EQ(condition("ArchiveHealthCheck"), "True Readable");
  EXPECT_EQ(condition("ArchiveIntegrityDegraded"), "");

  lag = 500;
  world_.sync();
  const auto late = run("alice");
  EXPECT_THAT(reasons(late), testing::Contains("ArchiveIntegrityDegraded"));
  EXPECT_EQ(condition("ArchiveIntegrityDegraded"), "True ArchiveLags");
  EXPECT_THAT(told("ArchiveIntegrityDegraded"), HasSubstr("https://two.example is more than 128"));
  EXPECT_EQ(phase(), "Running") << "the node itself is well";
  lag = 600;
  EXPECT_EQ(settle().writes, 0U) << "the number is a metric's to tell";

  readable = false;
  world_.sync();
  EXPECT_THAT(reasons(run("alice")), testing::Contains("ArchiveHealthCheckFailed"));
  EXPECT_EQ(condition("ArchiveHealthCheck"), "False ArchiveHealthCheckFailed");
  EXPECT_EQ(phase(), "Running");
}

TEST_F(StellarNodes, MakesTheTokensOfAMeshKnown) {
  install_mesh();
  make("alice", R"({"nodeType":"Horizon","network":"testnet","version":"22.1.0",
      "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
      "serviceMesh":{"istio":{"jwtRules":[{"issuer":"https://id.example","audiences":["a"]}]}}})");
  settle();

  const auto made = child(kinds::kRequestAuthentication, "alice-req-auth");
  EXPECT_EQ(json::to_text(made.get("spec", "jwtRules")),
            R"([{"audiences":["a"],"issuer":"https://id.example"}])");
  edit("alice", R"({"spec":{"serviceMesh":{"istio":{"jwtRules":null}}}})");
  settle();
  EXPECT_FALSE(has(kinds::kRequestAuthentication, "alice-req-auth"));
}

TEST_F(StellarNodes, SaysARefusedSpecInOneEventAndOnce) {
  drop_rules();
  make("alice", R"({"nodeType":"Validator","network":"testnet","version":"1","replicas":3,
      "validatorConfig":{}})");
  world_.sync();
  const auto end = run("alice");

  ASSERT_EQ(reasons(end), (std::vector<std::string>{"SpecValidationFailed"}));
  EXPECT_THAT(end.events[0].note, HasSubstr("exactly one replica"));
  EXPECT_THAT(end.events[0].note, HasSubstr("exactly one source of the seed"));
  world_.sync();
  EXPECT_TRUE(run("alice").events.empty());
}

TEST_F(StellarNodes, KnowsOfEachSecretWhoReadsIt) {
  const auto& primary = reconciler_.declaration().primary();
  const auto& index = *std::ranges::find(primary.indexes, "secret", &runtime::Index::name);
  make("alice", R"({"nodeType":"Validator","network":"custom","version":"1",
      "passphraseSecretRef":"phrase","database":{"host":"h","database":"d","passwordSecret":"p"},
      "validatorConfig":{"seedSecretRef":"seed",
      "quorumSet":"[QUORUM_SET]\nVALIDATORS=[\"GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH\"]"}})");

  std::vector<std::string> names;
  const auto alice = node();
  index.values(alice, [&](std::string_view name) { names.emplace_back(name); });
  EXPECT_THAT(names, testing::UnorderedElementsAre("ns/seed", "ns/p", "ns/phrase"));
}

TEST_F(StellarNodes, SaysWhyAPodDoesNotGetReady) {
  make("alice", kValidatorSpec);
  settle();
  start_pods("alice", false);
  world_.patch(resource_of(kinds::kPod), "alice-0",
               R"({"status":{"initContainerStatuses":[{"name":"configure","image":"i","imageID":"",
               "ready":false,"restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
               "status");
  settle();

  EXPECT_EQ(phase(), "Creating");
  EXPECT_EQ(told("Ready"),
            "0 of 1 pods are ready; container configure of pod alice-0: "
            "CrashLoopBackOff; see kubectl logs alice-0 -c configure");
}

TEST_F(StellarNodes, AChangedSecretOrConfigurationRestartsThePods) {
  bring_up("alice", kValidatorSpec);
  const auto annotations = [&] {
    return text(kinds::kStatefulSet, "alice", "spec", "template", "metadata", "annotations");
  };
  const auto first = annotations();

  world_.patch(resource_of(kinds::kSecret), "seed", R"({"stringData":{"STELLAR_CORE_SEED":"T"}})");
  settle();
  const auto second = annotations();
  EXPECT_NE(second, first);

  edit("alice", R"({"spec":{"validatorConfig":{"homeDomain":"example.com"}}})");
  settle();
  EXPECT_NE(annotations(), second);
}

TEST_F(StellarNodes, APassphraseMayComeFromASecret) {
  world_.create(
      "", "v1", "secrets", "ns",
      R"({"metadata":{"name":"phrase"},"stringData":{"NETWORK_PASSPHRASE":"Mine ; 2026"}})");
  bring_up("alice", R"({"nodeType":"Validator","network":"custom","passphraseSecretRef":"phrase",
      "version":"1","validatorConfig":{"seedSecretRef":"seed","quorumSet":
      "[QUORUM_SET]\nVALIDATORS=[\"GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH\"]"}})");

  EXPECT_THAT(text(kinds::kConfigMap, "alice-config", "data", "stellar-core.cfg"),
              HasSubstr("NETWORK_PASSPHRASE=\"Mine ; 2026\""));
}

TEST_F(StellarNodes, AVolumeGrowsAndNeverShrinks) {
  bring_up("alice", kValidatorSpec);
  const auto size = [&] {
    return text(kinds::kClaim, "alice-data", "spec", "resources", "requests", "storage");
  };
  EXPECT_EQ(size(), "10Gi");
  // The claim was enlarged by hand: asking for less would be refused.
  world_.patch(resource_of(kinds::kClaim), "alice-data", R"({"spec":{"storageClassName":null}})");
  edit("alice", R"({"spec":{"alerting":true}})");
  settle();
  EXPECT_EQ(phase(), "Running") << told("Ready");
}

TEST_F(StellarNodes, AClassThatTheClusterChoseIsNotNamedAfterwards) {
  make("alice", kValidatorSpec);
  settle();
  world_.patch(resource_of(kinds::kClaim), "alice-data", R"({"spec":{"storageClassName":"fast"}})");
  calls_.clear();

  settle();

  EXPECT_EQ(text(kinds::kClaim, "alice-data", "spec", "storageClassName"), "fast");
  const auto writes = std::ranges::count_if(calls_, [](const client::Call& call) {
    return is_write(call) && call.resource.plural == "persistentvolumeclaims";
  });
  EXPECT_EQ(writes, 0);
}

TEST_F(StellarNodes, AStalledLedgerRestartsThePodsTwiceAndNoMore) {
  bring_up("alice", kValidatorSpec);
  health.verdict = Verdict::Unhealthy;
  health.reason = "StaleLedger";
  health.message = "the ledger is 1000 seconds old";
  health.age_seconds = 1000;
  const auto restarted = [&] {
    return text(kinds::kStatefulSet, "alice", "spec", "template", "metadata", "annotations",
                "stellar.org/restarted-at");
  };

  world_.sync();
  const auto end = run("alice");
  EXPECT_THAT(reasons(end), Contains("AutoRemediationRestart"));
  EXPECT_EQ(phase(), "Remediating");
  settle();
  start_pods();
  settle();
  const auto first = restarted();
  EXPECT_NE(first, "");
  EXPECT_EQ(phase(), "Degraded");

  world_.clock.advance(std::chrono::minutes(11));
  settle();
  start_pods();
  settle();
  const auto second = restarted();
  EXPECT_NE(second, first);

  world_.clock.advance(std::chrono::minutes(60));
  settle();
  EXPECT_EQ(restarted(), second);
  EXPECT_EQ(phase(), "Degraded");
  EXPECT_THAT(told("Degraded"), HasSubstr("look at the logs"));

  health.verdict = Verdict::Healthy;
  settle();
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(restarted(), second) << "a good node is not restarted for being good";
  EXPECT_EQ(world_.text(nodes_, "alice", "metadata", "annotations", kRemediationLevelAnnotation),
            "");
}

TEST_F(StellarNodes, ANodeThatCatchesUpIsNotRestartedForItsOldLedger) {
  bring_up("alice", kValidatorSpec);
  health.verdict = Verdict::Unhealthy;
  health.reason = "Syncing";
  health.age_seconds = 100'000;

  settle();

  EXPECT_EQ(phase(), "Syncing");
  EXPECT_EQ(world_.text(nodes_, "alice", "metadata", "annotations", kRemediationLevelAnnotation),
            "");
}

TEST_F(StellarNodes, AServiceMonitorIsMadeWhereItsKindIsServed) {
  bring_up("web", kHorizonSpec);
  EXPECT_EQ(condition("FeatureUnavailable", "web"), "") << "nobody asked for it";

  install_mesh();
  settle("web");

  EXPECT_TRUE(has(kinds::kServiceMonitor, "web-service-monitor"));
}

TEST_F(StellarNodes, PoliciesOfAMeshGoWithItsBlock) {
  install_mesh();
  bring_up("alice", kIstioSpec);
  ASSERT_TRUE(has(kinds::kPeerAuthentication, "alice-peer-auth"));

  edit("alice", R"({"spec":{"serviceMesh":null}})");
  settle();

  EXPECT_FALSE(has(kinds::kPeerAuthentication, "alice-peer-auth"));
  EXPECT_EQ(condition("MeshReady"), "");
}

TEST_F(StellarNodes, TheAdminPortIsOpenOnlyBehindAPolicy) {
  Node node;
  node.spec.node_type = NodeType::Validator;
  EXPECT_TRUE(opens_http_port(node.spec));
  EXPECT_TRUE(wants_network_policy(node.spec));

  node.spec.network_policy = NetworkPolicy{.enabled = false};
  EXPECT_FALSE(opens_http_port(node.spec));
  EXPECT_FALSE(wants_network_policy(node.spec));
}

TEST(StellarLife, LeadsToRunningByOneFindingAlone) {
  for (std::size_t from = 0; from < kPhaseNames.size(); ++from) {
    for (std::size_t found = 0; found < kFindingNames.size(); ++found) {
      const auto phase = static_cast<Phase>(from);
      const auto finding = static_cast<Finding>(found);
      if (phase == Phase::Running) continue;
      const auto to = fsm::next(kLife, phase, finding, [](Guard) { return true; });
      EXPECT_EQ(to == Phase::Running, finding == Finding::InSync && phase != Phase::Terminating);
    }
  }
}

TEST(StellarLife, HasNoWayBackFromTerminating) {
  for (std::size_t found = 0; found < kFindingNames.size(); ++found) {
    EXPECT_FALSE(fsm::next(kLife, Phase::Terminating, static_cast<Finding>(found), [](Guard) {
                   return true;
                 }).has_value());
  }
}

}  // namespace
}  // namespace fixpoint::operators::stellar
