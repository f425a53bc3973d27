// SPDX-License-Identifier: Apache-2.0
//
// The supervisor: one small process beside each container, which starts it, keeps its log, and
// sees to it that nothing of it is left.
//
// It outlives its agent: when that dies, the container runs on for a while, and an agent that comes
// back says hello and takes over; if none does, the supervisor ends the container. If the
// supervisor itself is killed, the kernel ends the container. It holds no state but its files
// (run_spec.h), so whoever reads those knows everything. Read next: container_process.h, the
// agent's side.
#pragma once

#include <span>
#include <string>

namespace fixpoint::node {

// The hidden subcommand: "run DIR AGENT REPORT", "enter DIR WORD...", "probe DIR".
inline constexpr const char* kSupervisorCommand = "node-supervisor";

// What `run` writes to the descriptor REPORT, a line: the container runs, or why it does not.
inline constexpr char kReportStarted = '+';
inline constexpr char kReportFailed = '-';

// Lines to the control pipe.
inline constexpr const char* kControlHello = "hello ";  // and the new agent's pid
inline constexpr const char* kControlTerminate = "term\n";
inline constexpr const char* kControlKill = "kill\n";

// The exit status of the process.
int run_supervisor(std::span<const std::string> arguments);

}  // namespace fixpoint::node
