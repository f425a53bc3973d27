// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/pod_ranking.h"

#include "base/rfc3339.h"
#include "cluster/workloads/pod_state.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace fixpoint::cluster {
namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

// What the order looks at, read once for each pod.
struct Ranked {
  store::RecordRef pod;
  bool assigned = false;
  int phase = 0;
  bool ready = false;
  std::int64_t cost = 0;
  std::size_t neighbours = 0;
  std::optional<Instant> ready_at;
  std::int64_t restarts = 0;
  std::int64_t sidecar_restarts = 0;
  Instant created{};
  std::string_view uid;
};

int phase_rank(std::string_view phase) {
  if (phase == "Unknown") return 1;
  return phase == "Running" ? 2 : 0;
}

// Anything but a plain number costs nothing.
std::int64_t cost_of(json::View pod) {
  const auto text = kube::annotation_of(pod, kDeletionCost);
  std::int32_t cost = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), cost);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? cost : 0;
}

std::int64_t most_restarts(json::View statuses, const auto& counts) {
  std::int64_t most = 0;
  for (const json::View status : statuses.elements()) {
    if (counts(status.get("name").as_string())) {
      most = std::max(most, status.get("restartCount").as_int());
    }
  }
  return most;
}

bool is_sidecar(json::View pod, std::string_view name) {
  return std::ranges::any_of(pod.get("spec", "initContainers").elements(),
                             [&](json::View container) {
                               return container.get("name").as_string() == name &&
                                      container.get("restartPolicy").as_string() == "Always";
                             });
}

Ranked rank(const store::RecordRef& record, const std::map<std::string_view, std::size_t>& nodes) {
  const json::View pod = record->body;
  const auto node = pod.get("spec", "nodeName").as_string();
  const auto neighbours = nodes.find(node);
  const auto created = parse_rfc3339(kube::creation_timestamp_of(pod));
  return {.pod = record,
          .assigned = !node.empty(),
          .phase = phase_rank(phase_of(pod)),
          .ready = is_ready(pod),
          .cost = cost_of(pod),
          .neighbours = neighbours == nodes.end() ? 0 : neighbours->second,
          .ready_at = ready_since(pod),
          .restarts = most_restarts(pod.get("status", "containerStatuses"),
                                    [](std::string_view) { return true; }),
          .sidecar_restarts =
              most_restarts(pod.get("status", "initContainerStatuses"),
                            [&](std::string_view name) { return is_sidecar(pod, name); }),
          .created = created.value_or(Instant{}),
          .uid = kube::uid_of(pod)};
}

// Ages count by their order of magnitude, so that not always the youngest of many near equals goes.
int magnitude(Instant at, Instant now) {
  const auto age = (now - at).count();
  return age > 0 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(age))) - 1 : -1;
}

// 1 when `a` goes first, -1 when `b` does, 0 when they are of one moment.
int younger_first(const Ranked& a, const Ranked& b, Instant at_a, Instant at_b, Instant now) {
  if (at_a == at_b) return 0;
  if (at_a == Instant{} || at_b == Instant{}) return at_a == Instant{} ? 1 : -1;
  const int difference = magnitude(at_a, now) - magnitude(at_b, now);
  if (difference == 0) return a.uid < b.uid ? 1 : -1;
  return difference < 0 ? 1 : -1;
}

bool goes_before(const Ranked& a, const Ranked& b, Instant now) {
  const auto plain = [](const Ranked& pod) {
    return std::tuple{pod.assigned, pod.phase, pod.ready, pod.cost};
  };
  if (plain(a) != plain(b)) return plain(a) < plain(b);
  if (a.neighbours != b.neighbours) return a.neighbours > b.neighbours;
  if (a.ready && b.ready) {
    const int order =
        younger_first(a, b, a.ready_at.value_or(Instant{}), b.ready_at.value_or(Instant{}), now);
    if (order != 0) return order > 0;
  }
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  if (a.sidecar_restarts != b.sidecar_restarts) return a.sidecar_restarts > b.sidecar_restarts;
  return younger_first(a, b, a.created, b.created, now) > 0;
}

}  // namespace

std::vector<store::RecordRef> first_to_delete(std::vector<store::RecordRef> pods,
                                              const std::vector<store::RecordRef>& related,
                                              std::size_t count, Instant now) {
  if (count >= pods.size()) return pods;
  std::map<std::string_view, std::size_t> nodes;
  for (const auto& pod : related) {
    if (is_active(pod->body)) ++nodes[pod->body.get("spec", "nodeName").as_string()];
  }
  std::vector<Ranked> ranked;
  ranked.reserve(pods.size());
  for (const auto& pod : pods) ranked.push_back(rank(pod, nodes));
  std::ranges::stable_sort(
      ranked, [&](const Ranked& a, const Ranked& b) { return goes_before(a, b, now); });
  pods.clear();
  for (std::size_t i = 0; i < count; ++i) pods.push_back(std::move(ranked[i].pod));
  return pods;
}

}  // namespace fixpoint::cluster
