// SPDX-License-Identifier: Apache-2.0
//
// From a conclusion to the one status write of a pass, or to none (rule 8).
//
// The whole status is what the conclusion says; of the old one only lastTransitionTime survives,
// where a condition is as true as it was. What differs is sent, bound to uid and version.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "runtime/controller/rules.h"
#include "runtime/operator.h"

#include <string_view>

namespace fixpoint::runtime {

// True when the object's status says all this already. Allocates nothing. A server that drops
// observedGeneration because the kind's schema has none is not written to for that alone.
bool says(json::View primary, const Conclusion& conclusion);

// The whole status as it shall be.
json::Value wanted_status(json::View primary, const Conclusion& conclusion, Instant now);

// The merge patch for the status subresource, or null when there is nothing to say.
json::Value status_patch(json::View primary, json::View wanted, Rules rules);

}  // namespace fixpoint::runtime
