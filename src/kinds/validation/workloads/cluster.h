// SPDX-License-Identifier: Apache-2.0
//
// Validation of nodes, priority and runtime classes, disruption budgets and autoscalers.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_node(View object);
FieldErrors validate_node_update(View object, View old_object);
FieldErrors validate_priority_class(View object);
FieldErrors validate_priority_class_update(View object, View old_object);
FieldErrors validate_runtime_class(View object);
FieldErrors validate_runtime_class_update(View object, View old_object);
FieldErrors validate_disruption_budget(View object);
FieldErrors validate_disruption_budget_update(View object, View old_object);
FieldErrors validate_autoscaler(View object);
FieldErrors validate_autoscaler_update(View object, View old_object);
FieldErrors validate_autoscaler_status_update(View object, View old_object);

}  // namespace fixpoint::kinds
