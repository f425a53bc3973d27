// SPDX-License-Identifier: Apache-2.0
//
// Horizon's environment and stellar-rpc's file.
#include "json/toml/toml.h"
#include "sim/stellar/files.h"
#include "sim/stellar/invalid.h"
#include "sim/stellar/known_keys.h"

#include <charconv>

#include <fmt/format.h>

namespace fixpoint::sim {
namespace {

Result<std::uint16_t> port_in(std::string_view name, std::string_view text) {
  std::uint16_t port = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    return invalid(fmt::format("{}: \"{}\" is no port", name, text));
  }
  return port;
}

// "0.0.0.0:8000"
Result<std::uint16_t> endpoint_port(std::string_view name, std::string_view endpoint) {
  const auto colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) {
    return invalid(fmt::format("{}: \"{}\": missing port in address", name, endpoint));
  }
  return port_in(name, endpoint.substr(colon + 1));
}

Result<void> require(json::View file, std::string_view key) {
  const json::View value = file.get(key);
  if (value.is_string() ? !value.as_string().empty() : !value.empty()) return {};
  return invalid(fmt::format("{} is required", key));
}

Result<RpcFile> rpc_of(json::View file, const Files& files) {
  const bool strict = file.get("STRICT").as_bool();
  for (const auto& [key, value] : file.members()) {
    const auto* known = find_key(rpc_keys(), key);
    if (known == nullptr) {
      if (!strict) continue;
      return invalid(
          fmt::format("invalid config: unexpected entry specified in toml file \"{}\"", key));
    }
    if (!has_form(value, known->form)) return invalid(fmt::format("could not parse {}", key));
  }
  for (const std::string_view key : {"STELLAR_CORE_BINARY_PATH", "CAPTIVE_CORE_CONFIG_PATH",
                                     "HISTORY_ARCHIVE_URLS", "NETWORK_PASSPHRASE"}) {
    FP_TRY_VOID(require(file, key));
  }
  RpcFile out;
  out.network_passphrase = file.get("NETWORK_PASSPHRASE").as_string();
  FP_TRY(port, endpoint_port("ENDPOINT", file.get("ENDPOINT").as_string("localhost:8000")));
  out.port = port;
  if (const auto admin = file.get("ADMIN_ENDPOINT").as_string(); !admin.empty()) {
    FP_TRY(admin_port, endpoint_port("ADMIN_ENDPOINT", admin));
    out.admin_port = admin_port;
  }
  out.retention_ledgers = file.get("HISTORY_RETENTION_WINDOW").as_int(out.retention_ledgers);
  if (out.retention_ledgers < 1) return invalid("HISTORY_RETENTION_WINDOW must be positive");
  FP_TRY_VOID(check_captive_file(std::string{file.get("CAPTIVE_CORE_CONFIG_PATH").as_string()},
                                 files, out.network_passphrase));
  return out;
}

Result<bool> boolean(const Variables& variables, std::string_view name, bool fallback) {
  const auto found = variables.find(name);
  if (found == variables.end()) return fallback;
  if (found->second == "true" || found->second == "1") return true;
  if (found->second == "false" || found->second == "0") return false;
  return invalid(fmt::format("{}: \"{}\" is neither true nor false", name, found->second));
}

}  // namespace

Result<RpcFile> read_rpc_file(const std::string& path, const Files& files) {
  FP_TRY(found, files(path));
  auto file = json::parse_toml(found.text);
  if (!file) return fail_in(path, std::move(file).error());
  auto rpc = rpc_of(*file, files);
  if (!rpc) return fail_in(path, std::move(rpc).error());
  return rpc;
}

Result<HorizonConfiguration> read_horizon_variables(const Variables& variables,
                                                    const Files& files) {
  const auto get = [&](std::string_view name) -> std::string_view {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string_view{} : std::string_view{found->second};
  };
  const auto require_all = [&](std::initializer_list<std::string_view> names) -> Result<void> {
    for (const auto name : names) {
      if (get(name).empty()) {
        return invalid(fmt::format("invalid config: {} is required and blank", name));
      }
    }
    return {};
  };
  FP_TRY_VOID(require_all({"DATABASE_URL", "NETWORK_PASSPHRASE"}));
  const auto database = get("DATABASE_URL");
  if (!database.starts_with("postgres://") && !database.starts_with("postgresql://") &&
      database.find('=') == std::string_view::npos) {
    return invalid("DATABASE_URL is no address of a PostgreSQL database");
  }
  HorizonConfiguration out;
  out.network_passphrase = get("NETWORK_PASSPHRASE");
  FP_TRY(ingest, boolean(variables, "INGEST", true));
  out.ingest = ingest;
  FP_TRY(migrate, boolean(variables, "APPLY_MIGRATIONS", false));
  out.applies_migrations = migrate;
  if (!get("PORT").empty()) {
    FP_TRY(port, port_in("PORT", get("PORT")));
    out.port = port;
  }
  if (!get("ADMIN_PORT").empty()) {
    FP_TRY(admin_port, port_in("ADMIN_PORT", get("ADMIN_PORT")));
    out.admin_port = admin_port;
  }
  if (!ingest) {
    FP_TRY_VOID(require_all({"STELLAR_CORE_URL"}));
    return out;
  }
  FP_TRY_VOID(require_all(
      {"HISTORY_ARCHIVE_URLS", "CAPTIVE_CORE_CONFIG_PATH", "STELLAR_CORE_BINARY_PATH"}));
  FP_TRY_VOID(check_captive_file(std::string{get("CAPTIVE_CORE_CONFIG_PATH")}, files,
                                 out.network_passphrase));
  return out;
}

}  // namespace fixpoint::sim
