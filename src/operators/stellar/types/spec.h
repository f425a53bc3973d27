// SPDX-License-Identifier: Apache-2.0
//
// StellarNode: what a person asks for and what the operator answers; the tables of both, and the
// kind made of them. check.h holds what tables cannot say.
#pragma once

#include "kube/scalars/int_or_string.h"
#include "operators/stellar/types/mesh.h"
#include "operators/stellar/types/programs.h"
#include "operators/stellar/types/workload.h"
#include "types/kind.h"
#include "types/table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

enum class NodeType : std::uint8_t { Validator, Horizon, SorobanRpc };
std::span<const std::string_view> enum_names(NodeType);

enum class Network : std::uint8_t { Mainnet, Testnet, Futurenet, Custom };
std::span<const std::string_view> enum_names(Network);

enum class HistoryMode : std::uint8_t { Full, Recent };
std::span<const std::string_view> enum_names(HistoryMode);

std::string_view to_string(NodeType type);
std::string_view to_string(Network network);

struct Spec {
  NodeType node_type = NodeType::Validator;
  Network network = Network::Testnet;
  std::string custom_network_passphrase;
  std::string passphrase_secret_ref;
  std::string version;
  HistoryMode history_mode = HistoryMode::Recent;
  std::int32_t replicas = 1;
  bool suspended = false;
  bool maintenance_mode = false;
  std::optional<Resources> resources{};
  Storage storage{};
  std::optional<ValidatorConfig> validator_config{};
  std::optional<HorizonConfig> horizon_config{};
  std::optional<SorobanConfig> soroban_config{};
  std::optional<Database> database{};
  std::optional<Autoscaling> autoscaling{};
  std::optional<Ingress> ingress{};
  std::optional<NetworkPolicy> network_policy{};
  std::optional<kube::IntOrString> min_available{};
  std::optional<kube::IntOrString> max_unavailable{};
  AntiAffinity pod_anti_affinity = AntiAffinity::Hard;
  std::vector<json::Value> topology_spread_constraints{};
  std::optional<json::Value> node_affinity{};
  std::vector<json::Value> tolerations{};
  std::optional<std::string> priority_class_name{};
  std::optional<ProbeOverrides> probes{};
  std::optional<ServiceMesh> service_mesh{};
  bool alerting = false;
  std::optional<Strategy> strategy{};
  std::vector<json::Value> sidecars{};
  std::vector<json::Value> init_containers{};
  std::vector<json::Value> volumes{};
  std::vector<json::Value> volume_mounts{};
  std::vector<json::Value> stellar_core_env{};
  std::vector<json::Value> horizon_env{};
  std::map<std::string, std::string> service_labels{};
  std::map<std::string, std::string> service_annotations{};
  std::optional<json::Value> security_context{};

  static types::Table table();
};

struct Status {
  std::string phase;
  std::string message;
  std::int32_t replicas = 0;
  std::int32_t ready_replicas = 0;
  std::string canary_version;
  std::optional<std::int32_t> canary_weight{};
  std::optional<std::int32_t> canary_ready_replicas{};
  std::string canary_start_time;
  std::string canary_rolled_back_version;
  std::optional<std::int64_t> ledger_sequence{};
  std::string sync_state;
  std::string endpoint;
  std::string volume_claim;
  std::string observed_seed_secret_version;
  std::string observed_passphrase_secret_version;

  static types::Table table();
};

types::Kind stellar_node_kind();

}  // namespace fixpoint::operators::stellar
