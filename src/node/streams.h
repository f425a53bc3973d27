// SPDX-License-Identifier: Apache-2.0
//
// Streams: what a kubelet's own server offers to `kubectl logs`, `exec`, `attach` and
// `port-forward`. The seam between whoever speaks HTTP and the agent.
//
// Logs come from here whole or followed. The other three need a place more than a stream:
// find_container says where a container is, RunningCommand runs something in it on descriptors of
// the caller's, its supervisor's socket (process/attach_hub.h) is what attaching is, and a port of
// the pod is a TCP connection to `pod_ip`. remote/ is who does all that for clients.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"
#include "kube/meta/metadata.h"
#include "net/loop.h"
#include "node/logs/log_reader.h"
#include "node/process/child_process.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

struct ContainerName {
  std::string pod_uid;
  std::string container;
};

struct LogRequest {
  ContainerName name;
  bool previous = false;
  bool follow = false;
  LogQuery query;
};

// A log being read. Destroying it ends that.
class LogStream {
 public:
  virtual ~LogStream() = default;
  // Calls `more` with what is there and, when following, with what comes, until `end`: the
  // container ended and all was told. Never from inside this call.
  virtual void run(std::function<void(std::string)> more, std::function<void()> end) = 0;
};

struct ContainerPlace {
  std::filesystem::path run;  // for RunningCommand, and with the socket for attaching
  std::string pod_ip;
  bool running = false;
  bool takes_input = false;
  bool input_once = false;  // which ends with the first who gives it
  bool terminal = false;
  std::string program;  // this binary
};

class Streams {
 public:
  virtual ~Streams() = default;
  // NotFound and Invalid with a kubelet's words.
  virtual Result<std::unique_ptr<LogStream>> open_log(const LogRequest& request) = 0;
  virtual Result<ContainerPlace> find_container(const ContainerName& name) const = 0;
  virtual bool has_pod(std::string_view uid) const = 0;
  // By name; null when there is none here.
  virtual json::Value find_pod(const kube::Key& key) const = 0;
};

// A command in a running container, on the caller's descriptors (a terminal's slave thrice, or
// pipes). Destroying it ends the command.
class RunningCommand {
 public:
  struct Descriptors {
    int in = -1;
    int out = -1;
    int err = -1;
  };
  // `ended` once, from the loop, with the exit code: 126 and 127 as shells have them.
  static Result<std::unique_ptr<RunningCommand>> start(net::Loop& loop, const ContainerPlace& place,
                                                       const std::vector<std::string>& words,
                                                       Descriptors descriptors,
                                                       std::function<void(int code)> ended);
  ~RunningCommand();
  // Its end is told as always.
  void kill();

 private:
  RunningCommand() = default;
  int pid_ = -1;
  std::unique_ptr<ProcessWatch> watch_;
};

}  // namespace fixpoint::node
