// SPDX-License-Identifier: Apache-2.0
//
// stellar-core.cfg, for a core of its own and for one that Horizon or RPC starts.
#include "json/toml/toml.h"
#include "operators/stellar/configuration/quorum.h"
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/configuration/strkey.h"
#include "sim/stellar/files.h"
#include "sim/stellar/invalid.h"
#include "sim/stellar/known_keys.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::sim {
namespace {

namespace stellar = operators::stellar;

constexpr std::string_view kFilePrefix = "$FILE:";
// Of group and others.
constexpr unsigned kOthersMode = 077;
constexpr std::int64_t kPortMax = 65'535;

Result<void> check_keys(json::View file, std::span<const KnownKey> keys) {
  for (const auto& [key, value] : file.members()) {
    const auto* known = find_key(keys, key);
    if (known == nullptr) return invalid(fmt::format("Unknown configuration entry: '{}'", key));
    if (!has_form(value, known->form)) return invalid(fmt::format("invalid '{}'", key));
  }
  return {};
}

Result<void> check_history(json::View file) {
  for (const auto& [name, archive] : file.get("HISTORY").members()) {
    if (!archive.is_object()) return invalid("malformed HISTORY config block");
    for (const auto& [key, value] : archive.members()) {
      if (key != "get" && key != "put" && key != "mkdir") {
        return invalid(
            fmt::format("Unknown HISTORY-table entry: '{}', within [HISTORY.{}]", key, name));
      }
      if (!value.is_string()) return invalid(fmt::format("invalid '{}'", key));
    }
  }
  return {};
}

Result<std::uint16_t> port_of(json::View file, std::string_view key, std::uint16_t fallback,
                              std::int64_t least) {
  const auto found = file.find(key);
  if (!found) return fallback;
  if (found->as_int() < least || found->as_int() > kPortMax) {
    return invalid(fmt::format("bad '{}'", key));
  }
  return static_cast<std::uint16_t>(found->as_int());
}

// A value, or the text of the file that it names.
Result<std::string> secret_of(json::View file, std::string_view key, const Files& files) {
  const auto value = file.get(key).as_string();
  if (!value.starts_with(kFilePrefix)) return std::string{value};
  if (file.get("NETWORK_PASSPHRASE").as_string() == stellar::kMainnetPassphrase) {
    return invalid("External secret references ($FILE:) are not supported on the public network");
  }
  const std::string path{value.substr(kFilePrefix.size())};
  FP_TRY(found, files(path));
  if ((found.mode & kOthersMode) != 0) {
    return invalid(
        fmt::format("Secret file has overly permissive permissions (must not be "
                    "accessible by group or others): {}",
                    path));
  }
  const auto end = found.text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return invalid("Secret file is empty: " + path);
  found.text.resize(end + 1);
  return std::move(found.text);
}

// Core makes up a seed where none is given, a new one at each start; for a validator that is never
// what was meant, and here it is refused.
Result<void> check_seed(json::View file, const Files& files) {
  const bool validator = file.get("NODE_IS_VALIDATOR").as_bool();
  if (!file.contains("NODE_SEED")) {
    if (!validator) return {};
    return invalid(
        "NODE_IS_VALIDATOR=true and no NODE_SEED: whom it would be changes at each start");
  }
  FP_TRY(seed, secret_of(file, "NODE_SEED", files));
  if (seed.starts_with('$')) return invalid("aliases only store public keys");
  if (!stellar::is_secret_seed(seed.substr(0, seed.find(' ')))) {
    return invalid("invalid NODE_SEED: no secret seed (S...)");
  }
  return {};
}

Result<void> check_passphrase(json::View file) {
  if (file.get("NETWORK_PASSPHRASE").as_string().empty()) {
    return invalid("NETWORK_PASSPHRASE not configured");
  }
  return {};
}

Result<void> check_trust(json::View file) {
  FP_TRY(quorum, stellar::read_quorum(file));
  return stellar::check_quorum(
      quorum, {.is_validator = file.get("NODE_IS_VALIDATOR").as_bool(),
               .home_domain = std::string{file.get("NODE_HOME_DOMAIN").as_string()}});
}

Result<CoreFile> core_of(json::View file, const Files& files) {
  FP_TRY_VOID(check_keys(file, core_keys()));
  FP_TRY_VOID(check_history(file));
  FP_TRY_VOID(check_seed(file, files));
  FP_TRY_VOID(check_passphrase(file));
  FP_TRY_VOID(check_trust(file));
  CoreFile out;
  out.network_passphrase = file.get("NETWORK_PASSPHRASE").as_string();
  out.is_validator = file.get("NODE_IS_VALIDATOR").as_bool();
  out.public_http_port = file.get("PUBLIC_HTTP_PORT").as_bool();
  FP_TRY(http_port, port_of(file, "HTTP_PORT", out.http_port, 0));
  out.http_port = http_port;
  FP_TRY(peer_port, port_of(file, "PEER_PORT", out.peer_port, 1));
  out.peer_port = peer_port;
  out.bucket_directory = file.get("BUCKET_DIR_PATH").as_string(out.bucket_directory);
  FP_TRY(database, secret_of(file, "DATABASE", files));
  constexpr std::string_view kSqlite = "sqlite3://";
  constexpr std::string_view kPostgres = "postgresql://";
  if (database.starts_with(kSqlite)) {
    out.database_file = database.substr(kSqlite.size());
  } else if (!database.empty() && !database.starts_with(kPostgres)) {
    return invalid("DATABASE: neither sqlite3:// nor postgresql://");
  }
  return out;
}

}  // namespace

Result<CoreFile> read_core_file(const std::string& path, const Files& files) {
  const auto doing = fmt::format("Failed to parse '{}'", path);
  auto found = files(path);
  if (!found) return fail_in("No config file found", std::move(found).error());
  auto file = json::parse_toml(found->text);
  if (!file) return fail_in(doing, std::move(file).error());
  auto core = core_of(*file, files);
  if (!core) return fail_in(doing, std::move(core).error());
  return core;
}

Result<void> check_captive_file(const std::string& path, const Files& files,
                                std::string_view network_passphrase) {
  const std::string doing = "invalid captive core toml file " + path;
  FP_TRY(found, files(path));
  auto file = json::parse_toml(found.text);
  if (!file) return fail_in(doing, std::move(file).error());
  const auto check = [&]() -> Result<void> {
    FP_TRY_VOID(check_keys(*file, captive_core_keys()));
    FP_TRY_VOID(check_history(*file));
    const auto passphrase = file->get("NETWORK_PASSPHRASE").as_string(network_passphrase);
    if (passphrase != network_passphrase) {
      return invalid(
          fmt::format("NETWORK_PASSPHRASE in captive core config file: {} does not match "
                      "passed configuration ({})",
                      passphrase, network_passphrase));
    }
    return check_trust(*file);
  };
  if (auto checked = check(); !checked) return fail_in(doing, std::move(checked).error());
  return {};
}

}  // namespace fixpoint::sim
