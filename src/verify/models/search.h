// SPDX-License-Identifier: Apache-2.0
//
// Searching the models of the shelf: explore and wander of verify/, compiled once for all, in
// search.cc, as world/search.h does it for worlds.
#pragma once

#include "verify/explorer/explore.h"
#include "verify/models/coffee_can.h"
#include "verify/models/drawn.h"
#include "verify/models/ring.h"
#include "verify/models/two_phase.h"
#include "verify/walks/wander.h"

namespace fixpoint::verify {

extern template Exploration explore(const CoffeeCan& model, const ExploreOptions& options);
extern template Exploration explore(const Drawn& model, const ExploreOptions& options);
extern template Exploration explore(const Ring& model, const ExploreOptions& options);
extern template Exploration explore(const TwoPhase& model, const ExploreOptions& options);
extern template Exploration wander(const CoffeeCan& model, const ExploreOptions& options);
extern template Exploration wander(const Drawn& model, const ExploreOptions& options);
extern template Exploration wander(const Ring& model, const ExploreOptions& options);
extern template Exploration wander(const TwoPhase& model, const ExploreOptions& options);

}  // namespace fixpoint::verify
