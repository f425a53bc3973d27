// SPDX-License-Identifier: Apache-2.0
//
// One function for each block of the spec; each adds to the list and none returns early.
#include "operators/stellar/check.h"

#include "kube/meta/names.h"
#include "kube/scalars/url.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/types/advice.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using kube::FieldErrors;
using kube::FieldPath;

// Names that the operator's own volumes have or had.
constexpr std::array<std::string_view, 10> kReservedVolumes{"data",
                                                            "config",
                                                            "seed",
                                                            "run",
                                                            "tmp",
                                                            "tls",
                                                            "keys",
                                                            "cloudhsm-socket",
                                                            "dedicatedhsm-socket",
                                                            "soroban-cache"};
// A status is for people: the first so many of them.
constexpr std::size_t kExplainedMax = 32;

kube::FieldError invalid(const FieldPath& path, std::string shown, const Advice& advice) {
  return kube::invalid(path, std::move(shown), advice.text());
}
kube::FieldError invalid(const FieldPath& path, std::int64_t value, const Advice& advice) {
  return kube::invalid(path, std::to_string(value), advice.text());
}
kube::FieldError required(const FieldPath& path, const Advice& advice) {
  return kube::required(path, advice.text());
}
kube::FieldError forbidden(const FieldPath& path, const Advice& advice) {
  return kube::forbidden(path, advice.text());
}

void check_url(FieldErrors& errors, const FieldPath& path, std::string_view url) {
  const auto parsed = kube::parse_url(url);
  const bool good =
      parsed && (parsed->scheme == "http" || parsed->scheme == "https") && !parsed->host.empty();
  if (good) return;
  errors.push_back(invalid(path, kube::shown(url), advice::kHttpUrl));
}

void check_archives(FieldErrors& errors, const FieldPath& path,
                    const std::vector<std::string>& urls) {
  for (std::size_t at = 0; at < urls.size(); ++at) {
    if (is_archive_url(urls[at])) continue;
    errors.push_back(invalid(path.index(at), kube::shown(urls[at]), advice::kArchiveUrl));
  }
}

void check_network(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  const bool custom = node.network == Network::Custom;
  const bool named = !node.custom_network_passphrase.empty();
  if (custom && !named && node.passphrase_secret_ref.empty()) {
    errors.push_back(required(spec.child("customNetworkPassphrase"), advice::kPassphraseNeeded));
  }
  if (!custom && named) {
    errors.push_back(forbidden(spec.child("customNetworkPassphrase"), advice::kPassphraseUnasked));
  }
}

void check_seed(FieldErrors& errors, const FieldPath& path, const ValidatorConfig& validator) {
  const bool by_reference = !validator.seed_secret_ref.empty();
  const auto& source = validator.seed_secret_source;
  const int given = source ? static_cast<int>(source->local_ref.has_value()) +
                                 static_cast<int>(source->external_ref.has_value()) +
                                 static_cast<int>(source->csi_ref.has_value()) +
                                 static_cast<int>(source->vault_ref.has_value())
                           : 0;
  if (validator.key_source == KeySource::Kms) {
    if (!validator.kms_config) {
      errors.push_back(required(path.child("kmsConfig"), advice::kKmsBlock));
    }
    if (by_reference || source) {
      errors.push_back(forbidden(path.child("keySource"), advice::kKmsAndSecret));
    }
    return;
  }
  if (validator.kms_config) {
    errors.push_back(forbidden(path.child("kmsConfig"), advice::kKmsUnasked));
  }
  if (by_reference == source.has_value()) {
    errors.push_back(required(path.child("seedSecretSource"), advice::kSeedSource));
  } else if (source && given != 1) {
    errors.push_back(invalid(path.child("seedSecretSource"), fmt::format("{} sources", given),
                             advice::kSeedSource));
  }
}

void check_quorum_text(FieldErrors& errors, const FieldPath& path, const Spec& node,
                       const std::string& toml) {
  if (!toml.empty()) {
    if (const auto parsed = parse_quorum(toml); !parsed) {
      errors.push_back(kube::invalid(path, "the TOML text",
                                     parsed.error().message +
                                         "; Write QUORUM_SET, or HOME_DOMAINS and VALIDATORS, as "
                                         "stellar-core's configuration has them"));
    }
  } else if (node.network == Network::Custom) {
    errors.push_back(required(path, advice::kCustomQuorum));
  }
}

void check_validator(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  if (node.replicas != 1) {
    errors.push_back(invalid(spec.child("replicas"), node.replicas, advice::kValidatorReplicas));
  }
  const auto refuse = [&](bool given, std::string_view field) {
    if (given) errors.push_back(forbidden(spec.child(field), advice::kNotOnValidator));
  };
  refuse(node.autoscaling.has_value(), "autoscaling");
  refuse(node.ingress.has_value(), "ingress");
  refuse(node.min_available.has_value(), "minAvailable");
  refuse(node.max_unavailable.has_value(), "maxUnavailable");
  const auto path = spec.child("validatorConfig");
  if (!node.validator_config) {
    errors.push_back(required(path, advice::kValidatorBlock));
    return;
  }
  const auto& validator = *node.validator_config;
  if (validator.enable_history_archive && validator.history_archive_urls.empty()) {
    errors.push_back(required(path.child("historyArchiveUrls"), advice::kArchiveUrls));
  }
  const auto never = [&](bool given, std::string_view field, const Advice& what) {
    if (given) errors.push_back(forbidden(path.child(field), what));
  };
  never(validator.hsm_config.has_value(), "hsmConfig", advice::kNoHardwareModule);
  never(!validator.vl_source.empty(), "vlSource", advice::kNoValidatorList);
  never(validator.quorum_optimization.has_value(), "quorumOptimization",
        advice::kNoQuorumOptimization);
  check_archives(errors, path.child("historyArchiveUrls"), validator.history_archive_urls);
  check_seed(errors, path, validator);
  check_quorum_text(errors, path.child("quorumSet"), node, validator.quorum_set);
  if (validator.known_peers.empty()) return;
  if (const auto peers = parse_peers(validator.known_peers); !peers) {
    errors.push_back(kube::invalid(
        path.child("knownPeers"), "the TOML text",
        peers.error().message + "; Write [\"host:port\", …] or KNOWN_PEERS = [\"…\"]"));
  }
}

void check_horizon(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  const auto path = spec.child("horizonConfig");
  if (!node.horizon_config) {
    errors.push_back(required(path, advice::kHorizonBlock));
    return;
  }
  const auto& horizon = *node.horizon_config;
  check_url(errors, path.child("stellarCoreUrl"), horizon.stellar_core_url);
  if (horizon.ingest_workers != 1) {
    errors.push_back(
        invalid(path.child("ingestWorkers"), horizon.ingest_workers, advice::kOneIngestWorker));
  }
  if (horizon.enable_experimental_ingestion) {
    errors.push_back(
        invalid(path.child("enableExperimentalIngestion"), "true", advice::kNotExperimental));
  }
  if (node.network == Network::Custom && node.horizon_config->enable_ingest) {
    errors.push_back(invalid(path.child("enableIngest"), "true", advice::kCustomIngest));
  }
}

void check_soroban(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  const auto path = spec.child("sorobanConfig");
  if (!node.soroban_config) {
    errors.push_back(required(path, advice::kSorobanBlock));
    return;
  }
  const auto& soroban = *node.soroban_config;
  check_url(errors, path.child("stellarCoreUrl"), soroban.stellar_core_url);
  if (!soroban.enable_preflight) {
    errors.push_back(invalid(path.child("enablePreflight"), "false", advice::kAlwaysSimulates));
  }
  if (soroban.cache_config) {
    errors.push_back(forbidden(path.child("cacheConfig"), advice::kNoCache));
  }
  const auto& captive = soroban.captive_core_structured_config;
  if (captive && !soroban.captive_core_config.empty()) {
    errors.push_back(forbidden(path.child("captiveCoreConfig"), advice::kOneCaptiveCore));
  }
  const auto captive_path = path.child("captiveCoreStructuredConfig");
  if (captive) {
    check_archives(errors, captive_path.child("historyArchiveUrls"), captive->history_archive_urls);
    check_quorum_text(errors, captive_path.child("additionalConfig"), node,
                      captive->additional_config);
  } else if (node.network == Network::Custom && soroban.captive_core_config.empty()) {
    errors.push_back(required(captive_path, advice::kCustomCaptiveCore));
  }
}

void check_share(FieldErrors& errors, const FieldPath& path,
                 const std::optional<kube::IntOrString>& share) {
  if (!share || !share->is_string) return;
  if (kube::percent_problems(share->text).empty()) {
    if (kube::scaled_value(*share, 100, kube::Rounding::Up).value_or(0) <= 100) return;
    errors.push_back(invalid(path, kube::shown(share->text), advice::kShareOfAll));
    return;
  }
  errors.push_back(invalid(path, kube::shown(share->text), advice::kShare));
}

void check_budget(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  check_share(errors, spec.child("minAvailable"), node.min_available);
  check_share(errors, spec.child("maxUnavailable"), node.max_unavailable);
  if (node.min_available && node.max_unavailable) {
    errors.push_back(forbidden(spec.child("maxUnavailable"), advice::kOneBudget));
  }
}

void check_snapshot(FieldErrors& errors, const FieldPath& path, const SnapshotReference& from) {
  const bool backup = !from.backup_url.empty();
  if (from.volume_snapshot_name.empty() != backup) {
    errors.push_back(required(path, advice::kSnapshotSource));
    return;
  }
  if (!from.volume_snapshot_namespace.empty()) {
    errors.push_back(forbidden(path.child("volumeSnapshotNamespace"), advice::kOwnNamespaceOnly));
  }
  if (backup && from.backup_url.find("://") == std::string::npos) {
    errors.push_back(
        invalid(path.child("backupUrl"), kube::shown(from.backup_url), advice::kBackupUrl));
  }
  if (backup && from.restore_image.empty()) {
    errors.push_back(required(path.child("restoreImage"), advice::kRestoreImage));
  }
  const auto of_backup = [&](const std::string& value, std::string_view field) {
    if (!backup && !value.empty()) {
      errors.push_back(forbidden(path.child(field), advice::kOfBackup));
    }
  };
  of_backup(from.credentials_secret_ref, "credentialsSecretRef");
  of_backup(from.restore_image, "restoreImage");
}

void check_storage(FieldErrors& errors, const FieldPath& path, const Storage& storage) {
  if (storage.mode == StorageMode::Local && storage.storage_class.empty() &&
      !storage.node_affinity) {
    errors.push_back(required(path.child("storageClass"), advice::kLocalStorage));
  }
  if (const auto& snapshot = storage.snapshot_ref) {
    check_snapshot(errors, path.child("snapshotRef"), *snapshot);
  }
}

void check_database(FieldErrors& errors, const FieldPath& path, const Spec& node) {
  if (node.node_type != NodeType::Validator) {
    errors.push_back(forbidden(path, advice::kDatabaseOfValidator));
  }
  if (!node.database->password_secret.empty() && node.database->secret_key_ref) {
    errors.push_back(forbidden(path.child("secretKeyRef"), advice::kOnePassword));
  }
}

// What another program reads is read by nobody here.
void check_strategy(FieldErrors& errors, const FieldPath& path, const Spec& node) {
  const auto& strategy = *node.strategy;
  if (strategy.type == StrategyType::BlueGreen) {
    errors.push_back(invalid(path.child("type"), "blueGreen", advice::kNoBlueGreen));
  }
  if (strategy.type != StrategyType::Canary) {
    if (strategy.canary) errors.push_back(forbidden(path.child("canary"), advice::kCanaryUnasked));
  } else if (node.node_type == NodeType::Validator) {
    errors.push_back(forbidden(path, advice::kNotOnValidator));
  } else if (has_claim(node)) {
    errors.push_back(invalid(path.child("type"), "canary", advice::kCanaryShares));
  }
}

void check_other_types(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  const auto only_of = [&](std::initializer_list<NodeType> types, bool given,
                           std::string_view field) {
    if (!given || std::ranges::find(types, node.node_type) != types.end()) return;
    errors.push_back(forbidden(spec.child(field), advice::kOfOtherType));
  };
  only_of({NodeType::Validator}, node.validator_config.has_value(), "validatorConfig");
  only_of({NodeType::Horizon}, node.horizon_config.has_value(), "horizonConfig");
  only_of({NodeType::SorobanRpc}, node.soroban_config.has_value(), "sorobanConfig");
  only_of({NodeType::Validator}, !node.stellar_core_env.empty(), "stellarCoreEnv");
  only_of({NodeType::Horizon, NodeType::SorobanRpc}, !node.horizon_env.empty(), "horizonEnv");
}

void check_amount(FieldErrors& errors, const FieldPath& path,
                  const std::optional<kube::Quantity>& request,
                  const std::optional<kube::Quantity>& limit) {
  if (!request || !limit || *request <= *limit) return;
  errors.push_back(kube::invalid(path, kube::shown(request->to_string()),
                                 fmt::format("{} {}; {}", advice::kAboveLimit.message,
                                             limit->to_string(), advice::kAboveLimit.how_to_fix)));
}

void check_resources(FieldErrors& errors, const FieldPath& path, const Resources& resources) {
  const auto requests = path.child("requests");
  check_amount(errors, requests.child("cpu"), resources.requests.cpu, resources.limits.cpu);
  check_amount(errors, requests.child("memory"), resources.requests.memory,
               resources.limits.memory);
}

// The names of a list of objects: given, and each once. Those that are fine.
std::set<std::string, std::less<>> check_names(FieldErrors& errors, const FieldPath& path,
                                               const std::vector<json::Value>& objects) {
  std::set<std::string, std::less<>> names;
  for (std::size_t at = 0; at < objects.size(); ++at) {
    const auto entry = path.index(at);
    const auto name = objects[at].get("name").as_string();
    if (name.empty()) {
      errors.push_back(kube::required(entry.child("name"), "is empty; Give it a name"));
    } else if (!names.emplace(name).second) {
      errors.push_back(kube::invalid(entry.child("name"), kube::shown(name),
                                     "is there already; Give each a name of its own"));
    }
  }
  return names;
}

void check_volumes(FieldErrors& errors, const FieldPath& spec, const Spec& node) {
  const auto volumes = spec.child("volumes");
  const auto declared = check_names(errors, volumes, node.volumes);
  for (std::size_t at = 0; at < node.volumes.size(); ++at) {
    const auto name = node.volumes[at].get("name").as_string();
    if (std::ranges::find(kReservedVolumes, name) == kReservedVolumes.end()) continue;
    errors.push_back(kube::invalid(volumes.index(at).child("name"), kube::shown(name),
                                   "is a name of the operator's own; Give it another name"));
  }
  const auto mounts = spec.child("volumeMounts");
  for (const auto& name : check_names(errors, mounts, node.volume_mounts)) {
    if (declared.contains(name)) continue;
    errors.push_back(
        kube::invalid(mounts, kube::shown(name), "is not among spec.volumes; Declare the volume"));
  }
}

void check_mesh(FieldErrors& errors, const FieldPath& path, const ServiceMesh& mesh) {
  if (mesh.istio && mesh.linkerd) errors.push_back(forbidden(path, advice::kOneMesh));
  if (mesh.linkerd && !mesh.linkerd->auto_mtls) {
    errors.push_back(
        invalid(path.child("linkerd").child("autoMtls"), "false", advice::kLinkerdEncrypts));
  }
  if (!mesh.istio) return;
  const auto istio = path.child("istio");
  const auto positive = [&](const FieldPath& field, std::int32_t value, const Advice& advice) {
    if (value < 1) errors.push_back(invalid(field, value, advice));
  };
  if (const auto& breaker = mesh.istio->circuit_breaker) {
    const auto block = istio.child("circuitBreaker");
    positive(block.child("consecutiveErrors"), breaker->consecutive_errors,
             advice::kConsecutiveErrors);
    positive(block.child("timeWindowSecs"), breaker->time_window_secs, advice::kTimeWindow);
  }
  if (const auto& retries = mesh.istio->retries) {
    const auto block = istio.child("retries");
    positive(block.child("maxRetries"), retries->max_retries, advice::kMaxRetries);
  }
  positive(istio.child("timeoutSecs"), mesh.istio->timeout_secs, advice::kTimeout);
}

}  // namespace

kube::FieldErrors check(const Spec& node) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  check_network(errors, spec, node);
  switch (node.node_type) {
    case NodeType::Validator: check_validator(errors, spec, node); break;
    case NodeType::Horizon: check_horizon(errors, spec, node); break;
    case NodeType::SorobanRpc: check_soroban(errors, spec, node); break;
  }
  check_budget(errors, spec, node);
  check_other_types(errors, spec, node);
  check_storage(errors, spec.child("storage"), node.storage);
  if (node.node_affinity && node.storage.node_affinity) {
    errors.push_back(forbidden(spec.child("storage").child("nodeAffinity"), advice::kOneAffinity));
  }
  if (node.strategy) check_strategy(errors, spec.child("strategy"), node);
  if (node.database) check_database(errors, spec.child("database"), node);
  if (node.resources) check_resources(errors, spec.child("resources"), *node.resources);
  if (node.autoscaling && node.autoscaling->max_replicas < node.autoscaling->min_replicas) {
    const auto path = spec.child("autoscaling");
    errors.push_back(
        invalid(path.child("maxReplicas"), node.autoscaling->max_replicas, advice::kReplicaRange));
  }
  check_volumes(errors, spec, node);
  if (node.service_mesh) {
    const auto path = spec.child("serviceMesh");
    check_mesh(errors, path, *node.service_mesh);
    const auto& istio = node.service_mesh->istio;
    if (istio && !istio->jwt_rules.empty() && node.node_type == NodeType::Validator) {
      errors.push_back(forbidden(path.child("istio").child("jwtRules"), advice::kNoTokens));
    }
  }
  return errors;
}

std::string in_a_line(const kube::FieldErrors& errors) {
  if (errors.size() == 1) return errors.front().to_string();
  std::string text = fmt::format("{} mistakes:", errors.size());
  for (std::size_t at = 0; at < errors.size() && at < kExplainedMax; ++at) {
    text += fmt::format("{} ({}) {}", at == 0 ? "" : ".", at + 1, errors[at].to_string());
  }
  if (errors.size() > kExplainedMax) text += ", and more";
  return text;
}

std::string explain(const kube::FieldErrors& errors) {
  std::string text = "Spec validation failed with the following issues:";
  for (std::size_t at = 0; at < errors.size(); ++at) {
    if (at == kExplainedMax) return text + fmt::format("\n- and {} more", errors.size() - at);
    const auto& error = errors[at];
    const auto cut = error.detail.find("; ");
    kube::FieldError said = error;
    said.detail = error.detail.substr(0, cut);
    text += fmt::format("\n- Field `{}`: {}", error.field, said.body());
    if (cut != std::string::npos) {
      text += fmt::format("\n  How to fix: {}", error.detail.substr(cut + 2));
    }
  }
  return text;
}

}  // namespace fixpoint::operators::stellar
