// SPDX-License-Identifier: Apache-2.0
//
// ActionRun: carries out what a probe or a hook asks, once, within a time.
#pragma once

#include "net/client.h"
#include "net/loop.h"
#include "node/pod/probe.h"
#include "node/process/child_process.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace fixpoint::node {

struct ActionResult {
  bool success = false;
  std::string output;  // what the event says
};

// A command in a container: its output, bounded, and how it ended.
class CommandRun {
 public:
  // As kubelets do with probes' output.
  static constexpr std::size_t kOutputBytesMax = std::size_t{10} << 10U;
  struct End {
    int code = 0;
    bool timed_out = false;
    std::string output;
  };
  // `run` is the directory of the container's run.
  static Result<std::unique_ptr<CommandRun>> start(net::Loop& loop, const std::string& program,
                                                   const std::filesystem::path& run,
                                                   const std::vector<std::string>& words,
                                                   Duration timeout, std::function<void(End)> done);
  // Ends the command; nobody is called.
  ~CommandRun();

 private:
  class Output;
  explicit CommandRun(net::Loop& loop);
  void kill();
  void ended(int status);
  void finish_if_done();

  net::Loop& loop_;
  int pid_ = -1;
  End end_;
  bool exited_ = false;
  std::unique_ptr<ProcessWatch> watch_;
  std::unique_ptr<Output> output_;
  net::TimerId timer_;
  std::function<void(End)> done_;
};

class ActionRun {
 public:
  struct Setup {
    net::Loop& loop;
    std::string program;        // this binary
    std::filesystem::path run;  // of the container
  };
  using Done = std::function<void(ActionResult)>;
  // `done` once, from the loop, unless this is destroyed before.
  ActionRun(const Setup& setup, const Action& action, Duration timeout, Done done);
  ~ActionRun();
  ActionRun(const ActionRun&) = delete;
  ActionRun& operator=(const ActionRun&) = delete;

  // Nobody is called any more, not even with an answer that is on its way.
  void forget() { done_ = {}; }

 private:
  void http(const HttpAction& action, Duration timeout);
  void tcp(const HttpAction& action, Duration timeout);
  void exec(const Setup& setup, const Action& action, Duration timeout);
  void finish(bool success, std::string output);

  net::Loop& loop_;
  Done done_;
  net::TimerId timer_;
  std::shared_ptr<net::Connection> connection_;
  std::unique_ptr<CommandRun> command_;
  int status_ = 0;
  std::shared_ptr<ActionRun*> self_ = std::make_shared<ActionRun*>(this);
};

}  // namespace fixpoint::node
