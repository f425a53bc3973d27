// SPDX-License-Identifier: Apache-2.0
//
// Validation of what happens to a job: its status, and what its author says about failures.
#pragma once

#include "kinds/validate_fields.h"

namespace fixpoint::kinds {

FieldErrors validate_job_status_update(View object, View old_object);

void check_failure_policy(View job_spec, const FieldPath& path, FieldErrors& errors);
// A selector that nobody manages by hand is the one that the server made.
void check_generated_selector(View job, FieldErrors& errors);

}  // namespace fixpoint::kinds
