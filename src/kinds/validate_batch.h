// SPDX-License-Identifier: Apache-2.0
//
// Validation of Job and CronJob, cron schedules included.
#pragma once

#include "kinds/validate_fields.h"

#include <optional>
#include <string>

namespace fixpoint::kinds {

FieldErrors validate_job(View object);
FieldErrors validate_job_update(View object, View old_object);
FieldErrors validate_cron_job(View object);
FieldErrors validate_cron_job_update(View object, View old_object);

// What is wrong with a schedule of five fields or a @descriptor; nothing when it is fine.
std::optional<std::string> schedule_problem(std::string_view schedule);

}  // namespace fixpoint::kinds
