// SPDX-License-Identifier: Apache-2.0
#include "verify/world/mutants.h"

#include "verify/explorer/crew.h"
#include "verify/world/search.h"
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

MutantHunt::MutantHunt(const Trial& trial, const HuntOptions& options)
    : trial_(trial), asked_(options), options_(options.explore), begin_(clock_.monotonic()) {
  const auto add = [&](const Scenario& scenario, const Budget& budget) {
    auto& run = runs_.emplace_back();
    run.scenario = &scenario;
    run.budget = budget;
  };
  std::vector<std::pair<const Scenario*, Budget>> chosen;
  for (const auto& scenario : trial.scenarios) {
    const bool named = options.scenario == scenario.name;
    if (!named && (!options.scenario.empty() || scenario.by_name_only)) continue;
    chosen.emplace_back(&scenario, scenario.budget.with(options.budget).value());
  }
  for (const auto& [scenario, budget] : chosen) {
    if (without_faults(budget) != budget) add(*scenario, without_faults(budget));
  }
  for (const auto& [scenario, budget] : chosen) add(*scenario, budget);
}

ExploreOptions MutantHunt::options_now() const {
  auto options = options_;
  if (options.time_limit) {
    options.time_limit = std::max(Duration{}, *options.time_limit - (clock_.monotonic() - begin_));
  }
  return options;
}

bool MutantHunt::is_same(Run& run, const Exploration& explored) {
  std::call_once(run.explored, [&] {
    // Twisted as well, for facts are part of a state.
    const Trial plain = with_operator(trial_, {});
    const World world{plain, *run.scenario, {.budget = run.budget}};
    const auto original = explore(world, options_now());
    run.distinct = original.complete() ? original.distinct : 0;
    run.transitions = original.transitions;
    run.digest = original.digest;
  });
  return run.distinct == explored.distinct && run.transitions == explored.transitions &&
         run.digest == explored.digest;
}

std::optional<Exploration> MutantHunt::explore_in(const Trial& trial, const Mutation& mutation,
                                                  const Scenario& scenario, const Budget& budget,
                                                  Mutant& mutant) const {
  auto until_first = options_now();
  until_first.stop_at_violation = true;
  const World world{
      trial, scenario, {.budget = budget, .rules = mutation.rules, .weakness = mutation.weakness}
  };
  auto explored = explore(world, until_first);
  mutant.states += explored.distinct;
  if (const Verdict* broken = first_broken(explored)) {
    mutant.scenario = scenario.name;
    mutant.property = broken->name;
    mutant.steps = steps_of(*broken);
    mutant.same = false;
    return std::nullopt;
  }
  mutant.complete = mutant.complete && explored.complete();
  return explored;
}

Mutant MutantHunt::hunt(const Mutation& mutation) {
  Mutant mutant{.group = mutation.group, .name = mutation.name};
  Trial trial = with_operator(trial_, mutation.twist);
  if (mutation.instead) trial.reconciler = twisted(mutation.instead, {});
  mutant.same = true;
  std::vector<Run*> order;
  for (auto& run : runs_) order.push_back(&run);
  std::ranges::stable_partition(
      order, [&](const Run* run) { return run->scenario->name == mutation.first_in; });
  const auto own = std::ranges::find(trial_.scenarios, mutation.first_in, &Scenario::name);
  const bool is_asked =
      own != trial_.scenarios.end() && (asked_.scenario.empty() || asked_.scenario == own->name);
  if (is_asked && (own->by_name_only || !mutation.budget.empty())) {
    const auto budget = own->budget.with(asked_.budget).value().with(mutation.budget).value();
    if (!explore_in(trial, mutation, *own, budget, mutant)) return mutant;
  }
  for (Run* const run : order) {
    const auto explored = explore_in(trial, mutation, *run->scenario, run->budget, mutant);
    if (!explored) return mutant;
    mutant.same = mutant.same && explored->complete() && is_same(*run, *explored);
    if (!explored->complete()) break;  // no time is left for the others
  }
  const auto why = trial_.explained.find(mutation.group + ": " + mutation.name);
  if (mutant.complete && why != trial_.explained.end()) mutant.explained = why->second;
  return mutant;
}

std::vector<Mutant> MutantHunt::hunt_all(const std::vector<Mutation>& mutations, const Tell& tell) {
  // Most of these worlds are small: one thread each, and several of them, wastes nothing.
  Crew crew{std::max(options_.workers, 1U)};
  options_.workers = 1;
  std::vector<Mutant> mutants(mutations.size());
  std::mutex telling;  // guards done
  std::size_t done = 0;
  crew.each(mutations.size(), [&](std::size_t at, unsigned) {
    mutants[at] = hunt(mutations[at]);
    const std::scoped_lock lock{telling};
    tell(mutants[at], ++done, mutations.size());
  });
  return mutants;
}

}  // namespace fixpoint::verify::world
