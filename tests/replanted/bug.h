// SPDX-License-Identifier: Apache-2.0
//
// Replanted bugs: small operators that repeat mistakes which were published about others, each
// beside its corrected twin. docs/VERIFICATION.md has the table.
#pragma once

#include "runtime/controller/rules.h"
#include "verify/world/scenario.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace fixpoint::replanted {

// A trial of one scenario, and the rule of the runtime that it must do without.
struct Planted {
  verify::world::Trial trial;
  runtime::Rules rules{};
};

struct Bug {
  std::string name;
  std::string seen_in;    // where it was published
  std::size_t steps = 0;  // of the shortest counterexample
  Planted wrong;
  Planted right;
};

inline void PrintTo(const Bug& bug, std::ostream* out) {
  *out << bug.name;
}

// Mistakes of operators; of what they do outside the API; and of frameworks: what the runtime's
// rules are for.
std::vector<Bug> operator_bugs();
std::vector<Bug> outside_bugs();
std::vector<Bug> runtime_bugs();

}  // namespace fixpoint::replanted
