// SPDX-License-Identifier: Apache-2.0
//
// No field is taken and ignored: walks the table of the spec and shows for each leaf that another
// value there makes another plan, or is refused. What does neither is listed with its reason.
#include "base/file.h"
#include "base/thoroughness_for_tests.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "operators/stellar/check.h"
#include "operators/stellar/decide.h"
#include "types/decode.h"
#include "types/table.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using Path = std::vector<std::string>;

// A step into the first element of a list.
constexpr std::string_view kFirst = "[]";

const std::map<std::string, std::string, std::less<>> kWithoutEffect{
    {"serviceMesh.istio.circuitBreaker.minRequestVolume",
     "Istio has nothing like it, and every manifest for other operators has it"               },
    {"validatorConfig.seedSecretSource.externalRef.name",
     "named in the message while the Secret is missing: EdgeCases and StellarOperator show it"},
};

const types::Type& bare(const types::Type& type) {
  return type.shape == types::Shape::Optional ? bare(type.element()) : type;
}

void add_leaves(const types::Type& type, const Path& path, std::vector<Path>& leaves) {
  const auto& of = bare(type);
  if (of.shape == types::Shape::Struct) {
    for (const auto& field : of.table().fields) {
      auto below = path;
      below.push_back(field.name);
      add_leaves(*field.type, below, leaves);
    }
  } else if (of.shape == types::Shape::List && bare(of.element()).shape == types::Shape::Struct) {
    auto below = path;
    below.emplace_back(kFirst);
    add_leaves(of.element(), below, leaves);
  } else {
    leaves.push_back(path);
  }
}

// The place of the leaf, if what it belongs to is there; the leaf itself may be missing.
bool change_at(json::Draft& spec, const Path& path, const json::Value& value) {
  json::Draft* at = &spec;
  for (std::size_t step = 0; step + 1 < path.size(); ++step) {
    if (path[step] == kFirst) {
      if (!at->is_array() || at->empty()) return false;
      at = &*at->elements().begin();
    } else {
      if (!at->is_object() || !at->contains(path[step])) return false;
      at = &(*at)[path[step]];
    }
  }
  if (!at->is_object()) return false;
  if (value.is_null()) {
    if (!at->contains(path.back())) return false;
    at->erase(path.back());
  } else {
    (*at)[path.back()] = value;
  }
  return true;
}

// Values of every shape; whatever does not fit is refused by the table, and passed over here.
const std::vector<json::Value>& candidates() {
  static const std::vector<json::Value> kValues = [] {
    std::vector<json::Value> values;
    for (const std::string_view text : {R"(null)",
                                        R"(true)",
                                        R"(false)",
                                        R"(1)",
                                        R"(2)",
                                        R"(7)",
                                        R"(0.01)",
                                        R"(503)",
                                        R"("other")",
                                        R"("/other")",
                                        R"("7Gi")",
                                        R"("900Gi")",
                                        R"("7m")",
                                        R"("http://other:11626")",
                                        R"("s3://other")",
                                        R"("Prefix")",
                                        R"("Exact")",
                                        R"("debug")",
                                        R"("warning")",
                                        R"("Full")",
                                        R"("Recent")",
                                        R"("Local")",
                                        R"("PersistentVolume")",
                                        R"("Delete")",
                                        R"("Retain")",
                                        R"("Hard")",
                                        R"("Soft")",
                                        R"("STRICT")",
                                        R"("PERMISSIVE")",
                                        R"("allow")",
                                        R"("deny")",
                                        R"("audit")",
                                        R"("NotIn")",
                                        R"("KMS")",
                                        R"("Secret")",
                                        R"("mainnet")",
                                        R"("testnet")",
                                        R"("custom")",
                                        R"("Validator")",
                                        R"("Horizon")",
                                        R"("SorobanRpc")",
                                        R"("canary")",
                                        R"("rollingUpdate")",
                                        R"({"other":"value"})",
                                        R"([{"name":"other"}])",
                                        R"(["other"])",
                                        R"(["https://other.example"])",
                                        R"(["192.168.0.0/16"])",
                                        R"([504])"}) {
      values.push_back(json::parse(text).value());
    }
    return values;
  }();
  return kValues;
}

std::string written(const runtime::Plan& plan) {
  std::string text;
  for (const auto& branch : plan.branches) {
    for (const auto& step : branch.steps) {
      text += runtime::describe(step);
      if (const auto* applied = std::get_if<runtime::ApplyStep>(&step)) {
        text += fmt::format(" {} {}", static_cast<int>(applied->ownership),
                            json::to_text(applied->object));
      }
      text += '\n';
    }
  }
  return text;
}

// What a spec comes to: what is said against it, or everything that is planned.
std::string consequences(const json::Value& spec) {
  auto decoded = types::decode<Spec>(spec, kube::FieldPath{"spec"});
  if (!decoded.ok()) return {};
  std::string text;
  for (const auto& error : check(decoded.value)) text += error.to_string() + "\n";
  if (!text.empty()) return text;
  Node node;
  node.key = {"ns", "alice"};
  node.uid = kube::Uid{"u"};
  node.generation = 1;
  node.spec = std::move(decoded.value);
  node.object = json::parse(R"({"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
      "metadata":{"namespace":"ns","name":"alice","uid":"u"}})")
                    .value();
  Facts facts;
  facts.passphrase = node.spec.passphrase_secret_ref.empty() ? passphrase_of(node.spec, {}) : "s";
  facts.secrets_stamp = "stamp";
  facts.workload.exists = facts.workload.settled = true;
  facts.workload.wanted = 10;
  facts.workload.version = "old";
  facts.health = Health{.verdict = Verdict::Healthy, .reason = "Synced"};
  text += written(decide(node, facts, Instant{}));
  // And in the middle of a trial.
  facts.canary = {.exists = true,
                  .version = node.spec.version,
                  .weight = 10,
                  .since = Instant{},
                  .settled = true,
                  .failing = 0.04};
  text += written(decide(node, facts, Instant{} + std::chrono::seconds(400)));
  return text;
}

std::vector<json::Value> bases() {
  std::vector<json::Value> all;
  std::map<std::string, json::Value, std::less<>> samples;
  for (const auto* file : {"validator", "horizon", "soroban-rpc"}) {
    const auto text =
        read_file("tests/testdata/operators/stellar/full-" + std::string{file} + ".json");
    const auto sample = json::parse(text.value_or(""));
    EXPECT_TRUE(sample.has_value());
    samples.emplace(file, sample->get("spec"));
    all.emplace_back(sample->get("spec"));
  }
  const auto add = [&](std::string_view of, std::string_view change) {
    const auto patch = json::parse(change);
    EXPECT_TRUE(patch.has_value()) << change;
    all.push_back(json::apply_merge_patch(samples.find(of)->second, *patch));
  };
  for (const std::string_view source : {R"("externalRef":{"name":"e","key":"k"})",
                                        R"("csiRef":{"secretProviderClass":"c","file":"f"})",
                                        R"("vaultRef":{"role":"r","path":"p","key":"k"})"}) {
    add("validator",
        fmt::format(R"({{"validatorConfig":{{"seedSecretSource":{{"localRef":null,{}}}}}}})",
                    source));
  }
  add("validator", R"({"validatorConfig":{"seedSecretSource":null,"seedSecretRef":"seed"}})");
  add("validator", R"({"validatorConfig":{"seedSecretSource":null,"keySource":"KMS","kmsConfig":{
      "keyId":"k","provider":"p","region":"r","fetcherImage":"i"}}})");
  add("validator", R"({"storage":{"snapshotRef":{"backupUrl":null,"volumeSnapshotName":"s",
      "credentialsSecretRef":null,"restoreImage":null}}})");
  add("validator", R"({"historyMode":"Recent","networkPolicy":{"allowPodSelector":{
      "matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}}})");
  add("validator", R"({"storage":{"storageClass":null,"nodeAffinity":null,"mode":null}})");
  add("validator", R"({"database":{"secretKeyRef":null,"passwordSecret":"p"}})");
  add("horizon", R"({"autoscaling":null,"replicas":3,"serviceMesh":{"linkerd":null,"istio":{
      "mtlsMode":"STRICT","timeoutSecs":20,"circuitBreaker":{"consecutiveErrors":7},
      "retries":{"maxRetries":2,"backoffMs":50,"retryableStatusCodes":[502]},
      "jwtRules":[{"issuer":"i","jwksUri":"https://a.example","audiences":["a"]}]}}})");
  add("soroban-rpc", R"({"sorobanConfig":{"captiveCoreStructuredConfig":null,
      "captiveCoreConfig":"# all of it"}})");
  return all;
}

bool has_effect(const Path& leaf, const std::vector<json::Value>& specs) {
  return std::ranges::any_of(specs, [&](const json::Value& base) {
    const auto before = consequences(base);
    return std::ranges::any_of(candidates(), [&](const json::Value& value) {
      json::Draft changed(base);
      if (!change_at(changed, leaf, value)) return false;
      const auto after = consequences(changed.freeze());
      return !after.empty() && after != before;
    });
  });
}

TEST(StellarFields, AreAllGoodInWhatTheyAreShownWith) {
  for (const auto& base : bases()) {
    const auto text = consequences(base);
    EXPECT_NE(text.find("apply "), std::string::npos) << json::to_text(base) << "\n" << text;
  }
}

TEST(StellarFields, AllHaveAnEffectOrAreRefused) {
  std::vector<Path> leaves;
  for (const auto& field : types::table_of<Spec>().fields) {
    add_leaves(*field.type, {field.name}, leaves);
  }
  ASSERT_GT(leaves.size(), 100U);
  const auto specs = bases();

  for (std::size_t at = 0; at < leaves.size(); at += kCasesStride) {
    const auto& leaf = leaves[at];
    const auto name = fmt::format("{}", fmt::join(leaf, "."));
    EXPECT_NE(has_effect(leaf, specs), kWithoutEffect.contains(name)) << name;
  }
}

}  // namespace
}  // namespace fixpoint::operators::stellar
