// SPDX-License-Identifier: Apache-2.0
//
// Mutants: a trial again and again, each time with one mistake (mutations.h), until a property
// notices.
#pragma once

#include "base/clock.h"
#include "verify/explorer/exploration.h"
#include "verify/mutant.h"
#include "verify/world/mutations.h"
#include "verify/world/scenario.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify::world {

struct HuntOptions {
  std::string scenario = {};  // empty: all
  std::string budget = {};    // changes that of each, as Budget::with
  ExploreOptions explore = {};
};

class MutantHunt {
 public:
  // `trial` outlives this. The budget is one, and the scenario there is.
  MutantHunt(const Trial& trial, const HuntOptions& options);

  // The trial with this mistake, from the smallest world to the largest until one notices. May be
  // called by several threads at once.
  Mutant hunt(const Mutation& mutation);
  // All of them, as many at a time as there are workers. When the time is up, what was not hunted
  // to its end is said to be so.
  using Tell = std::function<void(const Mutant&, std::size_t done, std::size_t all)>;
  std::vector<Mutant> hunt_all(const std::vector<Mutation>& mutations, const Tell& tell);

 private:
  struct Run {
    const Scenario* scenario;
    Budget budget;
    // Of the trial as it is; explored when first asked for.
    std::once_flag explored = {};
    std::uint64_t distinct = 0;
    std::uint64_t transitions = 0;
    std::uint64_t digest = 0;
  };

  // The mutant in one world, whose fate is noted; nothing when that settles it.
  std::optional<Exploration> explore_in(const Trial& trial, const Mutation& mutation,
                                        const Scenario& scenario, const Budget& budget,
                                        Mutant& mutant) const;
  // True when what was explored is what the trial as it is has.
  bool is_same(Run& run, const Exploration& explored);
  // For one exploration: what is left of the time.
  ExploreOptions options_now() const;

  const Trial& trial_;
  const HuntOptions asked_;
  ExploreOptions options_;
  SystemClock clock_;
  MonotonicInstant begin_;
  std::deque<Run> runs_;
};

}  // namespace fixpoint::verify::world
