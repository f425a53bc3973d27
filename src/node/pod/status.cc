// SPDX-License-Identifier: Apache-2.0
#include "node/pod/status.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

using json::Draft;

constexpr std::array<std::string_view, 5> kOwnConditions{
    "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};

Draft terminated(const Exit& exit) {
  Draft out = Draft::object();
  out["exitCode"] = exit.code;
  if (!exit.reason.empty()) out["reason"] = exit.reason;
  if (!exit.message.empty()) out["message"] = exit.message;
  out["startedAt"] = exit.started ? Draft{format_seconds(*exit.started)} : Draft{};
  out["finishedAt"] = exit.finished ? Draft{format_seconds(*exit.finished)} : Draft{};
  if (!exit.id.empty()) out["containerID"] = exit.id;
  return Draft::object({
      {"terminated", std::move(out)}
  });
}

Draft waiting(const Waiting& why) {
  Draft out = Draft::object();
  out["reason"] = why.reason;
  if (!why.message.empty()) out["message"] = why.message;
  return Draft::object({
      {"waiting", std::move(out)}
  });
}

Draft running(Instant since) {
  return Draft::object({
      {"running", Draft::object({{"startedAt", format_seconds(since)}})}
  });
}

struct Shown {
  Draft state;
  std::optional<Exit> last;
  bool is_running = false;
  bool is_waiting = false;
  std::optional<Exit> ended;  // shown as terminated
};

class Teller {
 public:
  Teller(const PodFacts& facts, const PodPlan& plan, Instant now)
      : facts_(facts), plan_(plan), now_(now) {
    for (const auto& container : facts.containers) shown_.push_back(show(container));
  }

  json::Value run() {
    const std::string phase = phase_of();
    Draft status = Draft::object();
    status["phase"] = phase;
    put_reason(status, phase);
    status["hostIP"] = facts_.host_ip;
    status["hostIPs"] = Draft::array({
        Draft::object({{"ip", facts_.host_ip}}
        )
    });
    if (!facts_.ip.empty()) {
      status["podIP"] = facts_.ip;
      status["podIPs"] = Draft::array({
          Draft::object({{"ip", facts_.ip}}
          )
      });
    }
    if (facts_.acknowledged) status["startTime"] = format_seconds(*facts_.acknowledged);
    if (const auto generation = kube::generation_of(facts_.pod); generation > 0) {
      status["observedGeneration"] = generation;
    }
    for (std::size_t i = 0; i < facts_.containers.size(); ++i) {
      const bool regular = facts_.containers[i].role == Role::Regular;
      status.array_at(regular ? "containerStatuses" : "initContainerStatuses")
          .push_back(container_status(i));
    }
    status["conditions"] = conditions(phase);
    return status.freeze();
  }

 private:
  Shown show(const ContainerFacts& container) const {
    const bool any_init = !facts_.pod.get("spec", "initContainers").empty();
    Shown shown;
    shown.last = container.previous;
    if (container.state == State::Running) {
      shown.is_running = true;
      shown.state = running(container.started_at.value_or(now_));
      return shown;
    }
    if (container.state == State::Exited && container.exit) {
      if (auto why = waits_again(container)) {
        shown.is_waiting = true;
        shown.state = waiting(*why);
        shown.last = container.exit;
      } else {
        shown.state = terminated(*container.exit);
        shown.ended = container.exit;
      }
      return shown;
    }
    shown.is_waiting = true;
    shown.state = waiting(container.blocked.value_or(
        Waiting{any_init ? "PodInitializing" : "ContainerCreating", ""}));
    return shown;
  }

  // Ended and to be started again, but not yet.
  std::optional<Waiting> waits_again(const ContainerFacts& container) const {
    if (plan_.ending || !restarts(facts_, container)) return std::nullopt;
    if (container.role == Role::Init && container.exit->code == 0) return std::nullopt;
    if (container.blocked) return container.blocked;
    if (!backing_off_until(facts_, container, now_)) return std::nullopt;
    const auto wait = container.backoff.wait_after(*container.exit->finished);
    return Waiting{
        "CrashLoopBackOff",
        fmt::format("back-off {} restarting failed container={} pod={}", seconds_for_people(wait),
                    container.name, pod_name_for_people(facts_.pod))};
  }

  bool container_ready(const ContainerFacts& container) const {
    if (container.role == Role::Init) {
      return container.state == State::Exited && container.exit && container.exit->code == 0;
    }
    return container.started() && container.ready;
  }

  Draft container_status(std::size_t index) const {
    const auto& container = facts_.containers[index];
    const auto& shown = shown_[index];
    const json::View spec = container_spec(facts_.pod, container.name);
    Draft out = Draft::object();
    out["name"] = container.name;
    out["image"] = spec.get("image");
    out["imageID"] = container.image_id;
    out["restartCount"] = container.restarts;
    out["ready"] = container_ready(container);
    out["started"] = container.started();
    out["state"] = shown.state;
    out["lastState"] = shown.last ? terminated(*shown.last) : Draft::object();
    const auto& id = shown.ended                          ? shown.ended->id
                     : container.id.empty() && shown.last ? shown.last->id
                                                          : container.id;
    if (!id.empty()) out["containerID"] = id;
    if (container.state != State::Absent) {
      out["resources"] = spec.get("resources").is_null() ? Draft::object() : spec.get("resources");
      if (const json::View requests = spec.get("resources", "requests"); !requests.is_null()) {
        out["allocatedResources"] = requests;
      }
    }
    for (const json::View mount : spec.get("volumeMounts").elements()) {
      Draft one = Draft::object();
      one["name"] = mount.get("name");
      one["mountPath"] = mount.get("mountPath");
      if (mount.get("readOnly").as_bool()) {
        one["readOnly"] = true;
        one["recursiveReadOnly"] = "Disabled";
      }
      out.array_at("volumeMounts").push_back(std::move(one));
    }
    return out;
  }

  // A kubelet's rules, counted over what is shown.
  std::string phase_of() const {
    const auto was = facts_.pod.get("status", "phase").as_string();
    if (was == "Failed" || was == "Succeeded") return std::string{was};
    if (plan_.failure && plan_.ended) return "Failed";
    int pending_init = 0;
    int waits = 0;
    int runs = 0;
    int stopped = 0;
    int succeeded = 0;
    bool init_failed = false;
    const bool ready_to_run = initialized(facts_);
    for (std::size_t i = 0; i < facts_.containers.size(); ++i) {
      const auto& container = facts_.containers[i];
      const auto& shown = shown_[i];
      if (container.role == Role::Init) {
        const auto& end = shown.ended ? shown.ended : shown.last;
        if (shown.is_running || (shown.is_waiting && !shown.last)) ++pending_init;
        if (shown.ended && end->code != 0 && !restarts(facts_, container)) init_failed = true;
        if (!shown.is_running && end && end->code != 0 && !init_failed) ++pending_init;
      } else if (container.role == Role::Sidecar) {
        if (!ready_to_run && !container.started()) ++pending_init;
        if (shown.is_running && container.started()) ++runs;
      } else if (shown.is_running) {
        ++runs;
      } else if (shown.ended || shown.last) {
        ++stopped;
        if (shown.ended && shown.ended->code == 0) ++succeeded;
      } else {
        ++waits;
      }
    }
    if (init_failed) return "Failed";
    if (pending_init > 0 && !ready_to_run) return "Pending";
    if (waits > 0) return "Pending";
    if (runs > 0 || stopped == 0) return runs > 0 ? "Running" : "Pending";
    if (!plan_.ended) return "Running";
    return stopped == succeeded ? "Succeeded" : "Failed";
  }

  void put_reason(Draft& status, std::string_view phase) const {
    const auto keep = [&](std::string_view field) {
      const json::View old = facts_.pod.get("status", field);
      if (facts_.pod.get("status", "phase").as_string() == phase && !old.is_null()) {
        status[field] = old;
      }
    };
    if (plan_.failure && phase == "Failed") {
      status["reason"] = plan_.failure->reason;
      status["message"] = plan_.failure->message;
      return;
    }
    keep("reason");
    keep("message");
  }

  struct Verdict {
    bool holds = true;
    std::string reason = {};
    std::string message = {};
  };

  Draft condition(std::string_view type, const Verdict& verdict) const {
    const std::string_view status = verdict.holds ? "True" : "False";
    Draft out = Draft::object();
    out["type"] = type;
    out["status"] = status;
    if (!verdict.reason.empty()) out["reason"] = verdict.reason;
    if (!verdict.message.empty()) out["message"] = verdict.message;
    const json::View old = kube::condition_of(facts_.pod, type);
    const bool same = old.get("status").as_string() == status;
    out["lastProbeTime"] = Draft{};
    out["lastTransitionTime"] =
        same ? Draft{old.get("lastTransitionTime")} : Draft{format_seconds(now_)};
    if (const auto generation = kube::generation_of(facts_.pod); generation > 0) {
      out["observedGeneration"] = generation;
    }
    return out;
  }

  static std::string listed(std::string_view what, const std::vector<std::string>& names) {
    return fmt::format("containers with {} status: [{}]", what, fmt::join(names, " "));
  }

  Verdict initialized_verdict(std::string_view phase) const {
    if (phase == "Succeeded") return {true, "PodCompleted"};
    if (initialized(facts_)) return {};
    std::vector<std::string> incomplete;
    for (const auto& container : facts_.containers) {
      if (container.role == Role::Regular) continue;
      const bool done =
          container.role == Role::Init ? container_ready(container) : container.started();
      if (!done) incomplete.push_back(container.name);
    }
    return {false, "ContainersNotInitialized", listed("incomplete", incomplete)};
  }

  Verdict containers_verdict(std::string_view phase) const {
    if (phase == "Succeeded") return {false, "PodCompleted"};
    if (phase == "Failed") return {false, "PodFailed"};
    std::vector<std::string> unready;
    for (const auto& container : facts_.containers) {
      if (container.role != Role::Init && !container_ready(container)) {
        unready.push_back(container.name);
      }
    }
    if (unready.empty()) return {};
    return {false, "ContainersNotReady", listed("unready", unready)};
  }

  Verdict ready_verdict(std::string_view phase) const {
    auto verdict = containers_verdict(phase);
    if (!verdict.holds) return verdict;
    std::vector<std::string> closed;
    for (const json::View gate : facts_.pod.get("spec", "readinessGates").elements()) {
      const auto type = gate.get("conditionType").as_string();
      const json::View condition = kube::condition_of(facts_.pod, type);
      const auto status = condition.get("status").as_string();
      if (condition.is_null()) {
        closed.push_back(fmt::format(
            "corresponding condition of pod readiness gate \"{}\" does not exist.", type));
      } else if (status != "True") {
        closed.push_back(fmt::format(
            "the status of pod readiness gate \"{}\" is not \"True\", but {}", type, status));
      }
    }
    if (closed.empty()) return {};
    return {false, "ReadinessGatesNotReady", fmt::format("{}", fmt::join(closed, ", "))};
  }

  Draft conditions(std::string_view phase) const {
    const bool has_place = facts_.prepared && !plan_.ended;
    Draft out = Draft::array();
    out.push_back(condition("PodReadyToStartContainers", {has_place}));
    out.push_back(condition("Initialized", initialized_verdict(phase)));
    out.push_back(condition("Ready", ready_verdict(phase)));
    out.push_back(condition("ContainersReady", containers_verdict(phase)));
    out.push_back(condition("PodScheduled", {}));
    return out;
  }

  const PodFacts& facts_;
  const PodPlan& plan_;
  Instant now_;
  std::vector<Shown> shown_;
};

// Nulls, empty objects and absent members are one to the API, and come back as any of them.
Draft plain(json::View view) {
  if (view.is_array()) {
    Draft out = Draft::array();
    for (const json::View element : view.elements()) out.push_back(plain(element));
    return out;
  }
  if (!view.is_object()) return view;
  Draft out = Draft::object();
  for (const auto [key, value] : view.members()) {
    Draft member = plain(value);
    const bool empty = member.is_null() || (member.is_object() && member.empty());
    if (!empty) out[key] = std::move(member);
  }
  return out;
}

// Of the pod's conditions, those that are this node's, in its order.
Draft own_conditions(json::View pod) {
  Draft out = Draft::array();
  for (const auto type : kOwnConditions) {
    const json::View found = kube::condition_of(pod, type);
    if (!found.is_null()) out.push_back(plain(found));
  }
  return out;
}

}  // namespace

json::Value pod_status(const PodFacts& facts, const PodPlan& plan, Instant now) {
  return Teller(facts, plan, now).run();
}

json::Value status_patch(json::View pod, json::View status) {
  const json::View old = pod.get("status");
  Draft changed = Draft::object();
  for (const auto [key, value] : status.members()) {
    const Draft before = key == "conditions" ? own_conditions(pod) : plain(old.get(key));
    const bool same = before == plain(value);
    if (!same) changed[key] = value;
  }
  for (const std::string_view key : {"reason", "message"}) {
    if (!old.get(key).is_null() && status.get(key).is_null()) changed[key] = Draft{};
  }
  if (changed.empty()) return {};
  return Draft::object({
                           {"metadata", Draft::object({{"uid", kube::uid_of(pod)}})},
                           {"status",   std::move(changed)                         }
  })
      .freeze();
}

std::string pod_name_for_people(json::View pod) {
  return fmt::format("{}_{}({})", kube::name_of(pod), kube::namespace_of(pod), kube::uid_of(pod));
}

std::string seconds_for_people(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{}m{}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace fixpoint::node
