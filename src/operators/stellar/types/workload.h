// SPDX-License-Identifier: Apache-2.0
//
// What the node runs on and how it is reached: resources, storage, probes, scaling, ingress,
// network policy, rollout.
#pragma once

#include "kube/scalars/quantity.h"
#include "types/standard.h"
#include "types/table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

struct ResourceAmounts {
  std::optional<kube::Quantity> cpu{};
  std::optional<kube::Quantity> memory{};

  static types::Table table();
};

struct Resources {
  ResourceAmounts requests{};
  ResourceAmounts limits{};

  static types::Table table();
};

enum class StorageMode : std::uint8_t { PersistentVolume, Local };
std::span<const std::string_view> enum_names(StorageMode);

enum class RetentionPolicy : std::uint8_t { Delete, Retain };
std::span<const std::string_view> enum_names(RetentionPolicy);

struct SnapshotReference {
  std::string volume_snapshot_name;
  std::string volume_snapshot_namespace;
  std::string backup_url;
  std::string credentials_secret_ref;
  std::string restore_image;

  static types::Table table();
};

struct Storage {
  std::string storage_class;
  std::optional<kube::Quantity> size{};
  StorageMode mode = StorageMode::PersistentVolume;
  RetentionPolicy retention_policy = RetentionPolicy::Delete;
  std::map<std::string, std::string> annotations{};
  std::optional<json::Value> node_affinity{};
  std::optional<SnapshotReference> snapshot_ref{};

  static types::Table table();
};

struct Database {
  std::string host;
  std::int32_t port = 5432;
  std::string database;
  std::string user;
  std::string password_secret;
  std::optional<types::KeyReference> secret_key_ref{};

  static types::Table table();
};

struct Autoscaling {
  std::int32_t min_replicas = 1;
  std::int32_t max_replicas = 1;
  std::optional<std::int32_t> target_cpu_utilization_percentage{};
  std::optional<std::int32_t> target_memory_utilization_percentage{};
  std::vector<json::Value> custom_metrics{};
  std::optional<json::Value> behavior{};

  static types::Table table();
};

struct IngressPath {
  std::string path = "/";
  std::string path_type = "Prefix";

  static types::Table table();
};

struct IngressHost {
  std::string host;
  std::vector<IngressPath> paths{IngressPath{}};

  static types::Table table();
};

// A name that ExternalDNS makes known.
struct ExternalDns {
  std::string hostname;
  std::optional<std::int32_t> ttl{};

  static types::Table table();
};

struct RateLimit {
  std::optional<std::int32_t> requests_per_second{};
  std::optional<std::int32_t> requests_per_minute{};
  std::optional<std::int32_t> connections{};
  std::optional<std::int32_t> burst_multiplier{};

  static types::Table table();
};

struct Ingress {
  std::string class_name;
  std::vector<IngressHost> hosts{};
  std::string tls_secret_name;
  std::string cert_manager_issuer;
  std::string cert_manager_cluster_issuer;
  std::map<std::string, std::string> annotations{};
  std::optional<ExternalDns> external_dns{};
  std::optional<RateLimit> rate_limit{};

  static types::Table table();
};

struct NetworkPolicy {
  bool enabled = true;
  std::vector<std::string> allow_namespaces{};
  std::optional<types::LabelSelector> allow_pod_selector{};
  std::vector<std::string> allow_cidrs{};
  bool allow_metrics_scrape = true;
  std::string metrics_namespace = "monitoring";

  static types::Table table();
};

struct ProbeTimes {
  std::optional<std::int32_t> initial_delay_seconds{};
  std::optional<std::int32_t> period_seconds{};
  std::optional<std::int32_t> timeout_seconds{};
  std::optional<std::int32_t> success_threshold{};
  std::optional<std::int32_t> failure_threshold{};

  static types::Table table();
};

struct ProbeOverrides {
  std::optional<ProbeTimes> liveness{};
  std::optional<ProbeTimes> readiness{};
  std::optional<ProbeTimes> startup{};

  static types::Table table();
};

enum class StrategyType : std::uint8_t { RollingUpdate, Canary, BlueGreen };
std::span<const std::string_view> enum_names(StrategyType);

struct Canary {
  std::int32_t weight = 10;
  std::int32_t check_interval_seconds = 300;
  double max_error_rate = 0.05;
  std::int32_t step_weight = 0;
  std::int32_t max_weight = 50;
  std::int32_t success_threshold = 1;

  static types::Table table();
};

struct Strategy {
  StrategyType type = StrategyType::RollingUpdate;
  std::optional<Canary> canary{};

  static types::Table table();
};

enum class AntiAffinity : std::uint8_t { Hard, Soft, Disabled };
std::span<const std::string_view> enum_names(AntiAffinity);

}  // namespace fixpoint::operators::stellar
