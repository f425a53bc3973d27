// SPDX-License-Identifier: Apache-2.0
//
// A child process of the agent, watched by the loop: no signal handler, no thread, no polling.
#pragma once

#include "base/error.h"
#include "net/loop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint::node {

// Waits for the end of any process, a child or not; a child is collected.
class ProcessWatch final : private net::Pollable {
 public:
  // `ended` gets waitpid's status, 0 when it was no child of ours. Once, from the loop.
  // Gone when there is no such process.
  static Result<std::unique_ptr<ProcessWatch>> open(net::Loop& loop, int pid,
                                                    std::function<void(int status)> ended);
  ~ProcessWatch() override;
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  ProcessWatch(net::Loop& loop, int fd, std::function<void(int)> ended);
  void ready(std::uint32_t events) override;

  net::Loop& loop_;
  int fd_;
  std::function<void(int)> ended_;
};

struct SpawnCall {
  std::string program;
  std::vector<std::string> arguments;  // without the name
  // Become 0, 1 and 2; -1 is /dev/null.
  int in = -1;
  int out = -1;
  int err = -1;
  int extra = -1;  // stays open under kExtraDescriptor
  bool own_group = false;
};
inline constexpr int kExtraDescriptor = 3;

// Starts it; the pid.
Result<int> spawn(const SpawnCall& call);

}  // namespace fixpoint::node
