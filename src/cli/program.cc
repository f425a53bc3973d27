// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/commands.h"
#include "node/process/supervisor.h"
#include "sim/stellar/programs.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// jemalloc reads this name at start. Two arenas: more than two threads never allocate at once for
// long, and each costs memory at rest. What is free goes back after one second instead of ten: most
// of a cluster's life is idle.
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0";

namespace fixpoint::cli {
namespace {

// Set once, before any subcommand runs: commands are plain functions of their arguments.
struct OnBoard {
  runtime::Registry operators;
  std::span<const MakeTrial> trials;
  std::string_view name;
};
OnBoard& on_board() {
  static OnBoard board;
  return board;
}

}  // namespace

runtime::Registry operators() {
  return on_board().operators;
}

std::span<const MakeTrial> trials() {
  return on_board().trials;
}

std::string_view program_name() {
  return on_board().name;
}

int run_program(int argc, char** argv, runtime::Registry operators,
                std::span<const MakeTrial> trials) {
  const std::string_view path = argc > 0 ? argv[0] : "fixpoint";
  on_board() = {operators, trials, path.substr(path.rfind('/') + 1)};
  std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  // Not for people: the processes that a node starts are this program too.
  if (!words.empty() && words[0] == node::kSupervisorCommand) {
    return node::run_supervisor(std::vector<std::string>(argv + 2, argv + argc));
  }
  // A link to it with a program's name, as a node makes for images, is that program's stand-in.
  if (const auto stand_in = argc > 0 ? sim::program_named(argv[0]) : std::nullopt) {
    words.insert(words.begin(), {"sim", "stellar", *stand_in});
  }
  const Route chosen = route(commands(), words);
  if (chosen.command != nullptr) return chosen.command->run(*chosen.arguments);
  if (chosen.status == kExitDone) return answer(chosen.text);
  std::fputs(chosen.text.c_str(), stderr);
  return chosen.status;
}

}  // namespace fixpoint::cli
