// SPDX-License-Identifier: Apache-2.0
//
// The fixpoint program. route.h decides, this prints and runs; the subcommands are in the files of
// their names.
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/route.h"

#include <cstdio>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  using namespace fixpoint::cli;
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const Route chosen = route(commands(), words);
  if (chosen.command != nullptr) return chosen.command->run(*chosen.arguments);
  if (chosen.status == kExitDone) return answer(chosen.text);
  std::fputs(chosen.text.c_str(), stderr);
  return chosen.status;
}
