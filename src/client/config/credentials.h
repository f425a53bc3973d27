// SPDX-License-Identifier: Apache-2.0
//
// Credentials: an AccessSource that keeps what a Config names fresh.
//
// Files (tokens, certificates, keys, authorities) are looked at again every second while
// requests are made, so that rotation needs no restart; a plugin is run again shortly before what
// it gave expires; and either when the server says 401. A file that cannot be read keeps its last
// content: a rotation in progress must not stop a program that works.
#pragma once

#include "base/clock.h"
#include "client/access.h"
#include "client/config.h"
#include "client/config/exec_plugin.h"
#include "client/http/background.h"
#include "net/loop.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::client {

// Between looks at the files. Tokens are rotated minutes before they expire, but a server that
// changes its authority is unreachable from that moment on: the next tries, seconds apart and then
// more, shall know the new one. A look is some microseconds.
inline constexpr Duration kReadAgain = std::chrono::seconds(1);
// So long before its end a plugin's credential counts as expired.
inline constexpr Duration kExpiryMargin = std::chrono::seconds(30);
// A plugin whose credentials are refused is not run more often than this.
inline constexpr Duration kPluginPause = std::chrono::seconds(5);

class Credentials final : public AccessSource {
 public:
  Credentials(net::Loop& loop, Config config);

  void get(Done done) override;
  bool reject(const AccessRef& access) override;

  // Reads everything once, so that a wrong path or certificate is told at start.
  Result<void> check();

 private:
  // What the Access is made of.
  struct Parts {
    std::string authority_pem;
    std::string certificate_pem;
    std::string private_key_pem;
    std::string authorization;
    bool operator==(const Parts&) const = default;
  };
  Result<Parts> read_parts() const;
  Result<void> refresh();
  Result<void> use(Parts parts);
  bool plugin_due() const;
  void start_plugin();
  void plugin_ended(Result<PluginCredential> credential);

  net::Loop& loop_;
  Config config_;
  Background background_;
  AccessRef access_;
  Parts parts_;
  MonotonicInstant read_at_{};
  std::optional<PluginCredential> credential_;
  MonotonicInstant plugin_ran_at_{};
  bool plugin_runs_ = false;
  std::vector<Done> waiting_;  // for the plugin
};

}  // namespace fixpoint::client
