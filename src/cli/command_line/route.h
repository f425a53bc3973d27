// SPDX-License-Identifier: Apache-2.0
//
// route: from the words of a command line to what main does with them. Pure: main prints and runs.
#pragma once

#include "cli/command_line/arguments.h"
#include "cli/command_line/command.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitMisused = 2;

// Either a command to run with its arguments, or a text to print and the status to exit with.
struct Route {
  const Command* command = nullptr;
  std::optional<Arguments> arguments;
  std::string text;  // to stdout when the status is kExitDone, to stderr otherwise
  int status = kExitDone;
};

Route route(Commands commands, std::span<const std::string_view> words);

}  // namespace fixpoint::cli
