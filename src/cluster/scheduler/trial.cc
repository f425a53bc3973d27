// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/trial.h"

#include "kube/meta/metadata.h"

#include <algorithm>
#include <limits>

namespace fixpoint::cluster::scheduler {
namespace {

Objection final_objection(std::string reason) {
  return {.reasons = {std::move(reason)}, .final = true};
}

Objection passing_objection(std::string reason) {
  return {.reasons = {std::move(reason)}, .final = false};
}

bool keeps_pods_away(const nodes::Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

bool has_untolerated(const NodeState& node, const PodNeeds& needs) {
  return std::ranges::any_of(node.taints, [&](const auto& taint) {
    return keeps_pods_away(taint) && !nodes::tolerated(needs.tolerations, taint);
  });
}

bool tolerates_unschedulable(const PodNeeds& needs) {
  static const nodes::Taint kTaint{
      .key = std::string{nodes::kUnschedulableTaint}, .value = "", .effect = "NoSchedule"};
  return nodes::tolerated(needs.tolerations, kTaint);
}

}  // namespace

std::optional<std::uint32_t> Trial::Measured::at(Slot slot) const {
  const auto domain = domains->of_slot[slot];
  if (domain == Domains::kNone) return std::nullopt;
  return sums[static_cast<std::size_t>(domain)];
}

Trial::Trial(const PodNeeds& needs, json::View pod, Board& board, const VolumeNeeds& volumes)
    : needs_(needs), board_(board), volumes_(volumes) {
  measure_near();
  for (const auto& term : needs.away) away_.push_back(measure(term.topology_key, term.pods));
  for (const auto& one : needs.must_spread) must_spread_.push_back(measure_spread(one));
  for (const auto& one : needs.may_spread) may_spread_.push_back(measure_spread(one));
  for (const auto& term : needs.rather_near) {
    preferences_.emplace_back(measure(term.topology_key, term.pods), term.weight);
  }
  measure_held(pod);
  if (near_.empty()) return;
  const bool nobody = std::ranges::all_of(near_, [](const Measured& one) {
    return std::ranges::all_of(one.sums, [](auto count) { return count == 0; });
  });
  const json::View labels = board.namespace_labels(needs.ns);
  first_of_its_kind_ = nobody && std::ranges::all_of(needs.near, [&](const NearTerm& term) {
                         return term.pods.has(pod, labels);
                       });
}

Trial::Measured Trial::measure(std::string_view key, const PodSet& set) {
  const Domains& domains = board_.domains(key);
  return {.domains = &domains, .sums = domains.sum(board_.count(set))};
}

// A pod counts for required affinity only when it matches all terms at once.
void Trial::measure_near() {
  if (needs_.near.empty()) return;
  PodSet all = needs_.near.front().pods;
  for (const auto& term : needs_.near) {
    if (term.pods.identity == needs_.near.front().pods.identity) continue;
    all.also.push_back(term.pods);
    all.identity += " and " + term.pods.identity;
  }
  for (const auto& term : needs_.near) near_.push_back(measure(term.topology_key, all));
}

void Trial::measure_held(json::View pod) {
  for (const HeldTerm* held : board_.held_away(pod)) {
    const Domains& domains = board_.domains(held->term.topology_key);
    unwelcome_.push_back({.domains = &domains, .sums = domains.sum(held->holders)});
  }
  for (const HeldTerm* held : board_.held_preferences(pod)) {
    const Domains& domains = board_.domains(held->term.topology_key);
    preferences_.emplace_back(Measured{.domains = &domains, .sums = domains.sum(held->holders)},
                              held->term.weight);
  }
}

bool Trial::counts_for(const SpreadConstraint& constraint, const NodeState& node) const {
  if (constraint.honors_affinity && !needs_.matches_node(node.body)) return false;
  return !constraint.honors_taints || !has_untolerated(node, needs_);
}

Trial::Spread Trial::measure_spread(const SpreadConstraint& constraint) {
  const Domains& domains = board_.domains(constraint.topology_key);
  const Counts& counts = board_.count(constraint.pods);
  Spread spread{
      .constraint = &constraint,
      .measured = {.domains = &domains, .sums = Counts(domains.count, 0)}
  };
  std::vector<bool> counted(domains.count, false);
  const bool all_count =
      !constraint.honors_taints && needs_.node_labels.empty() && !needs_.required_nodes.has_value();
  for (const Slot slot : board_.nodes()) {
    const auto domain = domains.of_slot[slot];
    if (domain == Domains::kNone) continue;
    if (!all_count && !counts_for(constraint, board_.slots()[slot])) continue;
    const auto at = static_cast<std::size_t>(domain);
    counted[at] = true;
    spread.measured.sums[at] += counts[slot];
  }
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < domains.count; ++i) {
    if (!counted[i]) continue;
    ++spread.domains;
    fewest = std::min(fewest, spread.measured.sums[i]);
  }
  // With too few domains an empty one is imagined, so that pods wait for more of them.
  const bool enough = spread.domains >= static_cast<std::size_t>(constraint.min_domains);
  spread.fewest = enough && spread.domains > 0 ? fewest : 0;
  return spread;
}

std::optional<Objection> Trial::refused_by(Slot slot) const {
  const NodeState& node = board_.slots()[slot];
  if (node.unschedulable && !tolerates_unschedulable(needs_)) {
    return final_objection("node(s) were unschedulable");
  }
  if (auto objection = refused_by_taints(node)) return objection;
  if (!needs_.matches_node(node.body)) {
    return final_objection("node(s) didn't match Pod's node affinity/selector");
  }
  if (port_taken(node)) {
    return passing_objection("node(s) didn't have free ports for the requested pod ports");
  }
  if (auto objection = refused_by_amounts(node)) return objection;
  if (auto problems = volumes_.problems_on(node.body); !problems.empty()) {
    return Objection{.reasons = std::move(problems), .final = true};
  }
  if (auto objection = refused_by_spread(slot)) return objection;
  return refused_by_neighbours(slot);
}

std::optional<Objection> Trial::refused_by_taints(const NodeState& node) const {
  if (node.taints.empty() || !has_untolerated(node, needs_)) return std::nullopt;
  return final_objection("node(s) had untolerated taint(s)");
}

bool Trial::port_taken(const NodeState& node) const {
  return std::ranges::any_of(needs_.ports, [&](const HostPort& wanted) {
    return std::ranges::any_of(node.ports,
                               [&](const HostPort& used) { return wanted.collides(used); });
  });
}

std::optional<Objection> Trial::refused_by_amounts(const NodeState& node) const {
  Objection objection{.reasons = {}, .final = false};
  const auto check = [&](std::int64_t wanted, std::int64_t offered, std::int64_t used,
                         std::string_view name) {
    if (wanted <= 0 || wanted <= offered - used) return;
    objection.reasons.push_back("Insufficient " + std::string{name});
    // Not even an empty node of this size would do.
    objection.final = objection.final || wanted > offered;
  };
  if (node.pods + 1 > node.capacity.pods) objection.reasons.emplace_back("Too many pods");
  const Amounts& wanted = needs_.requests;
  const Amounts& offered = node.capacity.amounts;
  check(wanted.cpu_milli, offered.cpu_milli, node.requested.cpu_milli, "cpu");
  check(wanted.memory, offered.memory, node.requested.memory, "memory");
  check(wanted.storage, offered.storage, node.requested.storage, "ephemeral-storage");
  for (const auto& [name, amount] : wanted.others) {
    check(amount, offered.other(name), node.requested.other(name), name);
  }
  if (objection.reasons.empty()) return std::nullopt;
  return objection;
}

std::optional<Objection> Trial::refused_by_spread(Slot slot) const {
  for (const auto& spread : must_spread_) {
    const auto here = spread.measured.at(slot);
    if (!here) {
      return final_objection(
          "node(s) didn't match pod topology spread constraints (missing required label)");
    }
    const std::int64_t skew = std::int64_t{*here} + (spread.constraint->matches_itself ? 1 : 0) -
                              std::int64_t{spread.fewest};
    if (skew > spread.constraint->max_skew) {
      return passing_objection("node(s) didn't match pod topology spread constraints");
    }
  }
  return std::nullopt;
}

std::optional<Objection> Trial::refused_by_neighbours(Slot slot) const {
  const auto labelled = [&](const Measured& one) { return one.at(slot).has_value(); };
  const auto occupied = [&](const Measured& one) { return one.at(slot).value_or(0) > 0; };
  const bool near = std::ranges::all_of(near_, labelled) &&
                    (first_of_its_kind_ || std::ranges::all_of(near_, occupied));
  if (!near) return final_objection("node(s) didn't match pod affinity rules");
  if (std::ranges::any_of(away_, occupied)) {
    return passing_objection("node(s) didn't match pod anti-affinity rules");
  }
  if (std::ranges::any_of(unwelcome_, occupied)) {
    return passing_objection("node(s) didn't satisfy existing pods anti-affinity rules");
  }
  return std::nullopt;
}

}  // namespace fixpoint::cluster::scheduler
