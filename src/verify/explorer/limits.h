// SPDX-License-Identifier: Apache-2.0
//
// Limits: watches the time and memory of an exploration and lets somebody follow it.
#pragma once

#include "base/clock.h"
#include "verify/explorer/exploration.h"

#include <string>

namespace fixpoint::verify {

class Limits {
 public:
  explicit Limits(const ExploreOptions& options);

  // Called between rounds, with everything but the time filled in; bytes are what the explorer
  // knows of. The memory that counts is the process's: only it knows what the states hold.
  void look(Progress progress);
  // Which limit was exceeded, in words; empty when none was.
  const std::string& exceeded() const { return exceeded_; }
  Duration elapsed() const;

 private:
  const ExploreOptions& options_;
  SystemClock clock_;
  MonotonicInstant begin_;
  Duration told_{};
  std::string exceeded_;
};

// The memory this process has in use.
std::uint64_t resident_bytes();

}  // namespace fixpoint::verify
