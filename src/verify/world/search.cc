// SPDX-License-Identifier: Apache-2.0
#include "verify/world/search.h"

namespace fixpoint::verify {

template Exploration explore(const world::World& model, const ExploreOptions& options);
template Exploration wander(const world::World& model, const ExploreOptions& options);

}  // namespace fixpoint::verify
