// SPDX-License-Identifier: Apache-2.0
//
// From a RunSpec to a running program: what a supervisor does between fork and exec, and the way
// into a container that runs already.
#pragma once

#include "base/error.h"
#include "node/process/cgroup.h"
#include "node/process/run_spec.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::node {

struct LaunchCall {
  const RunSpec& spec;
  const std::filesystem::path& directory;  // of the run
  const ControlGroup* memory = nullptr;
  const ControlGroup* cpu = nullptr;
  int input = -1;     // -1: /dev/null
  int terminal = -1;  // in place of all three
};

struct Launched {
  int pid = -1;  // of the container's first process, a child of the caller
  int out = -1;  // -1 both with a terminal
  int err = -1;
  int binds = -1;  // for a BindGuard; -1: there is none
};

// Returns when the program is running. The error is what a person is told: exec: "x": ….
Result<Launched> launch(const LaunchCall& call);

// Everything that descends from this process, which must be a subreaper, until nothing is left. How
// `program` ended, if it was among them.
std::optional<int> kill_descendants(int program);

// Runs the words in the container of that run, with the caller's descriptors 0 to 2; the status.
int enter_container(const std::filesystem::path& directory, std::vector<std::string> words);

// Container runtimes' own codes for a command that is not there or cannot be run.
inline constexpr int kCannotRun = 126;
inline constexpr int kNotThere = 127;

}  // namespace fixpoint::node
