// SPDX-License-Identifier: Apache-2.0
//
// Exec credential plugins: a program that prints an ExecCredential.
//
// It is run without a terminal, on a thread of Background, with a deadline; what it prints is
// bounded. Its standard error becomes part of the message when it fails, as kubectl shows it.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "client/config.h"

#include <chrono>
#include <optional>
#include <string>

namespace fixpoint::client {

struct PluginCredential {
  std::string token;
  std::string certificate_pem;
  std::string private_key_pem;
  std::optional<Instant> expires;
};

inline constexpr Duration kPluginDeadline = std::chrono::seconds(60);

// What the plugin needs of the configuration, copied for the other thread.
struct PluginRun {
  ExecPlugin plugin;
  std::string cluster_info;  // JSON of spec.cluster; empty: not wanted
  Duration deadline = kPluginDeadline;
};
PluginRun plugin_run(const Config& config, const std::string& certificate_authority_pem);

// Blocks.
Result<PluginCredential> run_plugin(const PluginRun& run);
// What it printed; apart for tests.
Result<PluginCredential> read_exec_credential(const ExecPlugin& plugin, std::string_view text);

}  // namespace fixpoint::client
