// SPDX-License-Identifier: Apache-2.0
//
// Mutants: a trial again and again, each time with one rule missing. A checker that finds nothing
// then has proved nothing before.
#pragma once

#include "runtime/controller/rules.h"
#include "verify/exploration.h"
#include "verify/world/scenario.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::verify::world {

struct Mutant {
  std::string name;  // "without FinalizerFirst"
  // Where it was noticed first; empty: nowhere.
  std::string scenario;
  std::string property;
  std::size_t steps = 0;  // of the counterexample
  std::uint64_t states = 0;
  bool complete = true;  // of those that noticed nothing

  bool killed() const { return !property.empty(); }
};

// One for each rule of the runtime.
std::vector<Mutant> rule_mutants(const Trial& trial, const ExploreOptions& options);
// The trial without this rule, scenario by scenario until one notices.
Mutant without(runtime::Rule rule, const Trial& trial, const ExploreOptions& options);

std::string to_string(runtime::Rule rule);
// As a table for people.
std::string to_text(const std::vector<Mutant>& mutants);

}  // namespace fixpoint::verify::world
