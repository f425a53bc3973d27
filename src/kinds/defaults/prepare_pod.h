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

// Of a write to ephemeralcontainers or resize only that part is taken.
void prepare_pod_part(json::Draft& pod, json::View old_pod, std::string_view subresource);

// A pod template somewhere in a workload: what is behind shut gates is dropped.
void prepare_template(json::Draft& object, json::View old_object, const HookContext& context);
void prepare_job_template(json::Draft& object, json::View old_object, const HookContext& context);
void drop_gated_fields(json::Draft& pod_spec);

// "Guaranteed", "Burstable" or "BestEffort", from the containers' cpu and memory.
std::string_view qos_class(json::View pod_spec);

}  // namespace fixpoint::kinds
