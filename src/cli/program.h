// SPDX-License-Identifier: Apache-2.0
//
// A whole command-line program around a registry of operators. `fixpoint` is one; an author's own
// program is another, with the same subcommands:
//
//   int main(int argc, char** argv) { return fixpoint::cli::run_program(argc, argv, kMine); }
#pragma once

#include "runtime/registry.h"

#include <span>
#include <string_view>

namespace fixpoint::verify::world {
struct Trial;
}

namespace fixpoint::cli {

// Makes what `verify` puts an operator through (verify/world/scenario.h).
using MakeTrial = verify::world::Trial (*)();

// The exit status. The entries must outlive the call.
int run_program(int argc, char** argv, runtime::Registry operators,
                std::span<const MakeTrial> trials = {});

// What run_program was given: the operators of this program.
runtime::Registry operators();
std::span<const MakeTrial> trials();
// What it was called by, without the directory, for command lines that people may type again.
std::string_view program_name();

}  // namespace fixpoint::cli
