// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a node that is ill or silent, and of the pods on it: pure judgements.
//
// A node shows that it lives by renewing its Lease or its Ready condition. One that does neither
// for a while has its conditions set to Unknown; conditions become taints; and what does not
// tolerate a taint has to leave. nodes/lifecycle.h and nodes/eviction.h act upon it.
#pragma once

#include "base/clock.h"
#include "cluster/decision.h"
#include "cluster/nodes/taints.h"
#include "json/value.h"

#include <chrono>
#include <optional>

namespace fixpoint::cluster::nodes {

// Kubernetes' defaults: how long a node may be silent, and one that has never said anything.
inline constexpr std::chrono::seconds kSilenceMax{50};
inline constexpr std::chrono::seconds kFirstSilenceMax{60};

// When a node that gave its last sign of life then is given up, unless it gives another.
Instant given_up_at(json::View node, Instant last_sign);
// The node with its conditions unknown; nothing when they are already.
std::optional<json::Value> silent(json::View node, Instant now);
// The node with the taints that its conditions and spec.unschedulable ask for; nothing when it has
// them. Those of other people stay.
std::optional<json::Value> tainted(json::View node, Instant now);

// When a pod has to leave a node with these taints; nothing when it may stay.
std::optional<Instant> leaves_at(json::View pod, json::View node, Instant now);

// The pod with a condition that says who is about to delete it and why.
json::Value disruption_patch(json::View pod, std::string_view reason, std::string_view message,
                             Instant now);

}  // namespace fixpoint::cluster::nodes
