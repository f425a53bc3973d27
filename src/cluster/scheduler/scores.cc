// SPDX-License-Identifier: Apache-2.0
//
// The second half of a trial: which of the nodes that will do is the best. Each measure is brought
// to 0 … 100 over the nodes in question and weighed as Kubernetes' default profile weighs it.
#include "cluster/scheduler/trial.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fixpoint::cluster::scheduler {
namespace {

constexpr std::int64_t kFull = 100;
constexpr std::int64_t kTaintWeight = 3;
constexpr std::int64_t kAffinityWeight = 2;
constexpr std::int64_t kSpreadWeight = 2;
constexpr std::int64_t kNeighbourWeight = 2;

double fraction(std::int64_t used, std::int64_t offered) {
  if (offered <= 0) return 1;
  return std::min(1.0, static_cast<double>(used) / static_cast<double>(offered));
}

// The most gets 100, none gets 0.
void add_most(std::vector<std::int64_t>& scores, const std::vector<std::int64_t>& raw,
              std::int64_t weight) {
  const auto most = std::ranges::max(raw);
  if (most == 0) return;
  for (std::size_t i = 0; i < raw.size(); ++i) scores[i] += weight * kFull * raw[i] / most;
}

// The fewest get 100.
void add_fewest(std::vector<std::int64_t>& scores, const std::vector<std::int64_t>& raw,
                std::int64_t weight) {
  const auto [least, most] = std::ranges::minmax(raw);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    scores[i] += weight * (most == 0 ? kFull : kFull * (most + least - raw[i]) / most);
  }
}

void add_between(std::vector<std::int64_t>& scores, const std::vector<std::int64_t>& raw,
                 std::int64_t weight) {
  const auto [least, most] = std::ranges::minmax(raw);
  if (least == most) return;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    scores[i] += weight * kFull * (raw[i] - least) / (most - least);
  }
}

}  // namespace

std::int64_t Trial::taint_score(const NodeState& node) const {
  return std::ranges::count_if(node.taints, [&](const auto& taint) {
    return taint.effect == "PreferNoSchedule" && !nodes::tolerated(needs_.tolerations, taint);
  });
}

std::int64_t Trial::affinity_score(const NodeState& node) const {
  std::int64_t sum = 0;
  for (const auto& [term, weight] : needs_.preferred_nodes) {
    if (term.matches(node.body)) sum += weight;
  }
  return sum;
}

// Room left, and cpu and memory used alike.
std::int64_t Trial::amount_score(const NodeState& node) const {
  const Amounts& offered = node.capacity.amounts;
  const double cpu = fraction(node.weight.cpu_milli + needs_.weight.cpu_milli, offered.cpu_milli);
  const double memory = fraction(node.weight.memory + needs_.weight.memory, offered.memory);
  const double left = (2 - cpu - memory) / 2;
  const bool asks = needs_.requests.cpu_milli > 0 || needs_.requests.memory > 0;
  if (!asks) return std::lround(left * kFull);
  const double used_cpu =
      fraction(node.requested.cpu_milli + needs_.requests.cpu_milli, offered.cpu_milli);
  const double used_memory =
      fraction(node.requested.memory + needs_.requests.memory, offered.memory);
  const double balance = 1 - (std::abs(used_cpu - used_memory) / 2);
  return std::lround(left * kFull) + std::lround(balance * kFull);
}

std::int64_t Trial::neighbour_score(Slot slot) const {
  std::int64_t sum = 0;
  for (const auto& [measured, weight] : preferences_) {
    sum += weight * std::int64_t{measured.at(slot).value_or(0)};
  }
  return sum;
}

// Few domains weigh less than many: one pod more in one of three zones matters less than one more
// on one of a thousand hosts.
double Trial::spread_score(Slot slot) const {
  double sum = 0;
  for (const auto& spread : may_spread_) {
    const auto here = spread.measured.at(slot);
    if (!here) continue;
    sum += static_cast<double>(*here) * std::log(static_cast<double>(spread.domains + 2)) +
           static_cast<double>(spread.constraint->max_skew - 1);
  }
  return sum;
}

std::vector<std::int64_t> Trial::scores(const std::vector<Slot>& fitting) const {
  std::vector<std::int64_t> scores(fitting.size(), 0);
  std::vector<std::int64_t> raw(fitting.size(), 0);
  const auto each = [&](const auto& measure) {
    for (std::size_t i = 0; i < fitting.size(); ++i) raw[i] = measure(fitting[i]);
  };
  const auto node = [&](Slot slot) -> const NodeState& { return board_.slots()[slot]; };
  each([&](Slot slot) { return taint_score(node(slot)); });
  add_fewest(scores, raw, kTaintWeight);
  if (!needs_.preferred_nodes.empty()) {
    each([&](Slot slot) { return affinity_score(node(slot)); });
    add_most(scores, raw, kAffinityWeight);
  }
  if (!may_spread_.empty()) {
    each([&](Slot slot) { return std::lround(spread_score(slot)); });
    add_fewest(scores, raw, kSpreadWeight);
  }
  if (!preferences_.empty()) {
    each([&](Slot slot) { return neighbour_score(slot); });
    add_between(scores, raw, kNeighbourWeight);
  }
  for (std::size_t i = 0; i < fitting.size(); ++i) scores[i] += amount_score(node(fitting[i]));
  return scores;
}

}  // namespace fixpoint::cluster::scheduler
