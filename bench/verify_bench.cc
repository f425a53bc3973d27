// SPDX-License-Identifier: Apache-2.0
//
// How fast does the explorer go, and in how much memory? Two-phase commit, whose numbers are
// published for other checkers: a state is one word, so this is the cost of the bookkeeping alone.
// And operators in their worlds, where a state is a cluster and a process: the example, and one of
// ten children.
#include "bench/wide_trial.h"
#include "verify/models/search.h"
#include "verify/world/search.h"
#include "verify/world/world.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <benchmark/benchmark.h>

namespace greeting {
fixpoint::verify::world::Trial trial();
}

namespace fixpoint::verify {
namespace {

void tell(benchmark::State& state, const Exploration& last) {
  const auto distinct = static_cast<double>(last.distinct);
  state.counters["distinct"] = distinct;
  state.counters["distinct/s"] =
      benchmark::Counter(distinct, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["transitions/s"] = benchmark::Counter(
      static_cast<double>(last.transitions), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["B/state"] = static_cast<double>(last.visited_bytes) / distinct;
}

const std::map<unsigned, std::uint64_t> kPublished{
    {7,  296'448   },
    {8,  1'745'408 },
    {9,  10'340'352},
    {10, 61'515'776},
};

void two_phase_commit(benchmark::State& state) {
  const auto size = static_cast<unsigned>(state.range(0));
  Exploration last;
  for ([[maybe_unused]] auto _ : state) {
    last = explore(TwoPhase{size}, {.workers = static_cast<unsigned>(state.range(1))});
  }
  if (!last.complete() || last.distinct != kPublished.at(size)) {
    state.SkipWithError("not the published number of states");
    return;
  }
  tell(state, last);
}

void explore_world(benchmark::State& state, const world::Trial& trial,
                   const world::Scenario& scenario, std::string_view budget) {
  Exploration last;
  for ([[maybe_unused]] auto _ : state) {
    const world::World world{trial, scenario, {.budget = world::Budget{}.with(budget).value()}};
    last = explore(world, {.workers = static_cast<unsigned>(state.range(0))});
  }
  if (!last.complete()) {
    state.SkipWithError("not complete");
    return;
  }
  tell(state, last);
}

// The rate is of the time that the process had, whoever else uses the machine.
void example_operator(benchmark::State& state) {
  const auto trial = greeting::trial();
  const auto late = std::ranges::find(trial.scenarios, "late", &world::Scenario::name);
  explore_world(state, trial, *late, "edit=1,late=1,crash=1");
}

void ten_children(benchmark::State& state) {
  constexpr std::string_view kBudget = "edit=1,stale=1";
  const auto trial = bench::wide_trial(kBudget);
  explore_world(state, trial, trial.scenarios.front(), kBudget);
}

BENCHMARK(example_operator)
    ->ArgNames({"workers"})
    ->Arg(1)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(ten_children)
    ->ArgNames({"workers"})
    ->Arg(1)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(two_phase_commit)
    ->ArgNames({"managers", "workers"})
    ->Args({8, 1})
    ->Args({8, 2})
    ->Args({9, 1})
    ->Args({9, 2})
    ->Args({10, 1})
    ->Args({10, 2})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fixpoint::verify
