// SPDX-License-Identifier: Apache-2.0
//
// From the spec to the settings of each program (configuration/settings.h).
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"

#include <utility>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

// check() has read the text before.
Quorum quorum_of(const std::string& toml, const std::string& passphrase) {
  if (!toml.empty()) return parse_quorum(toml).value_or(Quorum{});
  return standard_quorum(passphrase).value_or(Quorum{});
}

std::string database_of(const Spec& spec) {
  if (!spec.database) return CoreSettings{}.database;
  const auto& database = *spec.database;
  std::string text = "postgresql://dbname=" + database.database + " host=" + database.host +
                     " port=" + std::to_string(database.port);
  if (!database.user.empty()) text += " user=" + database.user;
  return text;
}

std::string core_file(const Node& node, const std::string& passphrase) {
  const auto& validator = node.spec.validator_config.value_or(ValidatorConfig{});
  CoreSettings settings;
  settings.network_passphrase = passphrase;
  // Core wants one, whether anybody looks it up or not.
  settings.home_domain = validator.home_domain.empty()
                             ? fmt::format("{}.{}.svc", node.key.name, node.key.ns)
                             : validator.home_domain;
  settings.database = database_of(node.spec);
  settings.public_http_port = opens_http_port(node.spec);
  if (!validator.known_peers.empty()) {
    settings.known_peers = parse_peers(validator.known_peers).value_or(std::vector<std::string>{});
  }
  settings.catchup_complete =
      validator.catchup_complete || node.spec.history_mode == HistoryMode::Full;
  settings.quorum = quorum_of(validator.quorum_set, passphrase);
  if (validator.enable_history_archive) {
    settings.archives = archives_at(validator.history_archive_urls);
  }
  return core_configuration(settings);
}

std::string captive_file(const std::string& passphrase, const CaptiveCore& captive) {
  CaptiveCoreSettings settings;
  settings.network_passphrase =
      captive.network_passphrase.empty() ? passphrase : captive.network_passphrase;
  settings.http_port = captive.http_port;
  settings.peer_port = captive.peer_port;
  settings.quorum = quorum_of(captive.additional_config, settings.network_passphrase);
  if (!captive.additional_config.empty()) {
    settings.archives = archives_at(captive.history_archive_urls);
  }
  return captive_core_configuration(settings);
}

std::map<std::string, std::string> horizon_files(const Node& node, const std::string& passphrase) {
  const auto& horizon = node.spec.horizon_config.value_or(HorizonConfig{});
  HorizonSettings settings;
  settings.network_passphrase = passphrase;
  settings.core_url = horizon.stellar_core_url;
  settings.archive_urls = standard_archives(passphrase);
  settings.ingest = horizon.enable_ingest;
  settings.apply_migrations = horizon.auto_migration;
  std::map<std::string, std::string> files;
  for (auto& [name, value] : horizon_environment(settings)) files.emplace(name, value);
  if (horizon.enable_ingest) files.emplace("captive-core.cfg", captive_file(passphrase, {}));
  return files;
}

std::map<std::string, std::string> rpc_files(const Node& node, const std::string& passphrase) {
  const auto& soroban = node.spec.soroban_config.value_or(SorobanConfig{});
  const auto captive = soroban.captive_core_structured_config.value_or(CaptiveCore{});
  RpcSettings settings;
  settings.network_passphrase = passphrase;
  settings.core_url = soroban.stellar_core_url;
  settings.archive_urls = captive.history_archive_urls.empty() ? standard_archives(passphrase)
                                                               : captive.history_archive_urls;
  settings.captive_core_http_port = captive.http_port;
  settings.max_events = soroban.max_events_per_request;
  settings.log_level = captive.log_level;
  return {
      {"stellar-rpc.toml", rpc_configuration(settings)},
      {"captive-core.cfg", soroban.captive_core_config.empty() ? captive_file(passphrase, captive)
                                                               : soroban.captive_core_config},
  };
}

}  // namespace

std::string passphrase_of(const Spec& spec, std::string_view from_secret) {
  if (!from_secret.empty()) return std::string{from_secret};
  switch (spec.network) {
    case Network::Mainnet: return std::string{kMainnetPassphrase};
    case Network::Testnet: return std::string{kTestnetPassphrase};
    case Network::Futurenet: return std::string{kFuturenetPassphrase};
    case Network::Custom: return spec.custom_network_passphrase;
  }
  return {};
}

std::map<std::string, std::string> configuration(const Node& node, const Surroundings& around) {
  switch (node.spec.node_type) {
    case NodeType::Validator:
      return {
          {"stellar-core.cfg", core_file(node, around.passphrase)}
      };
    case NodeType::Horizon: return horizon_files(node, around.passphrase);
    case NodeType::SorobanRpc: return rpc_files(node, around.passphrase);
  }
  return {};
}

json::Value config_map(const Node& node, const Surroundings& around) {
  auto map = child_draft(node, kinds::kConfigMap, "-config");
  map["data"] = strings(configuration(node, around));
  return map.freeze();
}

}  // namespace fixpoint::operators::stellar
