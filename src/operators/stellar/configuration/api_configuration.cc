// SPDX-License-Identifier: Apache-2.0
//
// Horizon and stellar-rpc: the programs that serve what a core of their own follows.
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/configuration/toml_writer.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

std::string yes_or_no(bool value) {
  return value ? "true" : "false";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> horizon_environment(
    const HorizonSettings& settings) {
  std::vector<std::pair<std::string, std::string>> out{
      {"ADMIN_PORT",         std::to_string(settings.admin_port) },
      {"APPLY_MIGRATIONS",   yes_or_no(settings.apply_migrations)},
      {"INGEST",             yes_or_no(settings.ingest)          },
      {"NETWORK_PASSPHRASE", settings.network_passphrase         },
      {"PORT",               std::to_string(settings.port)       },
  };
  if (!settings.core_url.empty()) out.emplace_back("STELLAR_CORE_URL", settings.core_url);
  if (!settings.archive_urls.empty()) {
    out.emplace_back("HISTORY_ARCHIVE_URLS",
                     fmt::format("{}", fmt::join(settings.archive_urls, ",")));
  }
  if (settings.ingest) {
    out.emplace_back("CAPTIVE_CORE_CONFIG_PATH", settings.captive_core_file);
    out.emplace_back("CAPTIVE_CORE_STORAGE_PATH", settings.captive_core_directory);
    out.emplace_back("STELLAR_CORE_BINARY_PATH", settings.core_binary);
  }
  std::ranges::sort(out);
  return out;
}

std::string rpc_configuration(const RpcSettings& settings) {
  TomlWriter out;
  out.comment("Written by the stellar operator; changes here are undone.");
  // An unknown key is an error, as it is for core.
  out.set("STRICT", true);
  out.set("ENDPOINT", fmt::format("0.0.0.0:{}", settings.port));
  if (settings.admin_port != 0) {
    out.set("ADMIN_ENDPOINT", fmt::format("0.0.0.0:{}", settings.admin_port));
  }
  out.set("NETWORK_PASSPHRASE", settings.network_passphrase);
  out.set("HISTORY_ARCHIVE_URLS", settings.archive_urls);
  if (!settings.core_url.empty()) out.set("STELLAR_CORE_URL", settings.core_url);
  out.set("STELLAR_CORE_BINARY_PATH", settings.core_binary);
  out.set("STELLAR_CAPTIVE_CORE_HTTP_PORT", settings.captive_core_http_port);
  out.set("CAPTIVE_CORE_CONFIG_PATH", settings.captive_core_file);
  out.set("CAPTIVE_CORE_STORAGE_PATH", settings.captive_core_directory);
  out.set("DB_PATH", settings.database);
  out.set("HISTORY_RETENTION_WINDOW", settings.retention_ledgers);
  out.set("CHECKPOINT_FREQUENCY", std::int64_t{64});
  out.set("MAX_EVENTS_LIMIT", settings.max_events);
  out.set("LOG_LEVEL", settings.log_level);
  return std::move(out).take();
}

}  // namespace fixpoint::operators::stellar
