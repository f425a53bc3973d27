// SPDX-License-Identifier: Apache-2.0
//
// Pods: the status column sums up phase, reasons, init containers and deletion the way people know
// it.
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"
#include "kube/scalars/duration.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

// What the containers add up to.
struct Summary {
  std::string reason;
  std::int64_t ready = 0;
  std::int64_t total = 0;
  std::int64_t restarts = 0;
  std::string last_restart;  // RFC 3339; canonical times compare as text
};

// A sidecar: an init container that stays up.
bool restartable(View pod, std::string_view init_container) {
  for (const View container : pod.get("spec", "initContainers").elements()) {
    if (container.get("name").as_string() == init_container) {
      return container.get("restartPolicy").as_string() == "Always";
    }
  }
  return false;
}

void count_restarts(View status, Summary& summary) {
  summary.restarts += status.get("restartCount").as_int();
  const auto finished = status.get("lastState", "terminated", "finishedAt").as_string();
  if (finished > summary.last_restart) summary.last_restart = finished;
}

// "Signal:9", "ExitCode:1", or the reason itself.
std::string termination(View terminated) {
  if (const auto reason = terminated.get("reason").as_string(); !reason.empty())
    return std::string{reason};
  if (const auto signal = terminated.get("signal").as_int(); signal != 0) {
    return fmt::format("Signal:{}", signal);
  }
  return fmt::format("ExitCode:{}", terminated.get("exitCode").as_int());
}

// The reason an init container holds the pod up with, or nothing if it does not.
std::string init_reason(View pod, View status, std::size_t index) {
  const View terminated = status.get("state", "terminated");
  if (!terminated.is_null()) return "Init:" + termination(terminated);
  const auto waiting = status.get("state", "waiting", "reason").as_string();
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string{waiting};
  return fmt::format("Init:{}/{}", index, pod.get("spec", "initContainers").size());
}

struct InitSummary {
  bool initializing = false;
  Summary all;       // every init container looked at
  Summary sidecars;  // those that stay up
};

InitSummary summarize_init(View pod) {
  InitSummary made;
  std::size_t index = 0;
  for (const View status : pod.get("status", "initContainerStatuses").elements()) {
    const bool sidecar = restartable(pod, status.get("name").as_string());
    count_restarts(status, made.all);
    if (sidecar) count_restarts(status, made.sidecars);
    const View terminated = status.get("state", "terminated");
    const bool succeeded = !terminated.is_null() && terminated.get("exitCode").as_int() == 0;
    const bool up = sidecar && status.get("started").as_bool();
    if (succeeded || up) {
      if (!succeeded && status.get("ready").as_bool()) ++made.sidecars.ready;
      ++index;
      continue;
    }
    made.all.reason = init_reason(pod, status, index);
    made.initializing = true;
    break;
  }
  return made;
}

void summarize_containers(View pod, Summary& summary) {
  bool running = false;
  const View statuses = pod.get("status", "containerStatuses");
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const View status = statuses[i];
    count_restarts(status, summary);
    const auto waiting = status.get("state", "waiting", "reason").as_string();
    const View terminated = status.get("state", "terminated");
    if (!waiting.empty()) {
      summary.reason = waiting;
    } else if (!terminated.is_null()) {
      summary.reason = termination(terminated);
    } else if (status.get("ready").as_bool() && !status.get("state", "running").is_null()) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason == "Completed" && running) {
    summary.reason =
        condition_true(pod.get("status", "conditions"), "Ready") ? "Running" : "NotReady";
  }
}

std::string reason_of_phase(View pod) {
  for (const View one : pod.get("status", "conditions").elements()) {
    if (one.get("type").as_string() == "PodScheduled" &&
        one.get("reason").as_string() == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  return or_else(pod.get("status", "reason"), pod.get("status", "phase").as_string());
}

std::string reason_when_deleted(View pod, std::string reason) {
  if (pod.get("metadata", "deletionTimestamp").is_null()) return reason;
  if (pod.get("status", "reason").as_string() == "NodeLost") return "Unknown";
  const auto phase = pod.get("status", "phase").as_string();
  return phase == "Succeeded" || phase == "Failed" ? reason : "Terminating";
}

Summary summarize(View pod) {
  auto init = summarize_init(pod);
  const bool initialized = condition_true(pod.get("status", "conditions"), "Initialized");
  Summary made;
  if (init.initializing && !initialized) {
    made = init.all;
    made.ready = init.sidecars.ready;
  } else {
    made = init.sidecars;
    made.reason = init.initializing ? init.all.reason : reason_of_phase(pod);
    summarize_containers(pod, made);
  }
  made.total = static_cast<std::int64_t>(pod.get("spec", "containers").size());
  for (const View container : pod.get("spec", "initContainers").elements()) {
    if (container.get("restartPolicy").as_string() == "Always") ++made.total;
  }
  made.reason = reason_when_deleted(pod, std::move(made.reason));
  return made;
}

std::string restarts_text(const Summary& summary, Instant now) {
  if (summary.restarts == 0 || summary.last_restart.empty())
    return fmt::format("{}", summary.restarts);
  return fmt::format("{} ({} ago)", summary.restarts, kube::age(summary.last_restart, now));
}

std::string readiness_gates(View pod) {
  const View gates = pod.get("spec", "readinessGates");
  if (gates.empty()) return std::string{kNone};
  std::int64_t met = 0;
  for (const View gate : gates.elements()) {
    met += condition_true(pod.get("status", "conditions"), gate.get("conditionType").as_string())
               ? 1
               : 0;
  }
  return ratio(met, static_cast<std::int64_t>(gates.size()));
}

Cells pod_cells(View pod, Instant now) {
  const auto summary = summarize(pod);
  return {name_cell(pod),
          Draft{ratio(summary.ready, summary.total)},
          Draft{summary.reason},
          Draft{restarts_text(summary, now)},
          age_cell(pod, now),
          Draft{or_else(pod.get("status", "podIPs")[0].get("ip"), kNone)},
          Draft{or_else(pod.get("spec", "nodeName"), kNone)},
          Draft{or_else(pod.get("status", "nominatedNodeName"), kNone)},
          Draft{readiness_gates(pod)}};
}

Cells pod_template_cells(View object, Instant) {
  const View pod = object.get("template");
  return {name_cell(object), Draft{container_names(pod.get("spec"))},
          Draft{container_images(pod.get("spec"))},
          Draft{labels_text(pod.get("metadata", "labels"))}};
}

constexpr Printer kPodPrinters[] = {
    {"", "Pod",         "Name,Ready,Status,Restarts,Age,*IP,*Node,*Nominated Node,*Readiness Gates",
     pod_cells                                                                                                         },
    {"", "PodTemplate", "Name,Containers,Images,Pod Labels",                                         pod_template_cells},
};

}  // namespace

std::span<const Printer> pod_printers() {
  return kPodPrinters;
}

}  // namespace fixpoint::kinds
