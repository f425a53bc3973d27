// SPDX-License-Identifier: Apache-2.0
//
// stellar-core, Horizon and stellar-rpc as commands: what `fixpoint sim stellar` and the links that
// a node makes for their images run.
#pragma once

#include "sim/stellar/files.h"
#include "sim/stellar/life.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::sim {

// core, horizon or rpc: the program that a file name stands for ("/usr/bin/stellar-core").
std::optional<std::string_view> program_named(std::string_view file_name);

struct Call {
  std::string program;          // core, horizon, rpc
  std::string action{};         // run, new-db, http-command, serve, version; empty: the usual one
  std::string argument{};       // of http-command
  std::string configuration{};  // --conf, --config-path
  std::string address = "127.0.0.1";
  Pace pace{};
  Variables environment{};
};

// The exit status; what is wrong goes to standard error.
int call(const Call& call);

// Where a path of a container's lies on this machine. A node that gives containers no root of their
// own rewrites paths in their commands, and names its mounts ("/config=/var/…", one a line) for who
// finds paths in files.
std::string machine_path(std::string_view path, std::string_view mounts);
// The variable it names them in.
inline constexpr std::string_view kMountsVariable = "FIXPOINT_MOUNTS";

}  // namespace fixpoint::sim
