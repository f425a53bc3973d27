// SPDX-License-Identifier: Apache-2.0
//
// What a simulated node makes of its pods: a pure script.
//
// No process runs. A pod becomes ready after a delay, ends when it is deleted, and can be told by
// annotations to be slow, to end, and to end badly; a node can be told to be down. What it pretends
// is what a kubelet would write into the pod's status.
#pragma once

#include "base/clock.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cluster::nodes {

// On a node: it is simulated; it is down ("true"), as if its power were cut.
inline constexpr std::string_view kSimulatedNode = "simulated.fixpoint.dev/node";
inline constexpr std::string_view kSimulatedDown = "simulated.fixpoint.dev/down";
// On a pod: how long it takes to become ready and, from then on, to end ("1m30s"); how it ends
// ("137", by default "0").
inline constexpr std::string_view kReadyAfter = "simulated.fixpoint.dev/ready-after";
inline constexpr std::string_view kEndsAfter = "simulated.fixpoint.dev/ends-after";
inline constexpr std::string_view kExitCode = "simulated.fixpoint.dev/exit-code";

bool is_simulated(json::View node);
bool is_down(json::View node);

// Nodes that `up` makes by itself. More would be more than Kubernetes itself is made for.
inline constexpr int kSimulatedNodesMax = 20'000;
struct SimulationOptions {
  int nodes = 0;
  Duration ready_after = Duration::zero();
  // How long the pods of Jobs run; others run until they are deleted.
  Duration jobs_run_for = std::chrono::seconds(1);
};

// The node by its number, from 0, as it registers itself.
json::Value simulated_node(int number, Instant now);

// What happens next to a pod on a simulated node that is up.
struct PodStep {
  enum class Kind : std::uint8_t { Nothing, Start, Recover, End, Restart, Remove };
  Kind kind = Kind::Nothing;
  Duration after = Duration::zero();  // from when the pod came into its present state
};
PodStep next_step(json::View pod, const SimulationOptions& options);

struct PodPlace {
  std::string_view host_ip;
  std::string_view pod_ip;
};
// The status after the step.
json::Value started_status(json::View pod, const PodPlace& place, Instant now);
json::Value ended_status(json::View pod, Instant now);
json::Value restarted_status(json::View pod, Instant now);
json::Value recovered_status(json::View pod, Instant now);
// The node with the conditions of one that is well; nothing when it has them.
std::optional<json::Value> recovered(json::View node, Instant now);

// The n-th address that simulated pods get.
inline constexpr std::uint32_t kPodAddresses = 1U << 22U;  // 10.64.0.0/10
std::string pod_address(std::uint32_t number);
std::optional<std::uint32_t> number_of_address(std::string_view address);

}  // namespace fixpoint::cluster::nodes
