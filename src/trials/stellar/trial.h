// SPDX-License-Identifier: Apache-2.0
//
// The stellar operator, put through its twelve cases: `fixpoint verify stellar`.
//
// scenarios.cc has a world for each case, by its number; properties.h what must hold there;
// mistakes.h what would be wrong, case by case, and must be noticed.
#pragma once

#include "verify/world/scenario.h"

namespace fixpoint::trials::stellar {

verify::world::Trial trial();

// The worlds, from the first case to the last.
std::vector<verify::world::Scenario> scenarios();

}  // namespace fixpoint::trials::stellar
