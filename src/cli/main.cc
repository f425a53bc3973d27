// SPDX-License-Identifier: Apache-2.0
//
// The fixpoint program. route.h decides, program.h prints and runs; the subcommands are in the
// files of their names.
#include "cli/operators.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  return fixpoint::cli::run_program(argc, argv, fixpoint::cli::fixpoint_operators());
}
