// SPDX-License-Identifier: Apache-2.0
//
// A program run to its end, blocking: for Background.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <string>
#include <utility>
#include <vector>

namespace fixpoint::client {

struct ChildRun {
  std::string command;  // looked for in PATH when it has no slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // besides ours
  Duration deadline{};
};

struct ChildEnd {
  int code = 0;  // 128 + signal for a violent end
  std::string output;
  std::string errors;
};

// More output than this is no credential.
inline constexpr std::size_t kChildOutputBytesMax = std::size_t{1} << 20U;

// Without input. NotFound when there is no such program; Unavailable past the deadline, and then
// the program has been killed.
Result<ChildEnd> run_child(const ChildRun& run);

}  // namespace fixpoint::client
