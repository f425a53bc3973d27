// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

namespace greeting {
fixpoint::runtime::OperatorEntry entry();
}

int main(int argc, char** argv) {
  const auto mine = greeting::entry();
  return fixpoint::cli::run_program(argc, argv, {&mine, 1});
}
