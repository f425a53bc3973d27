// SPDX-License-Identifier: Apache-2.0
//
// A trial as `fixpoint verify` lists, runs and replays it.
#pragma once

#include "verify/subject.h"
#include "verify/world/scenario.h"

#include <memory>

namespace fixpoint::verify::world {

// The parameter "budget" changes the scenario's.
Subject subject_of(const std::shared_ptr<const Trial>& trial);

}  // namespace fixpoint::verify::world
