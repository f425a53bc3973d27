// SPDX-License-Identifier: Apache-2.0
//
// Validation of Job and CronJob.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_job(View object);
FieldErrors validate_job_update(View object, View old_object);
FieldErrors validate_cron_job(View object);
FieldErrors validate_cron_job_update(View object, View old_object);

}  // namespace fixpoint::kinds
