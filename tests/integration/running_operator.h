// SPDX-License-Identifier: Apache-2.0
//
// RunningOperator: `fixpoint operator` of the shipped binary as a child process, with its log in a
// file and its pages on a free port. It never outlives the test that started it.
#pragma once

#include "base/error.h"
#include "net/client.h"
#include "tests/patience.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fixpoint {

class RunningOperator {
 public:
  struct Setup {
    std::filesystem::path kubeconfig;
    std::filesystem::path log;
    std::string operators = "greeting";
    std::vector<std::string> flags{};
  };
  // Waits until its pages are served.
  static Result<std::unique_ptr<RunningOperator>> start(const Setup& setup);
  ~RunningOperator();

  pid_t pid() const { return pid_; }
  void kill();
  // SIGTERM; the exit status, or -1 when it did not end.
  int stop();

  // One of its pages: /metrics, /readyz, /debug, …; status 0 when it does not answer.
  net::Response page(std::string path) const;
  double metric(std::string_view series) const;  // -1 when there is none
  std::string log() const;

 private:
  std::filesystem::path log_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace fixpoint
