// SPDX-License-Identifier: Apache-2.0
//
// What controllers report: the rules of status writes that are not about one kind's spec.
// Statuses of workloads are with their kinds (kinds/validation/workloads/apps.h,
// kinds/validation/workloads/batch.h, kinds/pod_status.h).
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"
#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

// Of meta/v1: a list of conditions with one of each type.
void validate_conditions(View conditions, const FieldPath& path, FieldErrors& errors);

FieldErrors validate_disruption_budget_status_update(View object, View old_object);
// What a node has and gives away.
void check_node_amounts(View node, FieldErrors& errors);
FieldErrors validate_node_status_update(View object, View old_object);
// The counter that makes names of a workload's parts differ only grows.
void check_collisions(View object, View old_object, FieldErrors& errors);

// A volume notes when its phase changed.
void prepare_volume_status(json::Draft& volume, View old_volume, const HookContext& context);
// Configuration through the API is gone; only what is there already stays.
void drop_node_config(json::Draft& node, View old_node, const HookContext& context);
// What is counted behind a shut gate is not reported.
void drop_terminating_replicas(json::Draft& object, View old_object, const HookContext& context);

}  // namespace fixpoint::kinds
