// SPDX-License-Identifier: Apache-2.0
//
// Validation of what a job's author says about its end: which failures and successes decide it, and
// which indexes are meant.
#pragma once

#include "kinds/validation/fields.h"

#include <optional>

namespace fixpoint::kinds {

void check_failure_policy(View job_spec, const FieldPath& path, FieldErrors& errors);
void check_success_policy(View job_spec, const FieldPath& path, FieldErrors& errors);
// A selector that nobody manages by hand is the one that the server made.
void check_generated_selector(View job, FieldErrors& errors);

struct JobIndexes {
  std::string problem;     // empty: fine
  std::int64_t count = 0;  // none where there is a problem
};
// Reads "1,3-5", of a job with so many completions.
JobIndexes parse_job_indexes(std::string_view text, std::int64_t completions);
// The first index that is in both.
std::optional<std::int64_t> shared_job_index(std::string_view completed, std::string_view failed,
                                             std::int64_t completions);

}  // namespace fixpoint::kinds
