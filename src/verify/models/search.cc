// SPDX-License-Identifier: Apache-2.0
#include "verify/models/search.h"

namespace fixpoint::verify {

template Exploration explore(const CoffeeCan& model, const ExploreOptions& options);
template Exploration explore(const Drawn& model, const ExploreOptions& options);
template Exploration explore(const Ring& model, const ExploreOptions& options);
template Exploration explore(const TwoPhase& model, const ExploreOptions& options);
template Exploration wander(const CoffeeCan& model, const ExploreOptions& options);
template Exploration wander(const Drawn& model, const ExploreOptions& options);
template Exploration wander(const Ring& model, const ExploreOptions& options);
template Exploration wander(const TwoPhase& model, const ExploreOptions& options);

}  // namespace fixpoint::verify
