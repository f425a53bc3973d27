// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/job_status.h"

#include "base/rfc3339.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/workloads/job_policy.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

struct JobState {
  View job;
  View status;
  explicit JobState(View from) : job(from), status(from.get("status")) {}

  bool is(std::string_view type, std::string_view wanted = "True") const {
    const auto conditions = status.get("conditions").elements();
    return std::any_of(conditions.begin(), conditions.end(), [&](View each) {
      return each.get("type").as_string() == type && each.get("status").as_string() == wanted;
    });
  }
  bool finished() const { return is("Complete") || is("Failed"); }
  std::int64_t count(std::string_view field) const { return status.get(field).as_int(); }
};

// Rules apply only where something that they speak of has changed, so that a bad old status can
// still be mended.
struct JobChange {
  JobState now;
  JobState before;

  bool moved(std::string_view condition) const { return now.is(condition) != before.is(condition); }
  bool finish_moved() const { return now.finished() != before.finished(); }
  bool changed(std::string_view field) const {
    return !(now.status.get(field) == before.status.get(field));
  }
  // Where an absent one is 0.
  bool counted(std::string_view field) const { return now.count(field) != before.count(field); }
  bool indexes_changed() const {
    return now.status.get("completedIndexes").as_string() !=
           before.status.get("completedIndexes").as_string();
  }
};

void check_job_conditions(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& now = change.now;
  const FieldPath conditions = path.child("conditions");
  if ((change.moved("Complete") || change.moved("Failed")) && now.is("Complete") &&
      now.is("Failed")) {
    note_combination(conditions, "cannot set Complete=True and Failed=true conditions", errors);
  }
  if ((change.moved("Complete") || change.moved("FailureTarget")) && now.is("Complete") &&
      now.is("FailureTarget")) {
    note_combination(conditions, "cannot set Complete=True and FailureTarget=true conditions",
                     errors);
  }
}

void check_times(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& now = change.now;
  const FieldPath completion = path.child("completionTime");
  const View ended = now.status.get("completionTime");
  const View started = now.status.get("startTime");
  if (change.moved("Complete") || change.changed("completionTime")) {
    if (!ended.is_null() && !now.is("Complete")) {
      note_invalid(completion, ended,
                   "cannot set completionTime when there is no Complete=True condition", errors);
    }
    if (ended.is_null() && now.is("Complete")) {
      note_required(completion, errors, "completionTime is required for Complete jobs");
    }
  }
  if ((change.changed("startTime") || change.changed("completionTime")) && !ended.is_null() &&
      !started.is_null()) {
    const auto end = parse_rfc3339(ended.as_string());
    const auto start = parse_rfc3339(started.as_string());
    if (end && start && *end < *start) {
      note_invalid(completion, ended, "must be equal to or after `startTime`", errors);
    }
  }
}

void check_reasons(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& now = change.now;
  const FieldPath conditions = path.child("conditions");
  if ((change.moved("Failed") || change.changed("failedIndexes")) && now.is("Failed") &&
      !now.is("FailureTarget")) {
    note_combination(conditions,
                     "cannot set Failed=True condition without the FailureTarget=true condition",
                     errors);
  }
  if ((change.moved("Complete") || change.moved("SuccessCriteriaMet")) && now.is("Complete") &&
      !now.is("SuccessCriteriaMet")) {
    note_combination(
        conditions,
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition", errors);
  }
}

void check_end(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& now = change.now;
  if (!now.finished()) return;
  if ((change.finish_moved() || change.counted("active")) && now.count("active") > 0) {
    note_invalid(path.child("active"), now.status.get("active"),
                 "active>0 is invalid for finished job", errors);
  }
  const View spec = now.job.get("spec");
  const bool nothing_to_do = spec.get("suspend").as_bool() && spec.get("completions").is_int() &&
                             spec.get("completions").as_int() == 0;
  if ((change.finish_moved() || change.changed("startTime")) && !nothing_to_do &&
      now.status.get("startTime").is_null()) {
    note_required(path.child("startTime"), errors, "startTime is required for finished job");
  }
  const View uncounted = now.status.get("uncountedTerminatedPods");
  if ((change.finish_moved() || change.changed("uncountedTerminatedPods")) &&
      !(uncounted.get("succeeded").empty() && uncounted.get("failed").empty())) {
    errors.push_back(kube::invalid(path.child("uncountedTerminatedPods"),
                                   internal_text("UncountedTerminatedPods", uncounted),
                                   "must be empty for finished job"));
  }
}

void check_indexes(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const View spec = change.now.job.get("spec");
  const View completed = change.now.status.get("completedIndexes");
  const View failed = change.now.status.get("failedIndexes");
  const View completions = spec.get("completions");
  const FieldPath completed_path = path.child("completedIndexes");
  const FieldPath failed_path = path.child("failedIndexes");
  const bool failed_now = change.changed("failedIndexes") && !failed.is_null();
  const bool limited = !spec.get("backoffLimitPerIndex").is_null();
  const auto check_format = [&](View indexes, std::string_view name) {
    if (completions.is_null()) return;
    const auto parsed = parse_job_indexes(indexes.as_string(), completions.as_int());
    if (parsed.problem.empty()) return;
    note_invalid(path.child(name), indexes.as_string(),
                 fmt::format("error parsing {}: {}", name, parsed.problem), errors);
  };
  if (change.indexes_changed()) check_format(completed, "completedIndexes");
  if (failed_now && limited) check_format(failed, "failedIndexes");
  if (change.indexes_changed() && !completed.as_string().empty() &&
      spec.get("completionMode").as_string() != "Indexed") {
    note_invalid(completed_path, completed,
                 "cannot set non-empty completedIndexes when non-indexed completion mode", errors);
  }
  if (failed_now && !limited) {
    note_invalid(failed_path, failed.as_string(),
                 "cannot set non-null failedIndexes when backoffLimitPerIndex is null", errors);
  }
  if (!(failed_now || change.indexes_changed()) || completions.is_null()) return;
  if (const auto index =
          shared_job_index(completed.as_string(), failed.as_string(), completions.as_int())) {
    note_invalid(failed_path, failed.as_string(),
                 fmt::format("failedIndexes and completedIndexes overlap at index: {}", *index),
                 errors);
  }
}

// A pod is counted once, as one that succeeded or one that failed.
void check_uncounted(View status, const FieldPath& path, FieldErrors& errors) {
  const FieldPath pods_path = path.child("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  for (const std::string_view list : {"succeeded", "failed"}) {
    const FieldPath list_path = pods_path.child(list);
    const View pods = status.get("uncountedTerminatedPods", list);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const auto uid = pods[i].as_string();
      if (uid.empty()) {
        note_invalid(list_path.index(i), uid, "must not be empty", errors);
      } else if (!seen.insert(uid).second) {
        errors.push_back(kube::duplicate(list_path.index(i), pods[i]));
      }
    }
  }
}

void check_late_counts(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& now = change.now;
  if ((change.finish_moved() || change.changed("terminating")) && now.finished() &&
      now.count("terminating") > 0) {
    note_invalid(path.child("terminating"), now.status.get("terminating"),
                 "terminating>0 is invalid for finished job", errors);
  }
  if ((change.changed("ready") || change.counted("active")) && !now.status.get("ready").is_null() &&
      now.count("ready") > now.count("active")) {
    note_invalid(path.child("ready"), now.status.get("ready"),
                 "cannot set more ready pods than active", errors);
  }
  const FieldPath conditions = path.child("conditions");
  if (now.is("SuccessCriteriaMet") && now.is("Failed")) {
    note_combination(conditions, "cannot set SuccessCriteriaMet=True and Failed=true conditions",
                     errors);
  }
  if (now.is("SuccessCriteriaMet") && now.is("FailureTarget")) {
    note_combination(
        conditions, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors);
  }
  if (!now.job.get("spec", "successPolicy").is_null() && !now.is("SuccessCriteriaMet") &&
      now.is("Complete")) {
    note_combination(
        conditions,
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
        errors);
  }
}

void check_going_back(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const auto& [now, before] = change;
  const FieldPath conditions = path.child("conditions");
  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (!before.is(type) || now.is(type)) continue;
    note_combination(conditions, fmt::format("cannot disable the terminal {}=True condition", type),
                     errors);
  }
  const View spec = now.job.get("spec");
  const bool may_shrink = spec.get("completionMode").as_string() == "Indexed" &&
                          spec.get("completions") == spec.get("parallelism");
  for (const std::string_view field : {"failed", "succeeded"}) {
    if (now.count(field) >= before.count(field) || (field == "succeeded" && may_shrink)) continue;
    errors.push_back(kube::invalid(path.child(field), std::to_string(now.count(field)),
                                   fmt::format("cannot decrease the {} counter", field)));
  }
  const View ended = now.status.get("completionTime");
  if (!ended.is_null() && !before.status.get("completionTime").is_null() &&
      change.changed("completionTime")) {
    note_invalid(path.child("completionTime"), ended, kImmutable, errors);
  }
  const bool resuming = before.is("Suspended") && now.is("Suspended", "False");
  if (!resuming && change.changed("startTime") && !before.status.get("startTime").is_null() &&
      !spec.get("suspend").as_bool()) {
    note_required(path.child("startTime"), errors,
                  "startTime cannot be removed for unsuspended job");
  }
  if (before.is("SuccessCriteriaMet") && !now.is("SuccessCriteriaMet")) {
    note_combination(conditions, "cannot disable the SuccessCriteriaMet=True condition", errors);
  }
  if (before.is("Complete") && !before.is("SuccessCriteriaMet") && now.is("SuccessCriteriaMet")) {
    note_combination(
        conditions,
        "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions", errors);
  }
}

}  // namespace

FieldErrors validate_job_status_update(View object, View old_object) {
  FieldErrors errors;
  const FieldPath path{"status"};
  const JobChange change{JobState{object}, JobState{old_object}};
  for (const std::string_view field : {"active", "succeeded", "failed", "ready", "terminating"}) {
    check_nonnegative(object.get("status", field), path.child(field), errors);
  }
  check_uncounted(object.get("status"), path, errors);
  check_job_conditions(change, path, errors);
  check_times(change, path, errors);
  check_reasons(change, path, errors);
  check_end(change, path, errors);
  check_indexes(change, path, errors);
  check_late_counts(change, path, errors);
  check_going_back(change, path, errors);
  return errors;
}

}  // namespace fixpoint::kinds
