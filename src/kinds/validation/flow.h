// SPDX-License-Identifier: Apache-2.0
//
// Validation of flowcontrol.apiserver.k8s.io: FlowSchema and PriorityLevelConfiguration.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_flow_schema(View object);
FieldErrors validate_flow_schema_update(View object, View old_object);
FieldErrors validate_priority_level(View object);
FieldErrors validate_priority_level_update(View object, View old_object);
// Of both.
FieldErrors validate_flow_status_update(View object, View old_object);

}  // namespace fixpoint::kinds
