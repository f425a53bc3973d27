// SPDX-License-Identifier: Apache-2.0
//
// Searching a world: explore and wander of verify/, compiled once for all, in search.cc. They are
// the largest templates of the tree; whoever asks for them through this header need not compile
// them.
#pragma once

#include "verify/explorer/explore.h"
#include "verify/walks/wander.h"
#include "verify/world/world.h"

namespace fixpoint::verify {

extern template Exploration explore(const world::World& model, const ExploreOptions& options);
extern template Exploration wander(const world::World& model, const ExploreOptions& options);

}  // namespace fixpoint::verify
