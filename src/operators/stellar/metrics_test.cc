// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/metrics.h"

#include "json/yaml/yaml.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/stellar_fixture.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Pair;

Node node_of(std::string_view spec) {
  Node node;
  node.key = {"ns", "alice"};
  const auto parsed = json::parse(spec).value();
  node.spec = types::decode<Spec>(parsed).value;
  return node;
}

std::map<std::string, double> told(const Node& node, const Facts& facts) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : samples(node, facts).values) {
    EXPECT_TRUE(values.emplace(name, value).second) << name << " twice";
  }
  return values;
}

std::set<std::string> declared() {
  std::set<std::string> names;
  for (const auto& gauge : object_metrics().gauges) names.insert(gauge.name);
  return names;
}

// All that a pass can know.
Facts all_known() {
  Facts facts;
  facts.workload.ready = 1;
  facts.health = Health{.verdict = Verdict::Healthy, .reason = "Synced"};
  facts.health->ledger = 5000;
  facts.health->age_seconds = 3;
  facts.health->lag = 2;
  facts.health->peers = 8;
  facts.health->quorum_agreeing = 4;
  facts.health->quorum_missing = 0;
  facts.health->quorum_fail_at = 2;
  facts.archives.lag = 64;
  facts.claim.requested = *kube::Quantity::parse("10Gi");
  return facts;
}

TEST(StellarMetrics, NameEveryMetricOfTheAlertRules) {
  const auto names = declared();
  for (const std::string_view spec :
       {kValidatorSpec, kHorizonSpec,
        std::string_view{R"({"nodeType":"Validator","network":"testnet","version":"22",
          "validatorConfig":{"seedSecretRef":"s","enableHistoryArchive":true,
          "historyArchiveUrls":["https://a.example"]}})"},
        std::string_view{R"({"nodeType":"SorobanRpc","network":"testnet","version":"22",
          "sorobanConfig":{"stellarCoreUrl":"http://core:11626"}})"}}) {
    const auto map = alert_rules(node_of(spec));
    const auto rules = json::parse_yaml(map.get("data", "alerts.yaml").as_string());
    ASSERT_TRUE(rules.has_value()) << rules.error().message;
    std::size_t count = 0;
    for (const auto rule : rules->get("groups")[0].get("rules").elements()) {
      const auto expression = rule.get("expr").as_string();
      const std::string metric{expression.substr(0, expression.find('{'))};
      ASSERT_TRUE(metric.starts_with("stellar_")) << expression;
      EXPECT_TRUE(names.contains(metric.substr(8))) << expression;
      EXPECT_NE(expression.find(R"({namespace="ns",name="alice"})"), std::string_view::npos);
      ++count;
    }
    EXPECT_GE(count, 2U);
  }
}

TEST(StellarMetrics, TellWhatTheNodeSaysAndNothingElse) {
  const auto values = told(node_of(kValidatorSpec), all_known());

  EXPECT_THAT(values, Contains(Pair("node_up", 1)));
  EXPECT_THAT(values, Contains(Pair("node_sync_status", 1)));
  EXPECT_THAT(values, Contains(Pair("node_ledger_sequence", 5000)));
  EXPECT_THAT(values, Contains(Pair("node_ingestion_lag", 2)));
  EXPECT_THAT(values, Contains(Pair("quorum_fail_at", 2)));
  EXPECT_THAT(values, Contains(Pair("pvc_requested_bytes", 10.0 * (1 << 30))));
  EXPECT_THAT(values, Contains(Pair("archive_ledger_lag", 64)));
  for (const auto& name : declared()) EXPECT_TRUE(values.contains(name)) << name;

  const auto few = told(node_of(kValidatorSpec), Facts{});
  EXPECT_THAT(few, Contains(Pair("node_up", 0)));
  EXPECT_FALSE(few.contains("node_ledger_sequence")) << "a zero would be a lie";
}

TEST(StellarMetrics, CallANodeUpThatAnswersAndDownThatDoesNot) {
  auto facts = all_known();
  facts.health->verdict = Verdict::Unhealthy;
  facts.health->reason = "Syncing";
  EXPECT_THAT(told(node_of(kValidatorSpec), facts), Contains(Pair("node_up", 1)));
  EXPECT_THAT(told(node_of(kValidatorSpec), facts), Contains(Pair("node_sync_status", 0)));

  facts.health->reason = "Unreachable";
  EXPECT_THAT(told(node_of(kValidatorSpec), facts), Contains(Pair("node_up", 0)));

  facts.health->verdict = Verdict::Unknown;
  facts.health->reason = "NoAnswer";
  EXPECT_THAT(told(node_of(kValidatorSpec), facts), Contains(Pair("node_up", 0)));
}

TEST(StellarMetrics, SayNothingOfWhatShallNotRun) {
  auto facts = all_known();
  auto node = node_of(kValidatorSpec);
  node.spec.suspended = true;
  EXPECT_THAT(samples(node, facts).values, IsEmpty());

  node.spec.suspended = false;
  facts.deleting = true;
  EXPECT_THAT(samples(node, facts).values, IsEmpty());
}

class StellarMetricsOfAPass : public StellarFixture {};

TEST_F(StellarMetricsOfAPass, ComeFromTheFactsOfThePass) {
  bring_up("alice", kValidatorSpec);

  const auto end = run("alice");
  ASSERT_NE(end.facts, nullptr);
  const auto samples = reconciler_.samples(end.facts);
  EXPECT_EQ(samples.labels, (std::vector<std::string>{"Validator", "testnet"}));
  EXPECT_THAT(samples.values, Contains(Pair("node_ledger_sequence", 5000)));
}

}  // namespace
}  // namespace fixpoint::operators::stellar
