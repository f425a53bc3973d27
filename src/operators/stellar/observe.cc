// SPDX-License-Identifier: Apache-2.0
//
// Cached reads first, then all questions at once, then their answers.
#include "operators/stellar/observe.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/rfc3339.h"
#include "kube/meta/metadata.h"
#include "operators/stellar/canary.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/health/outside.h"
#include "runtime/outcome.h"
#include "runtime/ownership.h"
#include "types/decode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr std::string_view kPassphraseKey = "NETWORK_PASSPHRASE";
constexpr std::array<std::string_view, 4> kNetworkNames{"mainnet", "testnet", "futurenet",
                                                        kUnnamed};
// Pods of one node that are asked in a pass: enough to find one that is well.
constexpr std::size_t kPodsAsked = 4;

Published published_of(json::View object) {
  const auto status = object.get("status");
  Published published{.phase = phase_named(status.get("phase").as_string()),
                      .message = std::string{status.get("message").as_string()}};
  // Nobody comes back from there: a status that says so of a living object was made up.
  if (published.phase == Phase::Terminating && !kube::being_deleted(object)) {
    published.phase = Phase::Pending;
  }
  for (const auto condition : status.get("conditions").elements()) {
    const auto type = condition.get("type").as_string();
    const auto truth = condition.get("status").as_string();
    if (truth == "True") published.true_conditions.emplace_back(type);
    if (type != "Available" || truth != "Unknown") continue;
    if (auto since = parse_rfc3339(condition.get("lastTransitionTime").as_string())) {
      published.silent_since = *since;
    }
  }
  return published;
}

void read_annotations(Facts& facts, json::View object) {
  facts.restarted_at = kube::annotation_of(object, kLastRemediationAnnotation);
  facts.rolled_back = kube::annotation_of(object, kRolledBackAnnotation);
  const auto level = kube::annotation_of(object, kRemediationLevelAnnotation);
  std::from_chars(level.data(), level.data() + level.size(), facts.remediation_level);
  std::string_view rest = kube::annotation_of(object, kLeaveBehindAnnotation);
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of(", "), rest.size());
    if (end > 0) facts.leave_behind.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// --- Secrets -------------------------------------------------------------------------------------

std::string version_in(const runtime::Reader& reader, const Node& node, const std::string& name) {
  const auto secret = reader.get(kinds::kSecret.gvk(), {node.key.ns, name});
  if (secret.is_null()) return {};
  return fmt::format("{}/{}", kube::uid_of(secret), kube::resource_version_of(secret));
}

// Where to look when it is missing.
std::string filled_by(const Node& node, const std::string& name) {
  const auto& validator = node.spec.validator_config;
  if (!validator || !validator->seed_secret_source) return {};
  const auto& external = validator->seed_secret_source->external_ref;
  if (!external || name != node.key.name + "-seed") return {};
  return fmt::format(" (the target of ExternalSecret {})", external->name);
}

void read_secrets(Facts& facts, const Node& node, const runtime::Reader& reader) {
  std::string versions;
  for (const auto& name : secrets_of(node.spec, node.key.name)) {
    const auto version = version_in(reader, node, name);
    if (version.empty()) facts.missing_secrets.push_back("Secret " + name + filled_by(node, name));
    if (node.spec.node_type == NodeType::Validator && facts.seed_version.empty()) {
      facts.seed_version = version;
    }
    versions += fmt::format("{}={};", name, version);
  }
  if (!versions.empty()) facts.secrets_stamp = hash128(versions).hex();
}

// The one Secret whose content the operator must know: it goes into the configuration.
Result<void> read_passphrase(Facts& facts, const Node& node, const runtime::Reader& reader) {
  const auto& name = node.spec.passphrase_secret_ref;
  if (name.empty()) {
    facts.passphrase = passphrase_of(node.spec, {});
    return {};
  }
  FP_TRY(secret, reader.live({
                     kinds::kSecret.gvk(), {node.key.ns, name}
  }));
  facts.passphrase_version = kube::resource_version_of(secret);
  const auto text = secret.get("data", kPassphraseKey).as_string();
  if (auto decoded = base64_decode(text); decoded && !decoded->empty()) {
    facts.passphrase = *std::move(decoded);
  } else {
    facts.missing_secrets.push_back(
        secret.is_null() ? "Secret " + name
                         : fmt::format("entry {} of Secret {}", kPassphraseKey, name));
  }
  return {};
}

// --- Children ------------------------------------------------------------------------------------

std::string refusal_of_deployment(json::View deployment) {
  const auto condition = kube::condition_of(deployment, "ReplicaFailure");
  if (condition.get("status").as_string() != "True") return {};
  return std::string{condition.get("message").as_string()};
}

std::string refusal_of_stateful_set(json::View set, const runtime::Reader& reader) {
  std::string newest;
  std::string_view at;
  for (const auto event : reader.indexed(kinds::kEvent.gvk(), kAboutIndex, kube::uid_of(set))) {
    const auto time = event.get("lastTimestamp").as_string();
    if (newest.empty() || time > at) {
      newest = event.get("message").as_string();
      at = time;
    }
  }
  return newest;
}

// What keeps a pod from getting ready, with where to look next; empty when nobody says.
std::string trouble_of(json::View pod) {
  const auto name = kube::name_of(pod);
  const auto scheduled = kube::condition_of(pod, "PodScheduled");
  if (scheduled.get("status").as_string() == "False") {
    return fmt::format("pod {} finds no place: {}", name, scheduled.get("message").as_string());
  }
  for (const auto* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const auto container : pod.get("status", list).elements()) {
      const auto waiting = container.get("state", "waiting");
      const auto reason = waiting.get("reason").as_string();
      if (reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating") continue;
      const auto which = container.get("name").as_string();
      return fmt::format("container {} of pod {}: {}; see kubectl logs {} -c {}", which, name,
                         reason, name, which);
    }
  }
  return {};
}

std::vector<json::View> pods_of(const Node& node, const runtime::Reader& reader) {
  return reader.indexed(kinds::kPod.gvk(), kInstanceIndex,
                        fmt::format("{}/{}", node.key.ns, node.key.name));
}

std::string first_trouble(const Node& node, const runtime::Reader& reader) {
  for (const auto pod : pods_of(node, reader)) {
    if (auto trouble = trouble_of(pod); !trouble.empty()) return trouble;
  }
  return {};
}

bool is_settled(json::View workload, std::int32_t wanted) {
  const auto status = workload.get("status");
  return status.get("observedGeneration").as_int() >= kube::generation_of(workload) &&
         status.get("replicas").as_int() == wanted &&
         status.get("readyReplicas").as_int() == wanted &&
         status.get("updatedReplicas").as_int() == wanted;
}

WorkloadFacts read_workload(const Node& node, const runtime::Reader& reader) {
  const auto there = reader.get(workload_kind(node.spec).gvk(), node.key);
  WorkloadFacts facts;
  if (there.is_null() || runtime::owner_uid_of(there) != node.uid.value) return facts;
  const auto status = there.get("status");
  const auto number = [&](std::string_view field) {
    return static_cast<std::int32_t>(status.get(field).as_int());
  };
  facts.exists = true;
  facts.version = kube::annotation_of(there, kVersionAnnotation);
  facts.wanted = static_cast<std::int32_t>(there.get("spec", "replicas").as_int(1));
  facts.pods = number("replicas");
  facts.ready = number("readyReplicas");
  facts.settled = is_settled(there, facts.wanted);
  if (!facts.settled) facts.pods_trouble = first_trouble(node, reader);
  if (facts.pods < facts.wanted) {
    facts.pods_refused = runs_as_stateful_set(node.spec) ? refusal_of_stateful_set(there, reader)
                                                         : refusal_of_deployment(there);
    if (facts.pods_refused.contains("exceeded quota")) facts.pods_refused += runtime::kQuotaWayOut;
  }
  return facts;
}

std::int32_t number_in(std::string_view text) {
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

CanaryFacts read_canary(const Node& node, const runtime::Reader& reader) {
  const auto there = reader.get(kinds::kDeployment.gvk(), key_of(node, "-canary"));
  CanaryFacts facts;
  if (there.is_null() || runtime::owner_uid_of(there) != node.uid.value) return facts;
  facts.exists = true;
  facts.uid = kube::Uid{std::string{kube::uid_of(there)}};
  facts.version = kube::annotation_of(there, kVersionAnnotation);
  facts.weight = number_in(kube::annotation_of(there, kCanaryWeightAnnotation));
  facts.passed = number_in(kube::annotation_of(there, kCanaryPassedAnnotation));
  if (auto since = parse_rfc3339(kube::annotation_of(there, kCanarySinceAnnotation))) {
    facts.since = *since;
  }
  facts.ready = static_cast<std::int32_t>(there.get("status", "readyReplicas").as_int());
  facts.settled =
      is_settled(there, static_cast<std::int32_t>(there.get("spec", "replicas").as_int(1)));
  return facts;
}

ClaimFacts read_claim(const Node& node, const runtime::Reader& reader) {
  const auto there = reader.get(kinds::kClaim.gvk(), key_of(node, "-data"));
  ClaimFacts facts;
  if (there.is_null()) return facts;
  facts.exists = true;
  facts.owned = runtime::owner_uid_of(there) == node.uid.value;
  facts.uid = kube::Uid{std::string{kube::uid_of(there)}};
  // What the cluster chose is not ours to say: naming it afterwards would be a write for nothing.
  const bool chosen_for_us = !kube::annotation_of(there, kUnnamedClassAnnotation).empty();
  if (!chosen_for_us) facts.storage_class = there.get("spec", "storageClassName").as_string();
  facts.kept_for = kube::annotation_of(there, runtime::kStampAnnotation);
  const auto asked = there.get("spec", "resources", "requests").get("storage").as_string();
  if (auto size = kube::Quantity::parse(asked)) facts.requested = *std::move(size);
  return facts;
}

void read_owned(Facts& facts, const runtime::Reader& reader) {
  for (const auto* kind : child_kinds()) {
    if (!kind->plural.empty() && !reader.serves(kind->gvk())) {
      facts.not_served.push_back(kind);
      continue;
    }
    for (const auto object : reader.owned(kind->gvk())) {
      facts.owned.push_back(
          {kind, kube::key_of(object), kube::Uid{std::string{kube::uid_of(object)}}});
    }
  }
}

// --- Others --------------------------------------------------------------------------------------

std::string network_of(json::View spec) {
  return fmt::format("{} {} {}", spec.get("network").as_string(),
                     spec.get("customNetworkPassphrase").as_string(),
                     spec.get("passphraseSecretRef").as_string());
}

bool was_before(json::View other, json::View node) {
  const auto a = kube::creation_timestamp_of(other);
  const auto b = kube::creation_timestamp_of(node);
  return a != b ? a < b : kube::name_of(other) < kube::name_of(node);
}

// Whether anybody in the namespace may be of another network.
bool may_have_strangers(const Node& node, const runtime::Reader& reader) {
  const auto own = name_of_network(node.object.get("spec"));
  for (const std::string_view network : kNetworkNames) {
    if (network == own && network != kUnnamed) continue;
    const auto there = reader.indexed(kube::gvk_of(node.object), kNetworkIndex,
                                      fmt::format("{}/{}", node.key.ns, network));
    if (there.size() > (network == own ? 1U : 0U)) return true;
  }
  return false;
}

// The namespace belongs to the network of its oldest node; whoever came later and is of another is
// the one to be refused.
void read_neighbours(Facts& facts, const Node& node, const runtime::Reader& reader) {
  if (!may_have_strangers(node, reader)) return;
  json::View oldest = node.object;
  for (const auto other : reader.list(kube::gvk_of(node.object), node.key.ns)) {
    if (!kube::being_deleted(other) && was_before(other, oldest)) oldest = other;
  }
  if (network_of(oldest.get("spec")) != network_of(node.object.get("spec"))) {
    facts.other_network = kube::name_of(oldest);
  }
}

// --- Questions -----------------------------------------------------------------------------------

struct AskedPod {
  std::string address;
  bool ready = false;
};

// Of the workload, or of the canary beside it.
std::vector<AskedPod> pods_to_ask(const Node& node, const runtime::Reader& reader,
                                  std::string_view track = {}) {
  std::vector<AskedPod> pods;
  for (const auto pod : pods_of(node, reader)) {
    if (kube::being_deleted(pod)) continue;
    if (kube::label_of(pod, kTrackLabel) != track) continue;
    const auto address = pod.get("status", "podIP").as_string();
    if (address.empty() || pod.get("status", "phase").as_string() != "Running") continue;
    pods.push_back({std::string{address}, kube::condition_is_true(pod, "Ready")});
    if (pods.size() == kPodsAsked) break;
  }
  return pods;
}

// The port is closed to us: what the kubelet sees is all there is to know.
Health seen_from_outside(const AskedPod& pod) {
  Health health;
  health.verdict = pod.ready ? Verdict::Healthy : Verdict::Unhealthy;
  health.reason = pod.ready ? "PodReady" : "NotReady";
  health.message = pod.ready
                       ? "the pod is ready; networkPolicy.enabled is false, so the node itself "
                         "cannot be asked"
                       : "the pod is not ready";
  return health;
}

class Questions {
 public:
  explicit Questions(runtime::Probes& probes) : probes_(probes) {}

  Health ask(const runtime::Probe& probe) {
    auto answer = probes_.ask(probe);
    if (answer) return Health::from_json(*answer);
    if (runtime::still_asking(answer.error())) open_ = true;
    Health unknown;
    unknown.reason = "NoAnswer";
    unknown.message = answer.error().message;
    return unknown;
  }
  bool open() const { return open_; }

 private:
  runtime::Probes& probes_;
  bool open_ = false;
};

Health ask_pod(Questions& questions, const Node& node, const Facts& facts, const AskedPod& pod) {
  switch (node.spec.node_type) {
    case NodeType::Validator:
      if (!opens_http_port(node.spec)) return seen_from_outside(pod);
      return questions.ask(core_info_probe({pod.address, kCoreHttpPort}, facts.passphrase));
    case NodeType::Horizon: {
      auto health = questions.ask(horizon_health_probe({pod.address, kApiPort}));
      auto root = questions.ask(horizon_root_probe({pod.address, kApiPort}, facts.passphrase));
      return worse_of(std::move(health), std::move(root));
    }
    case NodeType::SorobanRpc: return questions.ask(rpc_health_probe({pod.address, kApiPort}));
  }
  return {};
}

// One that is well is enough to say that the node is; else whoever says anything.
std::optional<Health> best_of(std::vector<Health> answers) {
  if (answers.empty()) return std::nullopt;
  return *std::ranges::min_element(answers, {}, &Health::verdict);
}

bool asks_archives(const Node& node, const Facts& facts) {
  return node.spec.validator_config && node.spec.validator_config->enable_history_archive &&
         !facts.workload.exists && !node.spec.suspended;
}

void ask_canary(Facts& facts, Questions& questions, const Node& node,
                const runtime::Reader& reader) {
  auto& canary = facts.canary;
  int asked = 0;
  int failing = 0;
  bool worse = false;
  for (const auto& pod : pods_to_ask(node, reader, kCanaryTrack)) {
    const auto health = ask_pod(questions, node, facts, pod);
    ++asked;
    if (health.healthy()) continue;
    ++failing;
    worse = worse || health.reason != "Syncing";
    canary.problem = health.message;
  }
  canary.failing = asked == 0 ? 1.0 : static_cast<double>(failing) / asked;
  canary.catching_up = failing > 0 && !worse;
}

// Only a node that is up to date knows how late an archive is.
bool measures_archives(const Node& node, const Facts& facts) {
  return node.spec.validator_config && node.spec.validator_config->enable_history_archive &&
         facts.health && facts.health->healthy() && facts.health->ledger;
}

void read_archives(Facts& facts, const Node& node, Questions& questions) {
  facts.archives.asked = true;
  for (const auto& url : node.spec.validator_config->history_archive_urls) {
    const auto answer = questions.ask(
        archive_probe(url, facts.health->ledger, facts.passphrase, kArchiveRemembered));
    if (!answer.ledger) {
      facts.archives.problem = fmt::format("{}: {}", url, answer.message);
      continue;
    }
    facts.archives.readable = true;
    if (!answer.lag || *answer.lag <= facts.archives.lag.value_or(-1)) continue;
    facts.archives.lag = answer.lag;
    facts.archives.late = *answer.lag > kArchiveLagMax ? url : std::string{};
  }
}

}  // namespace

std::vector<std::string> secrets_of(const Spec& spec, std::string_view node) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (!name.empty()) names.push_back(std::move(name));
  };
  if (const auto& validator = spec.validator_config) {
    add(validator->seed_secret_ref);
    if (const auto& source = validator->seed_secret_source) {
      if (source->local_ref) add(source->local_ref->name);
      if (source->external_ref) add(std::string{node} + "-seed");
    }
  }
  if (const auto& horizon = spec.horizon_config) add(horizon->database_secret_ref);
  if (const auto& database = spec.database) {
    add(database->password_secret);
    if (database->secret_key_ref) add(database->secret_key_ref->name);
  }
  return names;
}

bool Published::says(std::string_view condition) const {
  return std::ranges::find(true_conditions, condition) != true_conditions.end();
}

bool Facts::leaves_behind(const OwnedObject& object) const {
  return std::ranges::find(leave_behind, fmt::format("{}/{}", object.kind->kind,
                                                     object.key.name)) != leave_behind.end();
}

bool Facts::serves(const ChildKind& kind) const {
  return std::ranges::find(not_served, &kind) == not_served.end();
}

Result<Facts> observe(const Node& node, const runtime::Reader& reader, runtime::Probes& probes) {
  Facts facts;
  facts.published = published_of(node.object);
  facts.deleting = kube::being_deleted(node.object);
  read_annotations(facts, node.object);
  facts.workload = read_workload(node, reader);
  facts.canary = read_canary(node, reader);
  facts.claim = read_claim(node, reader);
  read_owned(facts, reader);
  // Whoever goes away is not asked how it is.
  if (facts.deleting) return facts;
  read_neighbours(facts, node, reader);
  read_secrets(facts, node, reader);
  FP_TRY_VOID(read_passphrase(facts, node, reader));

  Questions questions(probes);
  std::vector<Health> archives;
  if (asks_archives(node, facts)) {
    for (const auto& url : node.spec.validator_config->history_archive_urls) {
      archives.push_back(questions.ask(archive_probe(url, std::nullopt, facts.passphrase)));
    }
  }
  std::vector<Health> answers;
  if (facts.workload.exists && !node.spec.suspended) {
    for (const auto& pod : pods_to_ask(node, reader)) {
      answers.push_back(ask_pod(questions, node, facts, pod));
    }
  }
  if (facts.canary.exists) ask_canary(facts, questions, node, reader);
  if (questions.open()) return std::unexpected(runtime::not_answered_yet());
  facts.archive = best_of(std::move(archives));
  facts.health = best_of(std::move(answers));
  if (measures_archives(node, facts)) read_archives(facts, node, questions);
  if (questions.open()) return std::unexpected(runtime::not_answered_yet());
  return facts;
}

}  // namespace fixpoint::operators::stellar
