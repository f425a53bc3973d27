// SPDX-License-Identifier: Apache-2.0
//
// The configuration of the three programs: plain settings in, the exact text they accept out.
//
// stellar-core takes everything from one TOML file and refuses a key that it does not know; Horizon
// takes environment variables; stellar-rpc takes TOML again. Both of the latter start a core of
// their own ("captive"), which takes a smaller file. Same settings, same text, byte for byte: a
// hash of it goes on the pod template, since none of them reads its settings twice.
// Read next: quorum.h.
#pragma once

#include "operators/stellar/configuration/quorum.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::operators::stellar {

inline constexpr std::string_view kMainnetPassphrase =
    "Public Global Stellar Network ; September 2015";
inline constexpr std::string_view kTestnetPassphrase = "Test SDF Network ; September 2015";
inline constexpr std::string_view kFuturenetPassphrase = "Test SDF Future Network ; October 2022";

inline constexpr std::int64_t kPeerPort = 11625;
inline constexpr std::int64_t kCoreHttpPort = 11626;
inline constexpr std::int64_t kApiPort = 8000;  // Horizon and RPC
inline constexpr std::int64_t kHorizonAdminPort = 4200;
inline constexpr std::int64_t kRpcAdminPort = 6061;
// Three and a half days of ledgers.
inline constexpr std::int64_t kRecentLedgers = 60'480;
// A week of ledgers.
inline constexpr std::int64_t kRetentionLedgers = 120'960;

// Where a history archive is read from, and optionally published to.
struct HistoryArchive {
  std::string name;  // unique in the file, also among the validators' names
  std::string get;   // a command with {0} (what) and {1} (where to)
  std::string put{};
  std::string mkdir{};
};

// "curl -sf URL/{0} -o {1}", with everything that is no part of a URL encoded: core splits the
// command at blanks.
std::string history_get_command(std::string_view url);
// One for each URL, named archive0, archive1, …
std::vector<HistoryArchive> archives_at(const std::vector<std::string>& urls);
// True for http:// or https:// with a host and characters of a URL.
bool is_archive_url(std::string_view url);

// stellar-core.cfg of a validator or a watcher.
struct CoreSettings {
  std::string network_passphrase;
  bool is_validator = true;
  // NODE_SEED="$FILE:…". Core refuses a file that others may read, and refuses the form on the
  // public network; empty: no seed here, seed_command() puts it in front of the text.
  std::string seed_file{};
  std::string home_domain{};  // gets its place in the quorum, see admit_self
  std::string database = "sqlite3:///opt/stellar/data/stellar.db";
  std::string bucket_directory = "/opt/stellar/data/buckets";  // core removes and makes it again
  std::int64_t http_port = kCoreHttpPort;
  bool public_http_port = false;  // beyond the pod's own loopback; carries commands, not only facts
  std::int64_t peer_port = kPeerPort;
  std::vector<std::string> known_peers{};
  bool catchup_complete = false;
  std::int64_t catchup_recent = kRecentLedgers;  // without catchup_complete
  Quorum quorum{};
  std::vector<HistoryArchive> archives{};
};
std::string core_configuration(const CoreSettings& settings);

// captive-core.cfg for Horizon and RPC: whom to follow. They add passphrase-independent settings
// (streams, storage) themselves.
struct CaptiveCoreSettings {
  std::string network_passphrase;
  std::int64_t http_port = kCoreHttpPort;
  std::int64_t peer_port = kPeerPort;
  Quorum quorum{};
  std::vector<HistoryArchive> archives{};
};
std::string captive_core_configuration(const CaptiveCoreSettings& settings);

// Horizon's environment, in order of name. DATABASE_URL is a secret's and not among it.
struct HorizonSettings {
  std::string network_passphrase;
  std::string core_url{};
  std::vector<std::string> archive_urls{};
  bool ingest = true;
  bool apply_migrations = true;
  std::int64_t port = kApiPort;
  std::int64_t admin_port = kHorizonAdminPort;
  std::string captive_core_file = "/config/captive-core.cfg";  // with `ingest`
  std::string captive_core_directory = "/data/captive-core";
  std::string core_binary = "/usr/bin/stellar-core";
};
std::vector<std::pair<std::string, std::string>> horizon_environment(
    const HorizonSettings& settings);

// stellar-rpc.toml.
struct RpcSettings {
  std::string network_passphrase;
  std::string core_url{};  // empty: the captive core's own
  std::vector<std::string> archive_urls{};
  std::int64_t port = kApiPort;
  std::int64_t admin_port = kRpcAdminPort;  // 0: none
  std::int64_t captive_core_http_port = kCoreHttpPort;
  std::string captive_core_file = "/config/captive-core.cfg";
  std::string captive_core_directory = "/data/captive-core";
  std::string core_binary = "/usr/bin/stellar-core";
  std::string database = "/data/stellar-rpc.sqlite";
  std::int64_t retention_ledgers = kRetentionLedgers;
  std::int64_t max_events = 10'000;
  std::string log_level = "info";
};
std::string rpc_configuration(const RpcSettings& settings);

// For the init container of a validator: reads the seed, checks its form, writes the file core
// reads, mode 0600, with NODE_SEED as its first line. The words of a command; needs a POSIX shell.
struct SeedPaths {
  std::string seed;           // the secret's file
  std::string configuration;  // core_configuration()'s text
  std::string output;         // in a memory volume
};
std::vector<std::string> seed_command(const SeedPaths& paths);
// For the init container after it: makes core's database once, on an empty volume; on any other
// this does nothing, since `new-db` forgets what is there. The mark is a file of the volume that is
// there afterwards: the database, or one that only says so of a database elsewhere.
std::vector<std::string> new_database_command(std::string_view mark,
                                              std::string_view configuration);

}  // namespace fixpoint::operators::stellar
