// SPDX-License-Identifier: Apache-2.0
//
// The fixpoint program: the operators it has on board. cli/command_line/route.h decides, program.h
// prints and runs; the subcommands are in the files of their names.
#include "cli/program.h"
#include "operators/stellar/stellar.h"
#include "trials/stellar/trial.h"
#include "verify/world/scenario.h"

#include <array>

// examples/greeting/greeting.cc and scenarios.cc
namespace greeting {
fixpoint::runtime::OperatorEntry entry();
fixpoint::verify::world::Trial trial();
}  // namespace greeting
// examples/noticeboard/noticeboard.cc
namespace noticeboard {
fixpoint::runtime::OperatorEntry entry();
}

namespace {

fixpoint::runtime::OperatorEntry as_example(fixpoint::runtime::OperatorEntry entry) {
  entry.example = true;
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  static const std::array operators{fixpoint::operators::stellar::entry(),
                                    as_example(greeting::entry()),
                                    as_example(noticeboard::entry())};
  static constexpr std::array<fixpoint::cli::MakeTrial, 2> kTrials{
      &fixpoint::trials::stellar::trial, &greeting::trial};
  return fixpoint::cli::run_program(argc, argv, operators, kTrials);
}
