// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/canary.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fixpoint::operators::stellar {
namespace {

// A version is tried when another one runs already.
bool on_trial(const Spec& spec, const Facts& facts) {
  return spec.strategy && spec.strategy->type == StrategyType::Canary && !spec.suspended &&
         facts.workload.exists && !facts.workload.version.empty() &&
         facts.workload.version != spec.version;
}

TrialState judged(const Canary& wanted, const CanaryFacts& seen, TrialState state, Instant now) {
  if (seen.failing > wanted.max_error_rate || !seen.settled) {
    state.trial = Trial::Failed;
    state.why = seen.problem.empty() ? "its pods did not get ready" : seen.problem;
    return state;
  }
  state.since = now;
  if (++state.passed < wanted.success_threshold) return state;
  if (wanted.step_weight == 0 || state.weight >= wanted.max_weight) {
    state.trial = Trial::Passed;
    return state;
  }
  state.passed = 0;
  state.weight = std::min(state.weight + wanted.step_weight, wanted.max_weight);
  return state;
}

}  // namespace

TrialState trial_of(const Node& node, const Facts& facts, Instant now) {
  if (!on_trial(node.spec, facts)) return {};
  if (facts.rolled_back == node.spec.version) return {.trial = Trial::RolledBack};
  const auto wanted = node.spec.strategy->canary.value_or(Canary{});
  const auto& seen = facts.canary;
  if (!seen.exists || seen.version != node.spec.version) {
    return {.trial = Trial::Running, .weight = wanted.weight, .since = now};
  }
  TrialState state{.trial = Trial::Running,
                   .weight = seen.weight,
                   .passed = seen.passed,
                   .since = seen.since.value_or(now)};
  const bool due = now - state.since >= std::chrono::seconds(wanted.check_interval_seconds);
  // Whoever is still catching up has not been tried yet.
  if (!due || seen.catching_up) return state;
  return judged(wanted, seen, std::move(state), now);
}

std::int32_t canary_pods(std::int32_t beside, std::int32_t weight) {
  return std::max(1, (std::max(beside, 1) * weight + 99) / 100);
}

}  // namespace fixpoint::operators::stellar
