// SPDX-License-Identifier: Apache-2.0
#include "verify/world/mutants.h"

#include "verify/explore.h"
#include "verify/world/world.h"

#include <algorithm>
#include <utility>

namespace fixpoint::verify::world {
namespace {

// That something never happens has no story.
std::size_t steps_of(const Verdict& verdict) {
  return verdict.trace ? verdict.trace->steps.size() : 0;
}

// Of the properties that broke, the one with the shortest story.
const Verdict* first_broken(const Exploration& exploration) {
  const Verdict* first = nullptr;
  for (const auto& verdict : exploration.verdicts) {
    if (verdict.outcome != Outcome::Violated) continue;
    const bool shorter = first == nullptr || !first->trace ||
                         (verdict.trace && steps_of(verdict) < steps_of(*first));
    if (shorter) first = &verdict;
  }
  return first;
}

// Only what people do: most mistakes are seen in such a world, which is small.
Budget without_faults(const Budget& whole) {
  Budget budget;
  for (const auto trouble : {Trouble::Edit, Trouble::Foreign, Trouble::Flap}) {
    budget[trouble] = whole[trouble];
  }
  return budget;
}

Trial with_operator(const Trial& trial, Twist twist) {
  Trial made = trial;
  made.reconciler = twisted(trial.reconciler, std::move(twist));
  return made;
}

}  // namespace

MutantHunt::MutantHunt(const Trial& trial, ExploreOptions options)
    : trial_(trial), options_(std::move(options)) {
  for (const auto& scenario : trial.scenarios) {
    const auto calm = without_faults(scenario.budget);
    if (calm != scenario.budget) runs_.push_back({.scenario = &scenario, .budget = calm});
  }
  for (const auto& scenario : trial.scenarios) {
    runs_.push_back({.scenario = &scenario, .budget = scenario.budget});
  }
}

bool MutantHunt::is_same(Run& run, const Exploration& explored) {
  if (!std::exchange(run.known, true)) {
    // Twisted as well, for facts are part of a state.
    const Trial plain = with_operator(trial_, {});
    const World world{plain, *run.scenario, {.budget = run.budget}};
    const auto original = explore(world, options_);
    run.distinct = original.distinct;
    run.transitions = original.transitions;
    run.digest = original.digest;
  }
  return run.distinct == explored.distinct && run.transitions == explored.transitions &&
         run.digest == explored.digest;
}

Mutant MutantHunt::hunt(const Mutation& mutation) {
  Mutant mutant{.group = mutation.group, .name = mutation.name};
  auto until_first = options_;
  until_first.stop_at_violation = true;
  const Trial trial = with_operator(trial_, mutation.twist);
  mutant.same = true;
  for (auto& run : runs_) {
    const World world{
        trial,
        *run.scenario,
        {.budget = run.budget, .rules = mutation.rules, .weakness = mutation.weakness}
    };
    const auto explored = explore(world, until_first);
    mutant.states += explored.distinct;
    if (const Verdict* broken = first_broken(explored)) {
      mutant.scenario = run.scenario->name;
      mutant.property = broken->name;
      mutant.steps = steps_of(*broken);
      mutant.same = false;
      return mutant;
    }
    mutant.complete = mutant.complete && explored.complete();
    mutant.same = mutant.same && explored.complete() && is_same(run, explored);
  }
  const auto why = trial_.explained.find(mutation.group + ": " + mutation.name);
  if (why != trial_.explained.end()) mutant.explained = why->second;
  return mutant;
}

}  // namespace fixpoint::verify::world
