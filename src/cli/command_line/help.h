// SPDX-License-Identifier: Apache-2.0
//
// The help texts, made from the command table.
#pragma once

#include "cli/command_line/command.h"

#include <string>

namespace fixpoint::cli {

// `fixpoint --help`: what it is, every command, an example of each.
std::string overview(Commands commands);
// `fixpoint COMMAND --help`: usage, arguments, flags with their defaults, examples.
std::string command_help(const Command& command);

}  // namespace fixpoint::cli
