// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/simulation.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/duration.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::cluster::nodes {
namespace {

using json::Draft;

constexpr std::string_view kWhyReady = "KubeletReady";

Draft condition(std::string_view type, std::string_view status, json::View pod, Instant now) {
  auto made = Draft::object({
      {"type",               type               },
      {"status",             status             },
      {"lastProbeTime",      Draft{}            },
      {"lastTransitionTime", format_seconds(now)}
  });
  if (const auto generation = kube::generation_of(pod); generation > 0) {
    made["observedGeneration"] = generation;
  }
  return made;
}

// The conditions of a pod by what they say; the scheduler's own stays as it is.
Draft conditions_of(json::View pod, std::string_view ready, std::string_view reason, Instant now) {
  auto conditions = Draft::array();
  for (const auto type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    const std::string_view name{type};
    const bool about_ready = name == "Ready" || name == "ContainersReady";
    auto made = condition(name, about_ready ? ready : "True", pod, now);
    if (about_ready && !reason.empty()) made["reason"] = reason;
    conditions.push_back(std::move(made));
  }
  conditions.push_back(kube::condition_of(pod, "PodScheduled"));
  return conditions;
}

struct ContainerState {
  Draft state;
  Draft last;
  bool ready = false;
  std::int64_t restarts = 0;
};

Draft container_status(json::View container, std::string_view pod_uid, ContainerState state) {
  const auto image = container.get("image").as_string();
  const bool ready = state.ready;
  return Draft::object({
      {"name", container.get("name")},
      {"image", image},
      {"imageID", ""},
      {"containerID", fmt::format("simulated://{}/{}", pod_uid, container.get("name").as_string())},
      {"ready", ready},
      {"started", ready},
      {"restartCount", state.restarts},
      {"state", std::move(state.state)},
      {"lastState", std::move(state.last)}
  });
}

Draft running_since(Instant now) {
  return Draft::object({
      {"running", Draft::object({{"startedAt", format_seconds(now)}})}
  });
}

Draft terminated(std::int64_t code, std::string_view began, Instant now) {
  return Draft::object({
      {"terminated", Draft::object({{"exitCode", code},
                                    {"reason", code == 0 ? "Completed" : "Error"},
                                    {"startedAt", began},
                                    {"finishedAt", format_seconds(now)}})}
  });
}

std::optional<Duration> duration_in(json::View pod, std::string_view annotation) {
  const auto text = kube::annotation_of(pod, annotation);
  if (text.empty()) return std::nullopt;
  const auto parsed = kube::parse_duration(text);
  if (!parsed || *parsed < Duration::zero()) return std::nullopt;
  return *parsed;
}

std::int64_t exit_code_of(json::View pod) {
  const auto text = kube::annotation_of(pod, kExitCode);
  std::int64_t code = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), code);
  return end.ec == std::errc{} && code >= 0 && code <= 255 ? code : 0;
}

bool is_of_a_job(json::View pod) {
  const auto owner = kube::controller_of(pod);
  return owner && owner->kind == "Job";
}

std::string_view began(json::View pod) {
  return pod.get("status", "containerStatuses")[0]
      .get("state", "running", "startedAt")
      .as_string(pod.get("status", "startTime").as_string());
}

bool restarts(json::View pod) {
  const auto policy = pod.get("spec", "restartPolicy").as_string();
  return policy == "Always" || (policy == "OnFailure" && exit_code_of(pod) != 0);
}

Draft init_statuses(json::View pod, Instant now) {
  auto statuses = Draft::array();
  for (const json::View container : pod.get("spec", "initContainers").elements()) {
    const bool sidecar = container.get("restartPolicy").as_string() == "Always";
    auto state = sidecar ? running_since(now) : terminated(0, format_seconds(now), now);
    statuses.push_back(container_status(
        container, kube::uid_of(pod),
        {.state = std::move(state), .last = Draft::object(), .ready = true, .restarts = 0}));
  }
  return statuses;
}

Draft node_conditions(Instant now) {
  const auto time = format_seconds(now);
  auto conditions = Draft::array();
  for (const auto type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    const bool ready = std::string_view{type} == "Ready";
    conditions.push_back(Draft::object({
        {"type",               type                                                                          },
        {"status",             ready ? "True" : "False"                                                      },
        {"reason",             ready ? std::string_view{kWhyReady} : std::string_view{"KubeletHasSufficient"}},
        {"message",            ready ? "simulated node is ready" : "simulated node has enough"               },
        {"lastHeartbeatTime",  time                                                                          },
        {"lastTransitionTime", time                                                                          }
    }));
  }
  return conditions;
}

}  // namespace

bool is_simulated(json::View node) {
  return kube::annotation_of(node, kSimulatedNode) == "true";
}

bool is_down(json::View node) {
  return kube::annotation_of(node, kSimulatedDown) == "true";
}

json::Value simulated_node(int number, Instant now) {
  const auto name = fmt::format("simulated-{}", number);
  auto amounts = Draft::object({
      {"cpu",               "32"   },
      {"memory",            "256Gi"},
      {"ephemeral-storage", "1Ti"  },
      {"pods",              "110"  }
  });
  const auto address =
      fmt::format("10.{}.{}.{}", (number + 1) >> 16, ((number + 1) >> 8) & 255, (number + 1) & 255);
  return Draft::object(
             {
                 {"metadata",
                  Draft::object({{"name", name},
                                 {"annotations", Draft::object({{kSimulatedNode, "true"}})},
                                 {"labels", Draft::object({{"kubernetes.io/hostname", name},
                                                           {"kubernetes.io/os", "linux"},
                                                           {"kubernetes.io/arch", "amd64"},
                                                           {"type", "simulated"}})}})},
                 {"spec",     Draft::object({{"providerID", "simulated://" + name}}) },
                 {"status",
                  Draft::object(
                      {{"capacity", amounts},
                       {"allocatable", amounts},
                       {"conditions", node_conditions(now)},
                       {"addresses",
                        Draft::array({Draft::object({{"type", "InternalIP"}, {"address", address}}),
                                      Draft::object({{"type", "Hostname"}, {"address", name}})})},
                       {"nodeInfo", Draft::object({{"architecture", "amd64"},
                                                   {"bootID", ""},
                                                   {"containerRuntimeVersion", "simulated"},
                                                   {"kernelVersion", "simulated"},
                                                   {"kubeProxyVersion", ""},
                                                   {"kubeletVersion", "simulated"},
                                                   {"machineID", ""},
                                                   {"operatingSystem", "linux"},
                                                   {"osImage", "simulated"},
                                                   {"systemUUID", ""}})}})           }
  })
      .freeze();
}

PodStep next_step(json::View pod, const SimulationOptions& options) {
  using Kind = PodStep::Kind;
  if (kube::being_deleted(pod)) return {.kind = Kind::Remove};
  const auto phase = pod.get("status", "phase").as_string();
  if (phase == "Pending") {
    return {.kind = Kind::Start,
            .after = duration_in(pod, kReadyAfter).value_or(options.ready_after)};
  }
  if (phase != "Running") return {};
  if (!kube::condition_is_true(pod, "Ready")) return {.kind = Kind::Recover};
  auto ends = duration_in(pod, kEndsAfter);
  if (!ends && is_of_a_job(pod)) ends = options.jobs_run_for;
  if (!ends) return {};
  return {.kind = restarts(pod) ? Kind::Restart : Kind::End, .after = *ends};
}

json::Value started_status(json::View pod, const PodPlace& place, Instant now) {
  auto containers = Draft::array();
  for (const json::View container : pod.get("spec", "containers").elements()) {
    containers.push_back(container_status(
        container, kube::uid_of(pod),
        {.state = running_since(now), .last = Draft::object(), .ready = true, .restarts = 0}));
  }
  Draft status{pod.get("status")};
  status["phase"] = "Running";
  status["conditions"] = conditions_of(pod, "True", {}, now);
  status["containerStatuses"] = std::move(containers);
  if (auto inits = init_statuses(pod, now); !inits.empty()) {
    status["initContainerStatuses"] = std::move(inits);
  }
  const bool on_host = pod.get("spec", "hostNetwork").as_bool();
  const auto address = on_host ? place.host_ip : place.pod_ip;
  status["hostIP"] = place.host_ip;
  status["hostIPs"] = Draft::array({
      Draft::object({{"ip", place.host_ip}}
      )
  });
  status["podIP"] = address;
  status["podIPs"] = Draft::array({
      Draft::object({{"ip", address}}
      )
  });
  status["startTime"] = format_seconds(now);
  if (const auto generation = kube::generation_of(pod); generation > 0) {
    status["observedGeneration"] = generation;
  }
  return status.freeze();
}

json::Value ended_status(json::View pod, Instant now) {
  const auto code = exit_code_of(pod);
  auto containers = Draft::array();
  for (const json::View container : pod.get("spec", "containers").elements()) {
    containers.push_back(container_status(container, kube::uid_of(pod),
                                          {.state = terminated(code, began(pod), now),
                                           .last = Draft::object(),
                                           .ready = false,
                                           .restarts = 0}));
  }
  Draft status{pod.get("status")};
  status["phase"] = code == 0 ? "Succeeded" : "Failed";
  status["conditions"] = conditions_of(pod, "False", code == 0 ? "PodCompleted" : "PodFailed", now);
  status["containerStatuses"] = std::move(containers);
  return status.freeze();
}

json::Value restarted_status(json::View pod, Instant now) {
  auto containers = Draft::array();
  std::size_t at = 0;
  for (const json::View container : pod.get("spec", "containers").elements()) {
    const auto before = pod.get("status", "containerStatuses")[at++].get("restartCount").as_int();
    containers.push_back(container_status(container, kube::uid_of(pod),
                                          {.state = running_since(now),
                                           .last = terminated(exit_code_of(pod), began(pod), now),
                                           .ready = true,
                                           .restarts = before + 1}));
  }
  Draft status{pod.get("status")};
  status["containerStatuses"] = std::move(containers);
  return status.freeze();
}

json::Value recovered_status(json::View pod, Instant now) {
  Draft status{pod.get("status")};
  status["conditions"] = conditions_of(pod, "True", {}, now);
  return status.freeze();
}

std::optional<json::Value> recovered(json::View node, Instant now) {
  if (kube::condition_is_true(node, "Ready")) return std::nullopt;
  Draft made{node};
  made.object_at("status")["conditions"] = node_conditions(now);
  return made.freeze();
}

std::string pod_address(std::uint32_t number) {
  return fmt::format("10.{}.{}.{}", 64 + (number >> 16U), (number >> 8U) & 255U, number & 255U);
}

std::optional<std::uint32_t> number_of_address(std::string_view address) {
  std::array<std::uint32_t, 4> parts{};
  const char* at = address.data();
  const char* end = at + address.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto read = std::from_chars(at, end, parts[i]);
    const bool last = i + 1 == parts.size();
    if (read.ec != std::errc{} || parts[i] > 255) return std::nullopt;
    if (last ? read.ptr != end : (read.ptr == end || *read.ptr != '.')) return std::nullopt;
    at = read.ptr + 1;
  }
  if (parts[0] != 10 || parts[1] < 64 || parts[1] > 127) return std::nullopt;
  return ((parts[1] - 64) << 16U) | (parts[2] << 8U) | parts[3];
}

}  // namespace fixpoint::cluster::nodes
