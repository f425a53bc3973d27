// SPDX-License-Identifier: Apache-2.0
//
// RunningServer: the shipped binary as a child process, for tests that want it whole. It never
// outlives the test that started it.
#pragma once

#include "base/error.h"
#include "net/client.h"
#include "store/scratch_directory.h"
#include "tests/integration/cluster_access.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace fixpoint {

using store::ScratchDirectory;

class RunningServer {
 public:
  // `fixpoint up --listen 127.0.0.1:0 …`; waits for its ready line.
  static Result<std::unique_ptr<RunningServer>> start(const std::filesystem::path& scratch,
                                                      std::vector<std::string> flags);
  ~RunningServer();

  pid_t pid() const { return pid_; }
  std::uint16_t port() const { return port_; }
  std::filesystem::path kubeconfig() const { return scratch_ / "kubeconfig"; }
  // As the kubeconfig says that it wrote.
  const ClusterAccess& access() const { return access_; }
  const std::string& token() const { return access_.token; }
  const std::string& authority_pem() const { return access_.authority_pem; }
  // The end of what it printed after its ready line; behind what it does by a moment.
  std::string said() const { return log_->text(); }

  // kill -9, and gone when this returns.
  void kill();
  // SIGTERM; the exit status, or -1 when it did not end.
  int stop();

  // One request over TLS with the admin's token, unless the headers say otherwise.
  Result<net::Response> request(std::string method, std::string target, std::string body = {},
                                net::Headers headers = {}) const {
    return access_.request(std::move(method), std::move(target), std::move(body),
                           std::move(headers));
  }
  net::ClientOptions client(net::HttpVersions versions = net::HttpVersions::Any) const {
    return access_.client(versions);
  }

 private:
  // The end of what it printed, told when it dies before its time.
  class Log {
   public:
    void add(std::string_view text);
    std::string text() const;

   private:
    mutable std::mutex mutex_;
    std::string text_;
  };

  // Its wait status, by SIGKILL unless it had ended before.
  int reap();

  std::shared_ptr<Log> log_ = std::make_shared<Log>();
  std::filesystem::path scratch_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  ClusterAccess access_;
};

}  // namespace fixpoint
