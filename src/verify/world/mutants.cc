// SPDX-License-Identifier: Apache-2.0
#include "verify/world/mutants.h"

#include "verify/explore.h"
#include "verify/world/world.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

constexpr std::array<std::string_view, runtime::kRuleCount> kNames{
    "FinalizerFirst",   "FinalizerUntilGone",    "DeletionWins",    "OnePassPerKey",
    "FencedByLease",    "InvalidCreatesNothing", "BoundToSnapshot", "NoAdoption",
    "DeleteByUid",      "LiveBeforeDelete",      "ReadOwnWrites",   "NeverBackInTime",
    "StatusFromFacts",  "QuietFixpoint",         "BoundedSteps",    "ErrorClasses",
    "IsolatedBranches", "EditWarGuard"};

// Of the properties that broke, the one with the shortest story.
const Verdict* first_broken(const Exploration& exploration) {
  const Verdict* first = nullptr;
  for (const auto& verdict : exploration.verdicts) {
    if (verdict.outcome != Outcome::Violated || !verdict.trace) continue;
    if (first == nullptr || verdict.trace->steps.size() < first->trace->steps.size()) {
      first = &verdict;
    }
  }
  return first;
}

}  // namespace

std::string to_string(runtime::Rule rule) {
  return std::string{kNames.at(static_cast<std::size_t>(rule))};
}

Mutant without(runtime::Rule rule, const Trial& trial, const ExploreOptions& options) {
  Mutant mutant{.name = "without " + to_string(rule)};
  auto until_first = options;
  until_first.stop_at_violation = true;
  for (const auto& scenario : trial.scenarios) {
    const World world{
        trial, scenario, {.budget = scenario.budget, .rules = runtime::Rules::without(rule)}
    };
    const auto explored = explore(world, until_first);
    mutant.states += explored.distinct;
    if (const Verdict* broken = first_broken(explored)) {
      mutant.scenario = scenario.name;
      mutant.property = broken->name;
      mutant.steps = broken->trace->steps.size();
      return mutant;
    }
    mutant.complete = mutant.complete && explored.complete();
  }
  return mutant;
}

std::vector<Mutant> rule_mutants(const Trial& trial, const ExploreOptions& options) {
  std::vector<Mutant> mutants;
  for (std::size_t at = 0; at < runtime::kRuleCount; ++at) {
    mutants.push_back(without(static_cast<runtime::Rule>(at), trial, options));
  }
  return mutants;
}

std::string to_text(const std::vector<Mutant>& mutants) {
  std::string text;
  for (const auto& mutant : mutants) {
    text += mutant.killed()
                ? fmt::format("{:<30} killed in {} steps by {}: {}\n", mutant.name, mutant.steps,
                              mutant.scenario, mutant.property)
                : fmt::format("{:<30} SURVIVED {} states{}\n", mutant.name, mutant.states,
                              mutant.complete ? "" : ", not all of them");
  }
  text += fmt::format("{} of {} killed\n", std::ranges::count_if(mutants, &Mutant::killed),
                      mutants.size());
  return text;
}

}  // namespace fixpoint::verify::world
