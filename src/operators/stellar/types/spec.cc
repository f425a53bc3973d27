// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/spec.h"

#include "operators/stellar/types/advice.h"

namespace fixpoint::operators::stellar {

using types::describe;
using types::Limits;

namespace {

constexpr std::size_t kNameLengthMax = 253;
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
Limits a_budget() {
  return {.minimum = 0};
}

std::vector<types::Rule> spec_rules() {
  const auto on_validator = [](const std::string& field) -> types::Rule {
    return {.rule = "self.nodeType != 'Validator' || !has(self." + field + ")",
            .message = field + " " + advice::kNotOnValidator.text(),
            .field_path = "." + field,
            .reason = "FieldValueForbidden"};
  };
  const auto block = [](const std::string& type, const std::string& field,
                        const Advice& what) -> types::Rule {
    return {.rule = "self.nodeType != '" + type + "' || has(self." + field + ")",
            .message = field + " " + what.text(),
            .reason = "FieldValueRequired"};
  };
  return {
      block("Validator", "validatorConfig", advice::kValidatorBlock),
      block("Horizon", "horizonConfig", advice::kHorizonBlock),
      block("SorobanRpc", "sorobanConfig", advice::kSorobanBlock),
      {.rule = "self.nodeType != 'Validator' || self.replicas == 1",
                                                              .message = advice::kValidatorReplicas.text(),
                                                              .field_path = ".replicas"},
      on_validator("autoscaling"),
      on_validator("ingress"),
      on_validator("minAvailable"),
      on_validator("maxUnavailable"),
      {.rule = "self.nodeType != 'Validator' || !has(self.strategy) || "
               "self.strategy.type != 'canary'", .message = "a canary " + advice::kNotOnValidator.text(),
                                                              .field_path = ".strategy",
                                                              .reason = "FieldValueForbidden"},
      {.rule = "!(has(self.minAvailable) && has(self.maxUnavailable))",
                                                              .message = advice::kOneBudget.text(),
                                                              .field_path = ".maxUnavailable",
                                                              .reason = "FieldValueForbidden"},
      {.rule = "self.network != 'custom' || has(self.customNetworkPassphrase) || "
               "has(self.passphraseSecretRef)", .message = advice::kPassphraseNeeded.text(),
                                                              .field_path = ".network"},
      {.rule = "self.network == 'custom' || !has(self.customNetworkPassphrase)",
                                                              .message = advice::kPassphraseUnasked.text(),
                                                              .field_path = ".customNetworkPassphrase",
                                                              .reason = "FieldValueForbidden"},
  };
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
          {"version",
           &Spec::version,
           "The image's tag, its digest (sha256:…), or both (tag@sha256:…).", {.required = true,
            .min_length = 1,
            .max_length = 256,
            .pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@?sha256:[a-f0-9]{64})?$",
            .example = "22.1.0"}},
          {"historyMode", &Spec::history_mode, "How much of history it holds."},
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
          {"minAvailable", &Spec::min_available, "How many pods a drain leaves running.",
           a_budget()},
          {"maxUnavailable", &Spec::max_unavailable, "How many pods a drain may take at once.",
           a_budget()},
          {"podAntiAffinity", &Spec::pod_anti_affinity,
           "Whether pods of one node of Stellar share a node of the cluster: never, rather not, "
           "why not."},
          {"topologySpreadConstraints", &Spec::topology_spread_constraints,
           "As pods have them; evenly over hosts and zones if not given.", objects()},
          {"nodeAffinity", &Spec::node_affinity, "As pods have it.", an_object()},
          {"tolerations", &Spec::tolerations, "As pods have them.", objects()},
          {"priorityClassName",
           &Spec::priority_class_name,
           "As pods have it.", {.max_length = kNameLengthMax,
            .pattern = R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)",
            .example = "high"}},
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
          {"serviceLabels", &Spec::service_labels, "Of the Service.", {.max_items = kListMax}},
          {"serviceAnnotations",
           &Spec::service_annotations,
           "Of the Service.", {.max_items = kListMax}},
          {"securityContext", &Spec::security_context,
           "Of the pod; what it says wins over what is usual.", an_object()},
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
