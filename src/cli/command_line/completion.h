// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts, made from the command table: commands, flags, and the values of both.
#pragma once

#include "cli/command_line/command.h"

#include <string>

namespace fixpoint::cli {

std::string bash_completion(Commands commands);
std::string zsh_completion(Commands commands);
std::string fish_completion(Commands commands);

}  // namespace fixpoint::cli
