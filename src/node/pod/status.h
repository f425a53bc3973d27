// SPDX-License-Identifier: Apache-2.0
//
// What the API is told about a pod: phase, conditions and container statuses, from facts alone.
//
// The rules are those of a kubelet, so that every controller and every person reads what they are
// used to. Read next: facts.h; plan.h, whose waits are shown here.
#pragma once

#include "json/value.h"
#include "node/pod/facts.h"
#include "node/pod/plan.h"

namespace fixpoint::node {

// The whole status as this node sees it; conditions of others are not in it. Transition times of
// what did not change are those the pod has.
json::Value pod_status(const PodFacts& facts, const PodPlan& plan, Instant now);

// The strategic merge patch that takes the pod's status to `status`; null when it is there already.
json::Value status_patch(json::View pod, json::View status);

// "name_namespace(uid)", as events and messages write a pod.
std::string pod_name_for_people(json::View pod);
// "1m20s", as Go prints a duration of whole seconds.
std::string seconds_for_people(Duration duration);

}  // namespace fixpoint::node
