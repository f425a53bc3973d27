// SPDX-License-Identifier: Apache-2.0
//
// Validation of what happens to a job: its status.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_job_status_update(View object, View old_object);

}  // namespace fixpoint::kinds
