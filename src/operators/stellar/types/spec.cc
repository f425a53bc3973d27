// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/spec.h"

#include "operators/stellar/types/advice.h"
#include "operators/stellar/types/texts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixpoint::operators::stellar {

using types::describe;
using types::Limits;

namespace {

// Children append up to eleven characters, and a pod's name must fit a label.
constexpr std::size_t kNodeNameLengthMax = 52;
constexpr std::size_t kListMax = 64;

constexpr std::string_view kNodeTypes[]{"Validator", "Horizon", "SorobanRpc"};
constexpr std::string_view kNetworks[]{"mainnet", "testnet", "futurenet", "custom"};

Limits objects() {
  return {.max_items = kListMax, .items = {{.holds = types::Holds::Object}}};
}
Limits an_object() {
  return {.holds = types::Holds::Object};
}
// A number of pods, or a share of them.
Limits a_budget() {
  const std::string is_text = "type(self) == string";
  return {
      .minimum = 0,
      .rules = {{.rule = is_text + " ? self.matches('^[0-9]+%$') : true",
                 .message = advice::kShare.text()},
                {.rule = is_text + " && self.matches('^[0-9]+%$') "
                                   "? self.matches('^0*(100|[0-9]{1,2})%$') : true",
                 .message = advice::kShareOfAll.text()}}
  };
}

// Where a rule is broken, and how that is called there.
types::Rule forbids(std::string rule, std::string message, std::string at) {
  return {.rule = std::move(rule),
          .message = std::move(message),
          .field_path = std::move(at),
          .reason = "FieldValueForbidden"};
}

std::string given(const std::string& field) {
  return "has(self." + field + ") && self." + field + " != ''";
}

// What belongs to one type of node and to no other.
std::vector<types::Rule> type_rules() {
  const auto on_validator = [](const std::string& field) {
    return forbids("self.nodeType != 'Validator' || !has(self." + field + ")",
                   field + " " + advice::kNotOnValidator.text(), "." + field);
  };
  const auto block = [](const std::string& type, const std::string& field,
                        const Advice& what) -> types::Rule {
    return {.rule = "self.nodeType != '" + type + "' || has(self." + field + ")",
            .message = what.text(),
            .field_path = "." + field,
            .reason = "FieldValueRequired"};
  };
  const auto only_of = [](const std::string& type, const std::string& field, const Advice& what) {
    return forbids("!has(self." + field + ") || self.nodeType == '" + type + "'", what.text(),
                   "." + field);
  };
  return {
      block("Validator", "validatorConfig", advice::kValidatorBlock),
      block("Horizon", "horizonConfig", advice::kHorizonBlock),
      block("SorobanRpc", "sorobanConfig", advice::kSorobanBlock),
      only_of("Validator", "validatorConfig", advice::kOfOtherType),
      only_of("Horizon", "horizonConfig", advice::kOfOtherType),
      only_of("SorobanRpc", "sorobanConfig", advice::kOfOtherType),
      forbids("!has(self.stellarCoreEnv) || self.stellarCoreEnv.size() == 0 || "
              "self.nodeType == 'Validator'",
              advice::kOfOtherType.text(), ".stellarCoreEnv"),
      forbids("!has(self.horizonEnv) || self.horizonEnv.size() == 0 || "
              "self.nodeType != 'Validator'",
              advice::kOfOtherType.text(), ".horizonEnv"),
      only_of("Validator", "database", advice::kDatabaseOfValidator),
      {.rule = "self.nodeType != 'Validator' || self.replicas == 1",
                                                               .message = advice::kValidatorReplicas.text(),
                                                               .field_path = ".replicas"},
      on_validator("autoscaling"),
      on_validator("ingress"),
      on_validator("minAvailable"),
      on_validator("maxUnavailable"),
      forbids("self.nodeType != 'Validator' || !has(self.strategy) || "
              "self.strategy.type != 'canary'",
              "a canary " + advice::kNotOnValidator.text(), ".strategy"),
      forbids("self.nodeType != 'Validator' || !has(self.serviceMesh) || "
              "!has(self.serviceMesh.istio) || !has(self.serviceMesh.istio.jwtRules) || "
              "self.serviceMesh.istio.jwtRules.size() == 0",
              advice::kNoTokens.text(), ".serviceMesh.istio.jwtRules"),
  };
}

std::vector<types::Rule> network_rules() {
  const auto custom = [](const std::string& unless, const Advice& what,
                         std::string at) -> types::Rule {
    return {.rule = "self.network != 'custom' || " + unless,
            .message = what.text(),
            .field_path = std::move(at)};
  };
  const std::string captive = "self.sorobanConfig.captiveCoreStructuredConfig";
  return {
      custom("(" + given("customNetworkPassphrase") + ") || (" + given("passphraseSecretRef") + ")",
             advice::kPassphraseNeeded, ".customNetworkPassphrase"),
      forbids("self.network == 'custom' || !(" + given("customNetworkPassphrase") + ")",
              advice::kPassphraseUnasked.text(), ".customNetworkPassphrase"),
      custom("!has(self.validatorConfig) || (" + given("validatorConfig.quorumSet") + ")",
             advice::kCustomQuorum, ".validatorConfig.quorumSet"),
      custom("!has(self.horizonConfig) || !self.horizonConfig.enableIngest", advice::kCustomIngest,
             ".horizonConfig.enableIngest"),
      custom("!has(self.sorobanConfig) || has(" + captive + ") || (" +
                 given("sorobanConfig.captiveCoreConfig") + ")",
             advice::kCustomCaptiveCore, ".sorobanConfig.captiveCoreStructuredConfig"),
      custom("!has(self.sorobanConfig) || !has(" + captive + ") || (" +
                 given("sorobanConfig.captiveCoreStructuredConfig.additionalConfig") + ")",
             advice::kCustomQuorum, ".sorobanConfig.captiveCoreStructuredConfig.additionalConfig"),
  };
}

std::vector<types::Rule> spec_rules() {
  auto rules = type_rules();
  std::ranges::move(network_rules(), std::back_inserter(rules));
  rules.push_back(forbids("!(has(self.minAvailable) && has(self.maxUnavailable))",
                          advice::kOneBudget.text(), ".maxUnavailable"));
  rules.push_back(forbids("!(has(self.nodeAffinity) && has(self.storage.nodeAffinity))",
                          advice::kOneAffinity.text(), ".storage.nodeAffinity"));
  // As has_claim() has it: a single pod that keeps something.
  rules.push_back({.rule = "!has(self.strategy) || self.strategy.type != 'canary' || "
                           "self.nodeType == 'Validator' || self.replicas > 1 || "
                           "has(self.autoscaling) || "
                           "(has(self.horizonConfig) && !self.horizonConfig.enableIngest)",
                   .message = advice::kCanaryShares.text(),
                   .field_path = ".strategy.type"});
  return rules;
}

}  // namespace

std::span<const std::string_view> enum_names(NodeType) {
  return kNodeTypes;
}
std::span<const std::string_view> enum_names(Network) {
  return kNetworks;
}
std::span<const std::string_view> enum_names(HistoryMode) {
  static constexpr std::string_view kNames[]{"Full", "Recent"};
  return kNames;
}

std::string_view to_string(NodeType type) {
  return kNodeTypes[static_cast<std::size_t>(type)];
}
std::string_view to_string(Network network) {
  return kNetworks[static_cast<std::size_t>(network)];
}

types::Table Spec::table() {
  return describe<Spec>(
      "What the node shall be.",
      {
          {"nodeType",
           &Spec::node_type,
           "Which program it runs.", {.required = true, .immutable = true, .example = "Validator"}},
          {"network",
           &Spec::network,
           "Which network it belongs to.", {.required = true, .example = "testnet"}},
          {"customNetworkPassphrase",
           &Spec::custom_network_passphrase,
           "What names the network, with network custom.", {.max_length = 256}},
          {"passphraseSecretRef",
           &Spec::passphrase_secret_ref,
           "The Secret whose entry NETWORK_PASSPHRASE names the network; wins over "
           "customNetworkPassphrase.", {.max_length = kNameLengthMax}},
          {"version", &Spec::version,
           "The image's tag, its digest (sha256:…), or both (tag@sha256:…).", an_image_version("22.1.0")},
          {"historyMode", &Spec::history_mode,
           "How much of history it holds: all of it, or the last 60480 ledgers."},
          {"replicas",
           &Spec::replicas,
           "How many pods; a Validator has one, and with autoscaling nobody asks.", {.minimum = 0, .maximum = 1'000}},
          {"suspended", &Spec::suspended, "True: no pods; services, configuration and data stay."},
          {"maintenanceMode", &Spec::maintenance_mode,
           "True: the operator keeps its hands off the workload."},
          {"resources", &Spec::resources, "What the main container uses."},
          {"storage", &Spec::storage, "The volume with the node's data."},
          {"validatorConfig", &Spec::validator_config, "With nodeType Validator."},
          {"horizonConfig", &Spec::horizon_config, "With nodeType Horizon."},
          {"sorobanConfig", &Spec::soroban_config, "With nodeType SorobanRpc."},
          {"database", &Spec::database,
           "Where a Validator keeps its ledger; of the other types it is refused."},
          {"autoscaling", &Spec::autoscaling, "Lets the number of pods follow the load."},
          {"ingress", &Spec::ingress, "How it is reached from outside."},
          {"networkPolicy", &Spec::network_policy, "Who may connect."},
          {"minAvailable", &Spec::min_available,
           "How many pods a drain leaves running: a number, or a share as 50%.", a_budget()},
          {"maxUnavailable", &Spec::max_unavailable,
           "How many pods a drain may take at once: a number, or a share as 50%.", a_budget()},
          {"podAntiAffinity", &Spec::pod_anti_affinity,
           "Whether pods of one node of Stellar share a node of the cluster: never, rather not, "
           "why not."},
          {"topologySpreadConstraints", &Spec::topology_spread_constraints,
           "How pods are spread, as pods have them; evenly over hosts and zones if not given.", objects()},
          {"nodeAffinity", &Spec::node_affinity,
           "Which nodes of the cluster it may run on, as pods have it.", an_object()},
          {"tolerations", &Spec::tolerations, "Which taints it puts up with, as pods have them.",
           objects()},
          {"priorityClassName", &Spec::priority_class_name, "The PriorityClass of its pods.",
           an_object_called("high")},
          {"probes", &Spec::probes, "When pods are looked at."},
          {"serviceMesh", &Spec::service_mesh, "How it takes part in a service mesh."},
          {"alerting", &Spec::alerting,
           "Whether a ConfigMap with alert rules for Prometheus is made."},
          {"strategy", &Spec::strategy, "How another version replaces the one that runs."},
          {"sidecars", &Spec::sidecars, "More containers.", objects()},
          {"initContainers", &Spec::init_containers, "More init containers.", objects()},
          {"volumes", &Spec::volumes, "More volumes.", objects()},
          {"volumeMounts", &Spec::volume_mounts, "Where the main container sees them.", objects()},
          {"stellarCoreEnv", &Spec::stellar_core_env, "More environment of stellar-core.",
           objects()},
          {"horizonEnv", &Spec::horizon_env, "More environment of Horizon and RPC.", objects()},
          {"serviceLabels",
           &Spec::service_labels,
           "Labels of the Service for clients; they are no part of its selector.", {.max_items = kListMax}},
          {"serviceAnnotations",
           &Spec::service_annotations,
           "Annotations of the Service for clients.", {.max_items = kListMax}},
          {"securityContext", &Spec::security_context,
           "The security context of pods; what it says wins over what is usual.", an_object()},
  },
      spec_rules());
}

types::Table Status::table() {
  return describe<Status>(
      "What the node is.",
      {
          {"phase",                           &Status::phase,                              "Where it is in its life; docs/operators/stellar.md draws it."},
          {"message",                         &Status::message,                            "What is so, and what to do about it."                        },
          {"replicas",                        &Status::replicas,                           "How many pods there are."                                    },
          {"readyReplicas",                   &Status::ready_replicas,                     "How many of them are ready."                                 },
          {"ledgerSequence",                  &Status::ledger_sequence,
           "The last ledger, rounded down to a multiple of 1024 so that a healthy node is not "
           "written all the time; the metrics have it exactly."                                                                                          },
          {"canaryVersion",                   &Status::canary_version,                     "The version on trial."                                       },
          {"canaryWeight",                    &Status::canary_weight,                      "Percent of the pods that have it."                           },
          {"canaryReadyReplicas",             &Status::canary_ready_replicas,              "How many of them are ready."                                 },
          {"canaryStartTime",                 &Status::canary_start_time,
           "Since when it has this weight, or was last found to be well."                                                                                },
          {"canaryRolledBackVersion",         &Status::canary_rolled_back_version,
           "The version whose trial failed."                                                                                                             },
          {"syncState",                       &Status::sync_state,                         "Synced, CatchingUp or Unknown."                              },
          {"endpoint",                        &Status::endpoint,                           "Where it answers inside the cluster."                        },
          {"volumeClaim",                     &Status::volume_claim,
           "The claim of its data, and what becomes of it on deletion."                                                                                  },
          {"observedSeedSecretVersion",       &Status::observed_seed_secret_version,
           "Of the Secret that pods were started with."                                                                                                  },
          {"observedPassphraseSecretVersion", &Status::observed_passphrase_secret_version,
           "Of the Secret that pods were started with."                                                                                                  },
  });
}

types::Kind stellar_node_kind() {
  const auto column = [](std::string name, std::string path, std::string type = "string",
                         int priority = 0) -> types::Column {
    return {.name = std::move(name),
            .path = std::move(path),
            .type = std::move(type),
            .priority = priority};
  };
  return {
      .group = "stellar.org",
      .name = "StellarNode",
      .plural = "stellarnodes",
      .doc = "A node of a Stellar network: a validator, a Horizon or an RPC server.",
      .short_names = {"sn"},
      .name_length_max = kNodeNameLengthMax,
      .versions = {
          {.name = "v1alpha1",
           .spec = &types::table_of<Spec>(),
           .status = &types::table_of<Status>(),
           .columns = {column("Type", ".spec.nodeType"), column("Network", ".spec.network"),
                       types::ready_column(), column("Phase", ".status.phase"),
                       column("Replicas", ".spec.replicas", "integer"),
                       column("Ledger", ".status.ledgerSequence", "integer"), types::age_column(),
                       column("Message", ".status.message", "string", 1)}}}};
}

}  // namespace fixpoint::operators::stellar
