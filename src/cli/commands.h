// SPDX-License-Identifier: Apache-2.0
//
// Every subcommand, each defined in the file of its name.
#pragma once

#include "cli/command_line/command.h"

namespace fixpoint::cli {

extern const Command kCompletionCommand;
extern const Command kDemoCommand;
extern const Command kDiagramCommand;
extern const Command kManifestsCommand;
extern const Command kNodeCommand;
extern const Command kOperatorCommand;
extern const Command kSimCommand;
extern const Command kUpCommand;
extern const Command kVerifyCommand;
extern const Command kVersionCommand;

// In the order in which help lists them.
Commands commands();

}  // namespace fixpoint::cli
