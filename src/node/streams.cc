// SPDX-License-Identifier: Apache-2.0
#include "node/streams.h"

#include "node/process/supervisor.h"

#include <csignal>
#include <utility>

#include <sys/wait.h>

namespace fixpoint::node {

Result<std::unique_ptr<RunningCommand>> RunningCommand::start(net::Loop& loop,
                                                              const ContainerPlace& place,
                                                              const std::vector<std::string>& words,
                                                              Descriptors descriptors,
                                                              std::function<void(int)> ended) {
  if (!place.running) return fail(ErrorKind::Invalid, "container is not running");
  SpawnCall call;
  call.program = place.program;
  call.arguments = {kSupervisorCommand, "enter", place.run.string()};
  call.arguments.insert(call.arguments.end(), words.begin(), words.end());
  call.in = descriptors.in;
  call.out = descriptors.out;
  call.err = descriptors.err;
  call.own_group = true;
  FP_TRY(pid, spawn(call));
  std::unique_ptr<RunningCommand> command(new RunningCommand());
  command->pid_ = pid;
  FP_TRY(watch,
         ProcessWatch::open(loop, pid, [raw = command.get(), ended = std::move(ended)](int status) {
           raw->pid_ = -1;
           ended(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
         }));
  command->watch_ = std::move(watch);
  return command;
}

RunningCommand::~RunningCommand() {
  kill();
}

void RunningCommand::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

}  // namespace fixpoint::node
