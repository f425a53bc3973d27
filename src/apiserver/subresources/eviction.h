// SPDX-License-Identifier: Apache-2.0
//
// pods/eviction: a DELETE that a PodDisruptionBudget may refuse.
#pragma once

#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// 429 with cause DisruptionBudget while a matching budget allows no disruption; the budget's
// status.disruptionsAllowed goes down by one with every eviction it lets through.
kube::Answer<json::Value> evict(WriteCall& call);

}  // namespace fixpoint::apiserver
