// SPDX-License-Identifier: Apache-2.0
//
// Mutant: a subject with one mistake in it, and whether anybody noticed. A checker that finds
// nothing then has proved nothing before.
#pragma once

#include "json/value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::verify {

struct Mutant {
  std::string group = {};  // what was changed: "plan", "rules of the API"
  std::string name;        // how
  // Where it was noticed first; empty: nowhere.
  std::string scenario = {};
  std::string property = {};
  std::size_t steps = 0;     // of the counterexample
  std::uint64_t states = 0;  // that were looked at
  bool complete = true;      // nothing was left out by those who noticed nothing
  // Exactly the states of the original were reached: nobody could tell them apart.
  bool same = false;
  // Why it was not noticed although it differs, as its author says.
  std::string explained = {};

  bool killed() const { return !property.empty(); }
  bool open() const { return !killed() && !same && explained.empty(); }
};

struct MutantScore {
  std::size_t killed = 0;
  std::size_t same = 0;
  std::size_t explained = 0;
  std::size_t open = 0;
  std::size_t unfinished = 0;  // of the open: there was no time to look everywhere

  std::size_t total() const { return killed + same + explained + open; }
  // Of those that reach other states than the original, in per cent; and of those of them that are
  // not as good as the original.
  double percent() const;
  double percent_of_wrong() const;
};
MutantScore score_of(const std::vector<Mutant>& mutants);

std::string to_text(const Mutant& mutant);
// The score by group, and all that was not killed.
std::string summary_of(const std::vector<Mutant>& mutants);
json::Value to_json(const std::vector<Mutant>& mutants);

}  // namespace fixpoint::verify
