// SPDX-License-Identifier: Apache-2.0
#include "node/agent/container_run.h"

#include "base/file.h"
#include "kube/meta/metadata.h"
#include "node/agent/compose.h"
#include "node/agent/saved_facts.h"
#include "node/logs/log_reader.h"
#include "node/process/log_writer.h"
#include "node/volume/file_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;
using runtime::EventType;

constexpr std::size_t kLastWordsMax = 4'096;
// What of a log counts as last words.
constexpr std::size_t kLastLines = 80;
constexpr std::size_t kLastLogBytes = 2'048;
constexpr Duration kBlockedRetry = std::chrono::seconds(10);
constexpr Duration kPostStartMax = std::chrono::minutes(10);

std::string end_of(std::string text, std::size_t bytes_max) {
  if (text.size() > bytes_max) text.erase(0, text.size() - bytes_max);
  return text;
}

}  // namespace

ContainerRun::ContainerRun(Setup setup, ContainerFacts& facts)
    : setup_(std::move(setup)), facts_(facts) {}

ContainerRun::~ContainerRun() {
  end_probing();
  setup_.host.loop().cancel(simulation_);
  setup_.host.loop().cancel(kill_timer_);
}

fs::path ContainerRun::directory(int run) const {
  return setup_.directory / std::to_string(run);
}

fs::path ContainerRun::log_file(int run) const {
  return setup_.directory / fmt::format("{}.log", run);
}

std::optional<int> ContainerRun::supervisor() const {
  if (!process_ || facts_.state != State::Running || process_->supervisor() < 0) return {};
  return process_->supervisor();
}

void ContainerRun::say(EventType type, std::string reason, std::string note) const {
  const bool init = facts_.role != Role::Regular;
  const runtime::EmitStep event{
      .type = type, .reason = std::move(reason), .note = std::move(note), .action = "Run"};
  setup_.host.say(
      setup_.pod(), event,
      fmt::format("spec.{}{{{}}}", init ? "initContainers" : "containers", facts_.name));
}

void ContainerRun::block(Waiting why) {
  facts_.blocked = std::move(why);
  facts_.retry_at = setup_.host.now() + kBlockedRetry;
}

void ContainerRun::start(std::optional<RunSpec> run, std::string image_id) {
  const Instant now = setup_.host.now();
  if (facts_.state == State::Exited && facts_.exit) {
    facts_.backoff.started_again(facts_.exit->finished.value_or(now), now);
    facts_.previous = std::exchange(facts_.exit, std::nullopt);
    ++facts_.restarts;
  }
  forget_old_runs();
  facts_.blocked.reset();
  facts_.retry_at.reset();
  facts_.unhealthy.clear();
  facts_.startup_passed = false;
  facts_.ready = false;
  facts_.stopping = false;
  facts_.image_id = std::move(image_id);
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:016x}", setup_.host.rng().next());
  facts_.id = "fixpoint://" + id;
  facts_.state = State::Starting;
  simulated_ = !run.has_value();
  save();
  if (simulated_) {
    say(EventType::Normal, "Simulated",
        fmt::format("Container image \"{}\" has no local program: the container is simulated",
                    container_spec(setup_.pod(), facts_.name).get("image").as_string()));
    simulation_ = setup_.host.loop().after(setup_.host.options().simulated_delay,
                                           [this] { on_started(setup_.host.now()); });
    return;
  }
  if (facts_.image_id.starts_with(kStandInImage)) {
    say(EventType::Normal, "StandIn",
        fmt::format(
            "Container image \"{}\" is not here: the container has the stand-in of {} instead (see "
            "'fixpoint sim --help')",
            container_spec(setup_.pod(), facts_.name).get("image").as_string(),
            facts_.image_id.substr(kStandInImage.size())));
  }
  run->id = facts_.id;
  // The old words are not this run's.
  if (auto ok = write_whole_file(last_words_file(setup_.directory), "", 0666); !ok) {
    setup_.host.log().warn("cannot empty a container's last words",
                           {
                               {"why", ok.error().message}
    });
  }
  auto process = ContainerProcess::start(setup_.host.loop(), setup_.host.options().program,
                                         run_directory(), *run, handlers());
  say(EventType::Normal, "Created", "Created container: " + facts_.name);
  if (!process) {
    return on_exited(
        {.code = 128, .error = process.error().message, .started = std::nullopt, .finished = now});
  }
  process_ = *std::move(process);
}

ContainerHandlers ContainerRun::handlers() {
  return {.started = [this](Instant at) { on_started(at); },
          .exited = [this](const ExitFile& exit) { on_exited(exit); }};
}

void ContainerRun::on_started(Instant at) {
  const bool fresh = facts_.state == State::Starting;
  facts_.state = State::Running;
  facts_.started_at = at;
  if (fresh) say(EventType::Normal, "Started", "Started container " + facts_.name);
  begin_probing();
  const json::View hook = spec().get("lifecycle", "postStart");
  const auto action = action_of(hook, spec(), setup_.pod_ip());
  if (fresh && action && action->kind != Action::Kind::None && !simulated_) {
    post_start_ = std::make_unique<ActionRun>(
        ActionRun::Setup{setup_.host.loop(), setup_.host.options().program, run_directory()},
        *action, kPostStartMax, [this](const ActionResult& result) {
          if (result.success) return;
          say(EventType::Warning, "FailedPostStartHook", "PostStartHook failed");
          facts_.unhealthy = "FailedPostStartHook";
          setup_.changed();
        });
  }
  save();
  setup_.changed();
}

void ContainerRun::on_exited(const ExitFile& exit) {
  end_probing();
  setup_.host.loop().cancel(kill_timer_);
  setup_.host.loop().cancel(simulation_);
  hook_.reset();
  post_start_.reset();
  Exit end;
  end.code = exit.code;
  end.started = exit.started ? exit.started : facts_.started_at;
  end.finished = exit.finished;
  end.id = facts_.id;
  if (!exit.error.empty()) {
    end.reason = "StartError";
    end.message = exit.error;
    say(EventType::Warning, "Failed", "Error: " + exit.error);
    facts_.blocked = Waiting{"RunContainerError", exit.error};
  } else {
    end.reason = exit.out_of_memory ? "OOMKilled" : exit.code == 0 ? "Completed" : "Error";
    end.message = last_words(exit.code);
  }
  facts_.exit = std::move(end);
  facts_.state = State::Exited;
  facts_.started_at.reset();
  facts_.ready = false;
  facts_.startup_passed = false;
  facts_.unhealthy.clear();
  facts_.stopping = false;
  save();
  // Its handler is what runs now.
  setup_.host.loop().post([process = std::move(process_)] {});
  setup_.changed();
}

std::string ContainerRun::last_words(int code) const {
  if (auto text = read_file(last_words_file(setup_.directory)); text && !text->empty()) {
    return end_of(*std::move(text), kLastWordsMax);
  }
  const auto policy = spec().get("terminationMessagePolicy").as_string();
  if (policy != "FallbackToLogsOnError" || code == 0) return {};
  LogQuery query;
  query.tail_lines = kLastLines;
  return end_of(read_log(log_file(facts_.restarts), query), kLastLogBytes);
}

bool ContainerRun::adopt() {
  auto saved = load_facts(setup_.directory, facts_);
  if (!saved) return false;
  if (!facts_.active()) return true;
  facts_.started_at.reset();
  auto process = ContainerProcess::adopt(setup_.host.loop(), run_directory(), handlers());
  if (process) {
    facts_.state = State::Running;  // until it says otherwise, in a moment
    process_ = *std::move(process);
    return true;
  }
  if (facts_.image_id.ends_with("simulated")) {
    simulated_ = true;
    simulation_ = setup_.host.loop().after({}, [this] { on_started(setup_.host.now()); });
    return true;
  }
  facts_.state = State::Exited;
  facts_.exit = Exit{.code = 137,
                     .reason = "ContainerStatusUnknown",
                     .message = "The container could not be located when the pod was terminated",
                     .started = std::nullopt,
                     .finished = setup_.host.now(),
                     .id = facts_.id};
  save();
  return true;
}

void ContainerRun::begin_probing() {
  end_probing();
  for (const auto kind : {ProbeKind::Startup, ProbeKind::Readiness, ProbeKind::Liveness}) {
    const auto probe = simulated_ ? std::nullopt : ProbeSpec::of(spec(), kind);
    if (kind == ProbeKind::Startup) facts_.startup_passed = !probe;
    if (kind == ProbeKind::Readiness) facts_.ready = !probe;
    if (probe) probes_.push_back({ProbeTrack(*probe), nullptr, {}});
  }
  const Duration ran = setup_.host.now() - facts_.started_at.value_or(setup_.host.now());
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const Duration wait = std::max(probes_[i].track.spec().initial_delay - ran, Duration{});
    probes_[i].timer = setup_.host.loop().after(wait, [this, i] { ask(i); });
  }
}

void ContainerRun::end_probing() {
  for (auto& probe : probes_) {
    setup_.host.loop().cancel(probe.timer);
    if (probe.action) probe.action->forget();
  }
  // An answer may be what brought us here.
  setup_.host.loop().post([old = std::move(probes_)] {});
  probes_.clear();
}

void ContainerRun::ask(std::size_t index) {
  auto& probe = probes_[index];
  const auto& spec_of_probe = probe.track.spec();
  probe.timer = setup_.host.loop().after(spec_of_probe.period, [this, index] { ask(index); });
  const bool startup = spec_of_probe.kind == ProbeKind::Startup;
  // One at a time; the startup probe until it passed, the others from then on.
  if (probe.action || startup == facts_.startup_passed || facts_.stopping) return;
  const std::string_view field = startup                                     ? "startupProbe"
                                 : spec_of_probe.kind == ProbeKind::Liveness ? "livenessProbe"
                                                                             : "readinessProbe";
  const auto action = action_of(spec().get(field), spec(), setup_.pod_ip());
  if (!action) {
    // Asking makes no sense, so there is no answer to count: it goes on as it was.
    return say(EventType::Warning, "Unhealthy",
               fmt::format("{} probe errored and resulted in unknown state: {}",
                           to_string(spec_of_probe.kind), action.error().message));
  }
  probe.action = std::make_unique<ActionRun>(
      ActionRun::Setup{setup_.host.loop(), setup_.host.options().program, run_directory()}, *action,
      spec_of_probe.timeout,
      [this, index](const ActionResult& result) { on_answer(index, result); });
}

void ContainerRun::on_answer(std::size_t index, const ActionResult& result) {
  auto& probe = probes_[index];
  setup_.host.loop().post([old = std::move(probe.action)] {});
  const auto kind = probe.track.spec().kind;
  if (!result.success) {
    say(EventType::Warning, "Unhealthy",
        fmt::format("{} probe failed: {}", to_string(kind), result.output));
  }
  if (!probe.track.answered(result.success)) return;
  if (kind == ProbeKind::Readiness) facts_.ready = probe.track.passing();
  if (kind == ProbeKind::Startup && probe.track.passing()) {
    facts_.startup_passed = true;
    // The others have waited for this.
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      if (i == index) continue;
      setup_.host.loop().cancel(probes_[i].timer);
      probes_[i].timer = setup_.host.loop().after({}, [this, i] { ask(i); });
    }
  }
  if (probe.track.given_up() && facts_.unhealthy.empty()) {
    facts_.unhealthy = fmt::format("Container {} failed {} probe, will be restarted", facts_.name,
                                   kind == ProbeKind::Startup ? "startup" : "liveness");
  }
  setup_.changed();
}

void ContainerRun::stop(const StopStep& step) {
  if (facts_.stopping || !facts_.active()) return;
  facts_.stopping = true;
  say(EventType::Normal, "Killing", step.message);
  if (simulated_) {
    setup_.host.loop().cancel(simulation_);
    simulation_ = setup_.host.loop().after({}, [this] {
      on_exited({.code = 0, .error = {}, .started = std::nullopt, .finished = setup_.host.now()});
    });
    return;
  }
  if (step.grace <= Duration{}) return kill();
  kill_timer_ = setup_.host.loop().after(step.grace, [this] { kill(); });
  hook_then_terminate(step.grace);
}

void ContainerRun::hook_then_terminate(Duration grace) {
  const auto action = action_of(spec().get("lifecycle", "preStop"), spec(), setup_.pod_ip());
  if (facts_.state != State::Running || !action || action->kind == Action::Kind::None) {
    return terminate();
  }
  hook_ = std::make_unique<ActionRun>(
      ActionRun::Setup{setup_.host.loop(), setup_.host.options().program, run_directory()}, *action,
      grace, [this](const ActionResult& result) {
        if (!result.success) say(EventType::Warning, "FailedPreStopHook", "PreStopHook failed");
        terminate();
      });
}

void ContainerRun::terminate() {
  if (process_) process_->terminate();
}

void ContainerRun::kill() {
  if (process_) return process_->kill();
  if (simulated_ && facts_.active()) {
    on_exited({.code = 137, .error = {}, .started = std::nullopt, .finished = setup_.host.now()});
  }
}

void ContainerRun::save() const {
  if (auto ok = save_facts(setup_.directory, facts_); !ok) {
    setup_.host.log().warn("cannot keep a container's state", {
                                                                  {"why", ok.error().message}
    });
  }
}

// The run before this one is kept for `kubectl logs --previous`.
void ContainerRun::forget_old_runs() const {
  const int old = facts_.restarts - 2;
  if (old < 0) return;
  std::error_code ignored;  // what is left of it goes with the pod
  fs::remove_all(directory(old), ignored);
  fs::remove(log_file(old), ignored);
  fs::remove(rotated_log(log_file(old)), ignored);
}

}  // namespace fixpoint::node
