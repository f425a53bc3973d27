// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/configuration/toml_writer.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

// What may stand in a URL as it is: reserved and unreserved characters, without those that mean
// something in core's command templates.
bool is_url_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"-._~:/?#[]@!$&()*+,;=%"}.find(c) != std::string_view::npos;
}

void write_quorum_keys(TomlWriter& out, const Quorum& quorum) {
  if (quorum.unsafe) out.set("UNSAFE_QUORUM", true);
  if (quorum.failure_safety) out.set("FAILURE_SAFETY", *quorum.failure_safety);
}

void write_set(TomlWriter& out, const std::string& path, const QuorumSet& set) {
  out.table(path);
  out.put("THRESHOLD_PERCENT", set.threshold_percent);
  if (!set.validators.empty()) out.put("VALIDATORS", set.validators);
  for (const auto& [name, inner] : set.inner) {
    write_set(out, fmt::format("{}.{}", path, toml_key(name)), inner);
  }
}

void put_if(TomlWriter& out, std::string_view key, const std::string& text) {
  if (!text.empty()) out.put(key, text);
}

void write_quorum(TomlWriter& out, const Quorum& quorum) {
  for (const auto& domain : quorum.home_domains) {
    out.table_of_array("HOME_DOMAINS");
    out.put("HOME_DOMAIN", domain.domain);
    out.put("QUALITY", domain.quality);
  }
  for (const auto& validator : quorum.validators) {
    out.table_of_array("VALIDATORS");
    out.put("NAME", validator.name);
    out.put("HOME_DOMAIN", validator.home_domain);
    put_if(out, "QUALITY", validator.quality);
    out.put("PUBLIC_KEY", validator.public_key);
    put_if(out, "ADDRESS", validator.address);
    put_if(out, "HISTORY", validator.history);
  }
  if (quorum.set) write_set(out, "QUORUM_SET", *quorum.set);
}

void write_archives(TomlWriter& out, const std::vector<HistoryArchive>& archives) {
  for (const auto& archive : archives) {
    out.table("HISTORY." + toml_key(archive.name));
    out.put("get", archive.get);
    put_if(out, "put", archive.put);
    put_if(out, "mkdir", archive.mkdir);
  }
}

}  // namespace

std::string history_get_command(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  std::string encoded;
  for (const char c : url) {
    if (is_url_character(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return fmt::format("curl -sf {}/{{0}} -o {{1}}", encoded);
}

std::vector<HistoryArchive> archives_at(const std::vector<std::string>& urls) {
  std::vector<HistoryArchive> archives;
  for (const auto& url : urls) {
    archives.push_back(
        {.name = fmt::format("archive{}", archives.size()), .get = history_get_command(url)});
  }
  return archives;
}

bool is_archive_url(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    const auto rest = url.substr(scheme.size());
    const auto host = rest.substr(0, std::min(rest.find_first_of(":/?#"), rest.size()));
    return !host.empty() && std::ranges::all_of(rest, is_url_character);
  }
  return false;
}

std::string core_configuration(const CoreSettings& settings) {
  TomlWriter out;
  auto quorum = settings.quorum;
  if (settings.is_validator && !settings.home_domain.empty()) {
    admit_self(quorum, settings.home_domain);
  }
  out.comment("Written by the stellar operator; changes here are undone.");
  out.set("NETWORK_PASSPHRASE", settings.network_passphrase);
  out.set("NODE_IS_VALIDATOR", settings.is_validator);
  if (!settings.seed_file.empty()) out.set("NODE_SEED", "$FILE:" + settings.seed_file);
  if (!settings.home_domain.empty()) out.set("NODE_HOME_DOMAIN", settings.home_domain);
  out.set("DATABASE", settings.database);
  out.set("BUCKET_DIR_PATH", settings.bucket_directory);
  // To standard output only.
  out.set("LOG_FILE_PATH", "");
  out.set("HTTP_PORT", settings.http_port);
  out.set("PUBLIC_HTTP_PORT", settings.public_http_port);
  out.set("PEER_PORT", settings.peer_port);
  if (!settings.known_peers.empty()) out.set("KNOWN_PEERS", settings.known_peers);
  out.set("CATCHUP_COMPLETE", settings.catchup_complete);
  if (!settings.catchup_complete) out.set("CATCHUP_RECENT", settings.catchup_recent);
  write_quorum_keys(out, quorum);
  write_quorum(out, quorum);
  write_archives(out, settings.archives);
  return std::move(out).take();
}

std::string captive_core_configuration(const CaptiveCoreSettings& settings) {
  TomlWriter out;
  out.comment("Written by the stellar operator; changes here are undone.");
  out.set("NETWORK_PASSPHRASE", settings.network_passphrase);
  out.set("HTTP_PORT", settings.http_port);
  out.set("PEER_PORT", settings.peer_port);
  write_quorum_keys(out, settings.quorum);
  write_quorum(out, settings.quorum);
  write_archives(out, settings.archives);
  return std::move(out).take();
}

std::vector<std::string> seed_command(const SeedPaths& paths) {
  // Paths are arguments, never part of the script; the seed never is an argument of a program.
  constexpr std::string_view kScript = R"sh(set -eu
seed=$(tr -d ' \t\r\n' < "$1")
case "$seed" in
  S*[!A-Z2-7]* | [!S]* | '') echo "$1: not a secret seed (S...)" >&2; exit 1 ;;
esac
umask 077
{ printf 'NODE_SEED="%s self"\n' "$seed"; cat "$2"; } > "$3")sh";
  return {"sh", "-c", std::string{kScript}, "seed", paths.seed, paths.configuration, paths.output};
}

std::vector<std::string> new_database_command(std::string_view mark,
                                              std::string_view configuration) {
  constexpr std::string_view kScript = R"sh(set -eu
test -s "$1" && exit 0
stellar-core new-db --conf "$2"
test -s "$1" || echo "new-db was here" > "$1")sh";
  return {"sh",
          "-c",
          std::string{kScript},
          "new-database",
          std::string{mark},
          std::string{configuration}};
}

}  // namespace fixpoint::operators::stellar
