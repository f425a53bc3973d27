// SPDX-License-Identifier: Apache-2.0
//
// The configuration of the three programs, read as they read it and refused as they refuse it.
//
// Reading is pure but for the files that a file names (a seed, a captive core's file), which come
// through `Files`. Errors are what the program would say, with the file and the place in front.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::sim {

struct FileFound {
  std::string text;
  unsigned mode = 0600;  // permissions
};
// By the path that stands in the configuration; the error names it.
using Files = std::function<Result<FileFound>(const std::string& path)>;

struct CoreFile {
  std::string network_passphrase;
  bool is_validator = false;
  std::uint16_t http_port = 11626;  // 0: none
  bool public_http_port = false;
  std::uint16_t peer_port = 11625;
  std::string database_file;  // of sqlite3://; empty: a database elsewhere
  std::string bucket_directory = "buckets";
};
Result<CoreFile> read_core_file(const std::string& path, const Files& files);
// As Horizon and RPC check the file they start a core of their own with.
Result<void> check_captive_file(const std::string& path, const Files& files,
                                std::string_view network_passphrase);

struct RpcFile {
  std::string network_passphrase;
  std::uint16_t port = 8000;
  std::uint16_t admin_port = 0;  // 0: none
  std::int64_t retention_ledgers = 120'960;
};
Result<RpcFile> read_rpc_file(const std::string& path, const Files& files);

using Variables = std::map<std::string, std::string, std::less<>>;
struct HorizonConfiguration {
  std::string network_passphrase;
  bool ingest = true;
  bool applies_migrations = false;
  std::uint16_t port = 8000;
  std::uint16_t admin_port = 0;
};
Result<HorizonConfiguration> read_horizon_variables(const Variables& variables, const Files& files);

}  // namespace fixpoint::sim
