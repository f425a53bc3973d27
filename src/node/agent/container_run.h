// SPDX-License-Identifier: Apache-2.0
//
// ContainerRun: one container of a pod, its runs one after the other: processes, probes, stops.
//
// It writes down in ContainerFacts what happens and calls `changed`; what should happen is decided
// elsewhere (pod/plan.h). The facts of a container are also a file, so that a restarted agent knows
// how often it ran and how it ended.
#pragma once

#include "json/value.h"
#include "node/agent/host.h"
#include "node/pod/facts.h"
#include "node/pod/plan.h"
#include "node/pod/probe.h"
#include "node/process/action_run.h"
#include "node/process/container_process.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::node {

class ContainerRun {
 public:
  struct Setup {
    Host& host;
    // Of the pod at hand, which changes while this lives.
    std::function<json::View()> pod;
    std::function<std::string()> pod_ip;
    std::filesystem::path directory;  // of the container
    std::function<void()> changed;
  };
  ContainerRun(Setup setup, ContainerFacts& facts);
  ~ContainerRun();
  ContainerRun(const ContainerRun&) = delete;
  ContainerRun& operator=(const ContainerRun&) = delete;

  // The next run; nothing to run is a simulated one. The facts say how it goes.
  void start(std::optional<RunSpec> run, std::string image_id);
  // It cannot be started now, and why.
  void block(Waiting why);
  void stop(const StopStep& step);
  // Without grace.
  void kill();

  // What an earlier agent left: true when there was anything.
  bool adopt();

  // Of the run at hand, or of the one before it.
  std::filesystem::path run_directory() const { return directory(facts_.restarts); }
  std::filesystem::path log_file(int run) const;
  bool simulated() const { return simulated_; }
  // The supervisor of what runs now.
  std::optional<int> supervisor() const;
  void say(runtime::EventType type, std::string reason, std::string note) const;
  const ContainerFacts& facts() const { return facts_; }

 private:
  struct Probing {
    ProbeTrack track;
    std::unique_ptr<ActionRun> action;
    net::TimerId timer;
  };

  std::filesystem::path directory(int run) const;
  json::View spec() const { return container_spec(setup_.pod(), facts_.name); }
  ContainerHandlers handlers();
  void on_started(Instant at);
  void on_exited(const ExitFile& exit);
  std::string last_words(int code) const;
  void begin_probing();
  void ask(std::size_t index);
  void on_answer(std::size_t index, const ActionResult& result);
  void end_probing();
  void hook_then_terminate(Duration grace);
  void terminate();
  void save() const;
  void forget_old_runs() const;

  Setup setup_;
  ContainerFacts& facts_;
  std::unique_ptr<ContainerProcess> process_;
  bool simulated_ = false;
  net::TimerId simulation_;
  std::vector<Probing> probes_;
  std::unique_ptr<ActionRun> hook_;
  std::unique_ptr<ActionRun> post_start_;
  net::TimerId kill_timer_;
};

}  // namespace fixpoint::node
