// SPDX-License-Identifier: Apache-2.0
//
// Child: this very program as a process of its own, as a server or an operator, so that it can be
// killed for real.
//
// It never outlives the demo: the destructor kills it, and so does the kernel when the demo itself
// is killed. Its log is kept for when something goes wrong. Read next: session.h, which talks to a
// server.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/loop.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace fixpoint::cli::demo {

class Child final : net::Pollable {
 public:
  // `words` come after the program's name. Returns at once; the log shows when it is ready.
  static Result<std::unique_ptr<Child>> start(net::Loop& loop, std::vector<std::string> words);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() override;

  // "ready https://…" of a server, once it was printed; empty before.
  std::string_view ready_line() const;
  // In the ready line.
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
  Child(net::Loop& loop, pid_t pid, int pipe);
  void ready(std::uint32_t events) override;
  void close_pipe();

  net::Loop& loop_;
  pid_t pid_;
  int pipe_;
  std::string log_;
};

}  // namespace fixpoint::cli::demo
