// SPDX-License-Identifier: Apache-2.0
//
// Which pods go first when there are too many: those that are furthest from serving.
#pragma once

#include "base/clock.h"
#include "store/store.h"

#include <cstddef>
#include <vector>

namespace fixpoint::cluster {

// The first `count` of `pods` in the order of their deletion. `related` are all pods of the same
// owner's family: among equals, a pod that shares its node with more of them goes first.
std::vector<store::RecordRef> first_to_delete(std::vector<store::RecordRef> pods,
                                              const std::vector<store::RecordRef>& related,
                                              std::size_t count, Instant now);

}  // namespace fixpoint::cluster
