// SPDX-License-Identifier: Apache-2.0
//
// ContainerProcess: the agent's hand on one run of a container, by way of its supervisor.
//
// Destroying it lets go of the supervisor without ending anything: that is what a restart of the
// agent looks like. Read next: supervisor.h, the other side.
#pragma once

#include "base/error.h"
#include "net/loop.h"
#include "node/process/child_process.h"
#include "node/process/run_spec.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace fixpoint::node {

struct ContainerHandlers {
  // Each at most once, from the loop. The program runs.
  std::function<void(Instant at)> started;
  // It ended, or (error in the file) never ran. Nothing left of it.
  std::function<void(const ExitFile& exit)> exited;
};

class ContainerProcess {
 public:
  // `program` is this binary, or another with the same hidden subcommand.
  static Result<std::unique_ptr<ContainerProcess>> start(net::Loop& loop,
                                                         const std::string& program,
                                                         const std::filesystem::path& directory,
                                                         const RunSpec& spec,
                                                         ContainerHandlers handlers);
  // A run that an earlier agent started: takes over what still runs, or tells how it ended.
  // NotFound when nobody knows how.
  static Result<std::unique_ptr<ContainerProcess>> adopt(net::Loop& loop,
                                                         const std::filesystem::path& directory,
                                                         ContainerHandlers handlers);
  ~ContainerProcess();
  ContainerProcess(const ContainerProcess&) = delete;
  ContainerProcess& operator=(const ContainerProcess&) = delete;

  void terminate();
  void kill();
  const std::filesystem::path& directory() const { return directory_; }
  // Its number; negative once it ended.
  int supervisor() const { return supervisor_; }

 private:
  class Report;
  ContainerProcess(net::Loop& loop, std::filesystem::path directory, ContainerHandlers handlers);
  Result<void> watch(int pid);
  void on_report(const std::string& line);
  void on_end();
  void await_start();
  void pay_commands();
  void command(std::string_view line);

  net::Loop& loop_;
  std::filesystem::path directory_;
  ContainerHandlers handlers_;
  int supervisor_ = -1;
  bool awaits_start_ = true;
  std::string owed_;  // commands for a supervisor that does not listen before it has started
  std::unique_ptr<ProcessWatch> watch_;
  std::unique_ptr<Report> report_;
  std::shared_ptr<ContainerProcess*> self_ = std::make_shared<ContainerProcess*>(this);
};

}  // namespace fixpoint::node
