// SPDX-License-Identifier: Apache-2.0
//
// What an autoscaler follows and what it scales. The autoscaler as a whole: cluster.h.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

// A reference to what has a scale: its kind, its name, its group and version.
void check_scale_target(View target, const FieldPath& path, FieldErrors& errors);

void check_metrics(View metrics, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
