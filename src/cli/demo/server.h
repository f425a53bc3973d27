// SPDX-License-Identifier: Apache-2.0
//
// Server: this very program as a child, run as `fixpoint up`, so that it can be killed for real.
//
// It never outlives the demo: the destructor kills it, and so does the kernel when the demo itself
// is killed. Its log is kept for when something goes wrong. Read next: session.h, which talks to
// it.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/loop.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace fixpoint::cli::demo {

class Server final : net::Pollable {
 public:
  // Returns at once; the log shows when it is ready.
  static Result<std::unique_ptr<Server>> start(net::Loop& loop,
                                               const std::filesystem::path& directory);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() override;

  // "ready https://…", once it was printed; empty before.
  std::string_view ready_line() const;
  std::uint16_t port() const;
  // Its output has ended, and so has it, or it is about to.
  bool ended() const { return pipe_ < 0; }
  const std::string& log() const { return log_; }
  pid_t pid() const { return pid_; }
  // The most memory it ever had, in MiB, as the kernel counts it; 0 when unknown.
  std::int64_t peak_mebibytes() const;

  // kill -9, and gone when this returns.
  void kill();
  // SIGTERM; the caller waits for ended().
  void terminate() const;
  // The exit status once ended() holds; -1 when a signal ended it.
  int reap();

 private:
  Server(net::Loop& loop, pid_t pid, int pipe);
  void ready(std::uint32_t events) override;
  void close_pipe();

  net::Loop& loop_;
  pid_t pid_;
  int pipe_;
  std::string log_;
};

}  // namespace fixpoint::cli::demo
