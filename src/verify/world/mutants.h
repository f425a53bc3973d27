// SPDX-License-Identifier: Apache-2.0
//
// Mutants: a trial again and again, each time with one mistake (mutations.h), until a property
// notices.
#pragma once

#include "verify/exploration.h"
#include "verify/mutant.h"
#include "verify/world/mutations.h"
#include "verify/world/scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::verify::world {

class MutantHunt {
 public:
  // `trial` outlives this. `budget`: instead of the scenarios' own.
  MutantHunt(const Trial& trial, ExploreOptions options);

  // The trial with this mistake, from the smallest world to the largest until one notices.
  Mutant hunt(const Mutation& mutation);

 private:
  struct Run {
    const Scenario* scenario;
    Budget budget;
    // Of the trial as it is; explored when first asked for.
    bool known = false;
    std::uint64_t distinct = 0;
    std::uint64_t transitions = 0;
    std::uint64_t digest = 0;
  };

  // True when what was explored is what the trial as it is has.
  bool is_same(Run& run, const Exploration& explored);

  const Trial& trial_;
  ExploreOptions options_;
  std::vector<Run> runs_;
};

}  // namespace fixpoint::verify::world
