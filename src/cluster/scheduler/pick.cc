// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/pick.h"

#include "cluster/scheduler/trial.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cluster::scheduler {
namespace {

// Up to this many nodes all are compared; beyond, a share that shrinks with their number.
constexpr std::size_t kComparedMin = 100;

std::size_t enough_of(std::size_t nodes) {
  if (nodes < kComparedMin) return nodes;
  const std::size_t percent = nodes / 125 >= 45 ? 5 : 50 - (nodes / 125);
  return std::max(kComparedMin, nodes * percent / 100);
}

using Histogram = std::map<std::string, std::size_t>;

// "3 of this, 1 of that", ordered as texts.
std::string to_text(const Histogram& reasons) {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : reasons) lines.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ", "));
}

struct Outcome {
  std::vector<Slot> fitting;
  Histogram reasons;
  std::size_t passing = 0;  // nodes that refused for reasons which pods leaving could lift
};

std::string preemption_text(const PodNeeds& needs, std::size_t nodes, std::size_t passing) {
  if (needs.never_preempts) return "preemption: not eligible due to preemptionPolicy=Never.";
  Histogram reasons;
  if (passing > 0) reasons["No preemption victims found for incoming pod"] = passing;
  if (passing < nodes) reasons["Preemption is not helpful for scheduling"] = nodes - passing;
  return fmt::format("preemption: 0/{} nodes are available: {}.", nodes, to_text(reasons));
}

Verdict nowhere(const PodNeeds& needs, std::size_t nodes, std::string_view reasons,
                std::size_t passing) {
  return {.node = {},
          .why = fmt::format("0/{} nodes are available: {}. {}", nodes, reasons,
                             preemption_text(needs, nodes, passing))};
}

// The nodes a pod is limited to by name, as the pods of a DaemonSet are; nothing when it is not.
std::optional<std::set<std::string>> named_nodes(const PodNeeds& needs) {
  if (!needs.required_nodes || needs.required_nodes->terms().empty()) return std::nullopt;
  std::set<std::string> names;
  for (const auto& term : needs.required_nodes->terms()) {
    const auto named = term.names();
    if (named.empty()) return std::nullopt;
    names.insert(named.begin(), named.end());
  }
  return names;
}

void try_node(const Trial& trial, Slot slot, Outcome& outcome) {
  const auto objection = trial.refused_by(slot);
  if (!objection) {
    outcome.fitting.push_back(slot);
    return;
  }
  for (const auto& reason : objection->reasons) ++outcome.reasons[reason];
  if (!objection->final) ++outcome.passing;
}

Outcome try_named(const Trial& trial, const Board& board, const std::set<std::string>& names) {
  Outcome outcome;
  std::size_t tried = 0;
  for (const auto& name : names) {
    const NodeState* node = board.find(name);
    if (node == nullptr) continue;
    ++tried;
    try_node(trial, static_cast<Slot>(node - board.slots().data()), outcome);
  }
  if (tried < board.nodes().size()) {
    outcome.reasons["node(s) didn't satisfy plugin(s) [NodeAffinity]"] +=
        board.nodes().size() - tried;
  }
  return outcome;
}

Outcome try_all(const Trial& trial, const Board& board, Turn& turn) {
  Outcome outcome;
  const auto& nodes = board.nodes();
  const std::size_t enough = enough_of(nodes.size());
  outcome.fitting.reserve(enough);
  const std::size_t first = turn.next % nodes.size();
  std::size_t tried = 0;
  while (tried < nodes.size() && outcome.fitting.size() < enough) {
    try_node(trial, nodes[(first + tried) % nodes.size()], outcome);
    ++tried;
  }
  // One further when all were tried: ties go round, too.
  turn.next = (first + (tried == nodes.size() ? 1 : tried)) % nodes.size();
  return outcome;
}

}  // namespace

Verdict pick(json::View pod, const VolumeNeeds& volumes, Board& board, Turn& turn) {
  const std::size_t nodes = board.nodes().size();
  if (nodes == 0) return {.node = {}, .why = "no nodes available to schedule pods"};
  const PodNeeds needs = PodNeeds::of(pod);
  if (!volumes.problem.empty()) return nowhere(needs, nodes, volumes.problem, 0);
  const Trial trial(needs, pod, board, volumes);
  const auto names = named_nodes(needs);
  const Outcome outcome = names ? try_named(trial, board, *names) : try_all(trial, board, turn);
  if (outcome.fitting.empty()) {
    return nowhere(needs, nodes, to_text(outcome.reasons), outcome.passing);
  }
  const auto scores = trial.scores(outcome.fitting);
  const auto best = std::ranges::max_element(scores) - scores.begin();
  return {.node = board.slots()[outcome.fitting[static_cast<std::size_t>(best)]].name, .why = {}};
}

}  // namespace fixpoint::cluster::scheduler
