// SPDX-License-Identifier: Apache-2.0
//
// What a real server does to a pod before it validates it, admission without look-ups included.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "kinds/kind.h"

#include <string_view>

namespace fixpoint::kinds {

void prepare_pod(json::Draft& pod, json::View old_pod, const HookContext& context);

// "Guaranteed", "Burstable" or "BestEffort", from the containers' cpu and memory.
std::string_view qos_class(json::View pod_spec);

}  // namespace fixpoint::kinds
