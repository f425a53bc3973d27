// SPDX-License-Identifier: Apache-2.0
//
// What each of the three programs needs to be told: spec.validatorConfig, spec.horizonConfig,
// spec.sorobanConfig.
#pragma once

#include "operators/stellar/types/workload.h"
#include "types/standard.h"
#include "types/table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

enum class KeySource : std::uint8_t { Secret, Kms };
std::span<const std::string_view> enum_names(KeySource);

// A Secret that the External Secrets operator fills.
struct ExternalReference {
  std::string name;  // of the ExternalSecret
  std::string key = "STELLAR_CORE_SEED";

  static types::Table table();
};

// A file that a Secrets Store CSI driver mounts.
struct CsiReference {
  std::string secret_provider_class;
  std::string file = "STELLAR_CORE_SEED";

  static types::Table table();
};

// A file that Vault's agent writes.
struct VaultReference {
  std::string role;
  std::string path;
  std::string key = "STELLAR_CORE_SEED";

  static types::Table table();
};

struct SeedSource {
  std::optional<types::KeyReference> local_ref{};
  std::optional<ExternalReference> external_ref{};
  std::optional<CsiReference> csi_ref{};
  std::optional<VaultReference> vault_ref{};

  static types::Table table();
};

struct KmsConfig {
  std::string key_id;
  std::string provider;
  std::string region;
  std::string fetcher_image;

  static types::Table table();
};

struct ValidatorConfig {
  std::string seed_secret_ref;
  std::optional<SeedSource> seed_secret_source{};
  std::string quorum_set;
  std::string known_peers;
  bool enable_history_archive = false;
  std::vector<std::string> history_archive_urls{};
  bool catchup_complete = false;
  KeySource key_source = KeySource::Secret;
  std::optional<KmsConfig> kms_config{};
  std::string home_domain;
  std::optional<ExternalDns> external_dns{};
  // Refused, each with what to do instead.
  std::optional<json::Value> hsm_config{};
  std::string vl_source;
  std::optional<json::Value> quorum_optimization{};

  static types::Table table();
};

struct HorizonConfig {
  std::string database_secret_ref;
  std::string stellar_core_url;
  bool enable_ingest = true;
  std::int32_t ingest_workers = 1;
  bool enable_experimental_ingestion = false;
  bool auto_migration = true;

  static types::Table table();
};

struct CaptiveCore {
  std::string network_passphrase;
  std::vector<std::string> history_archive_urls{};
  std::int32_t peer_port = 11625;
  std::int32_t http_port = 11626;
  std::string log_level = "info";
  std::string additional_config;

  static types::Table table();
};

struct SorobanConfig {
  std::string stellar_core_url;
  std::string captive_core_config;
  std::optional<CaptiveCore> captive_core_structured_config{};
  bool enable_preflight = true;
  std::int32_t max_events_per_request = 10'000;
  std::optional<json::Value> cache_config{};  // refused

  static types::Table table();
};

}  // namespace fixpoint::operators::stellar
