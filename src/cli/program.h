// SPDX-License-Identifier: Apache-2.0
//
// A whole command-line program around a registry of operators. `fixpoint` is one; an author's own
// program is another, with the same subcommands:
//
//   int main(int argc, char** argv) { return fixpoint::cli::run_program(argc, argv, kMine); }
#pragma once

#include "runtime/registry.h"

namespace fixpoint::cli {

// The exit status. The entries must outlive the call.
int run_program(int argc, char** argv, runtime::Registry operators);

// What run_program was given: the operators of this program.
runtime::Registry operators();

}  // namespace fixpoint::cli
