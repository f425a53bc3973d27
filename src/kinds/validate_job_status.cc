// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_job_status.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/go_text.h"
#include "kube/label_selector.h"
#include "kube/metadata.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

// Invalid without a value: what is wrong is a combination.
void note_combination(const FieldPath& path, std::string detail, FieldErrors& errors) {
  errors.push_back(kube::invalid(path, std::string{}, std::move(detail)));
}

struct JobState {
  View job;
  View status;
  explicit JobState(View from) : job(from), status(from.get("status")) {}

  bool is(std::string_view type) const {
    const auto conditions = status.get("conditions").elements();
    return std::any_of(conditions.begin(), conditions.end(), [&](View each) {
      return each.get("type").as_string() == type && each.get("status").as_string() == "True";
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
};

std::optional<std::int64_t> index_of(std::string_view text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || text.empty()) return std::nullopt;
  return value;
}

// What is wrong with "1,3-5"; empty when nothing is.
std::string indexes_problem(std::string_view text, std::int64_t completions) {
  std::optional<std::int64_t> last;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto interval = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (std::ranges::count(interval, '-') > 1) {
      return fmt::format(
          "the fragment {} violates the requirement that an index interval can have at most two "
          "parts separated by '-'",
          kube::go_quoted(interval));
    }
    const auto dash = interval.find('-');
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> final_index;
    for (const bool second : {false, true}) {
      if (second && dash == std::string_view::npos) break;
      const auto part = second ? interval.substr(dash + 1) : interval.substr(0, dash);
      const auto index = index_of(part);
      if (!index) {
        return "cannot convert string to integer for index: " + kube::go_quoted(part);
      }
      if (*index >= completions) return "too large index: " + kube::go_quoted(part);
      (second ? final_index : first) = index;
    }
    if (final_index && *first >= *final_index) {
      return fmt::format("non-increasing order, previous: {}, current: {}", *first, *final_index);
    }
    if (last && *last >= *first) {
      return fmt::format("non-increasing order, previous: {}, current: {}", *last, *first);
    }
    last = final_index ? final_index : first;
  }
  return {};
}

void check_conditions(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
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
  if ((change.finish_moved() || change.changed("active")) && now.count("active") > 0) {
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
}

void check_indexes(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const View spec = change.now.job.get("spec");
  const View completed = change.now.status.get("completedIndexes");
  const FieldPath here = path.child("completedIndexes");
  if (!change.changed("completedIndexes")) return;
  if (!spec.get("completions").is_null()) {
    const auto problem = indexes_problem(completed.as_string(), spec.get("completions").as_int());
    if (!problem.empty()) {
      note_invalid(here, completed.as_string(), "error parsing completedIndexes: " + problem,
                   errors);
    }
  }
  if (!completed.as_string().empty() && spec.get("completionMode").as_string() != "Indexed") {
    note_invalid(here, completed,
                 "cannot set non-empty completedIndexes when non-indexed completion mode", errors);
  }
}

void check_failed_indexes(const JobChange& change, const FieldPath& path, FieldErrors& errors) {
  const View spec = change.now.job.get("spec");
  const View failed = change.now.status.get("failedIndexes");
  if (!change.changed("failedIndexes") || failed.is_null()) return;
  const FieldPath here = path.child("failedIndexes");
  if (spec.get("backoffLimitPerIndex").is_null()) {
    note_invalid(here, failed.as_string(),
                 "cannot set non-null failedIndexes when backoffLimitPerIndex is null", errors);
    return;
  }
  if (spec.get("completions").is_null()) return;
  const auto problem = indexes_problem(failed.as_string(), spec.get("completions").as_int());
  if (!problem.empty()) {
    note_invalid(here, failed.as_string(), "error parsing failedIndexes: " + problem, errors);
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
  if ((change.changed("ready") || change.changed("active")) && !now.status.get("ready").is_null() &&
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
  if (change.changed("startTime") && !before.status.get("startTime").is_null() &&
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

void check_exit_codes(View codes, const std::set<std::string_view>& containers,
                      const FieldPath& path, FieldErrors& errors) {
  const auto op = codes.get("operator").as_string();
  if (op.empty()) {
    note_required(path.child("operator"), errors, R"(valid values: ["In" "NotIn"])");
  } else {
    check_one_of(codes.get("operator"), path.child("operator"), {"In", "NotIn"}, errors);
  }
  const View name = codes.get("containerName");
  if (!name.is_null() && !containers.contains(name.as_string())) {
    note_invalid(path.child("containerName"), name,
                 "must be one of the container or initContainer names in the pod template", errors);
  }
  const FieldPath values_path = path.child("values");
  const View values = codes.get("values");
  if (values.empty()) note_invalid(values_path, values, "at least one value is required", errors);
  std::set<std::int64_t> seen;
  bool ordered = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = values[i].as_int();
    if (op == "In" && value == 0) {
      note_invalid(values_path.index(i), values[i], "must not be 0 for the In operator", errors);
    }
    if (!seen.insert(value).second)
      errors.push_back(kube::duplicate(values_path.index(i), values[i]));
    if (i > 0 && values[i - 1].as_int() > value) ordered = false;
  }
  if (!ordered) note_invalid(values_path, values, "must be ordered", errors);
}

void check_failure_rule(View rule, View job_spec, const std::set<std::string_view>& containers,
                        const FieldPath& path, FieldErrors& errors) {
  const View action = rule.get("action");
  const FieldPath action_path = path.child("action");
  if (action.as_string().empty()) {
    note_required(action_path, errors, R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])");
  } else if (action.as_string() == "FailIndex") {
    if (job_spec.get("backoffLimitPerIndex").is_null()) {
      note_invalid(action_path, action, "requires the backoffLimitPerIndex to be set", errors);
    }
  } else {
    check_one_of(action, action_path, {"Count", "FailIndex", "FailJob", "Ignore"}, errors);
  }
  const View codes = rule.get("onExitCodes");
  const View conditions = rule.get("onPodConditions");
  if (!codes.is_null()) check_exit_codes(codes, containers, path.child("onExitCodes"), errors);
  const FieldPath conditions_path = path.child("onPodConditions");
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = conditions_path.index(i);
    kube::note_problems(here.child("type"), conditions[i].get("type").as_string(),
                        kube::qualified_name_problems, errors);
    if (conditions[i].get("status").as_string().empty()) {
      note_required(here.child("status"), errors, R"(valid values: ["False" "True" "Unknown"])");
    } else {
      check_one_of(conditions[i].get("status"), here.child("status"), {"False", "True", "Unknown"},
                   errors);
    }
  }
  if (!codes.is_null() && !conditions.empty()) {
    note_combination(path, "specifying both OnExitCodes and OnPodConditions is not supported",
                     errors);
  }
  if (codes.is_null() && conditions.empty()) {
    note_combination(path, "specifying one of OnExitCodes and OnPodConditions is required", errors);
  }
}

void check_label(View labels, std::string_view key, std::string_view expected,
                 FieldErrors& errors) {
  const FieldPath spec{"spec"};
  const FieldPath pod_template = spec.child("template");
  const FieldPath metadata = pod_template.child("metadata");
  const FieldPath path = metadata.child("labels");
  const View value = labels.get(key);
  if (value.is_null()) {
    note_required(path.key(key), errors, fmt::format("must be '{}'", expected));
  } else if (value.as_string() != expected) {
    note_invalid(path.key(key), labels, fmt::format("must be '{}'", expected), errors);
  }
}

}  // namespace

void check_failure_policy(View job_spec, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> containers;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const View container : job_spec.get("template", "spec", list).elements()) {
      containers.insert(container.get("name").as_string());
    }
  }
  const FieldPath rules_path = path.child("rules");
  const View rules = job_spec.get("podFailurePolicy", "rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_failure_rule(rules[i], job_spec, containers, rules_path.index(i), errors);
  }
}

void check_generated_selector(View job, FieldErrors& errors) {
  const View spec = job.get("spec");
  if (spec.get("manualSelector").as_bool() || spec.get("selector").is_null()) return;
  const auto uid = kube::uid_of(job);
  const auto name = kube::name_of(job);
  const View labels = spec.get("template", "metadata", "labels");
  check_label(labels, "controller-uid", uid, errors);
  check_label(labels, "job-name", name, errors);
  check_label(labels, "batch.kubernetes.io/controller-uid", uid, errors);
  check_label(labels, "batch.kubernetes.io/job-name", name, errors);
  const json::Value made = json::Draft::object({
                                                   {"batch.kubernetes.io/controller-uid", uid },
                                                   {"batch.kubernetes.io/job-name",       name},
                                                   {"controller-uid",                     uid },
                                                   {"job-name",                           name}
  })
                               .freeze();
  const auto selector = kube::LabelSelector::from_object(spec.get("selector"));
  if (selector && !selector->matches(made)) {
    const FieldPath path{"spec"};
    errors.push_back(
        kube::invalid(path.child("selector"),
                      shown_struct(spec.get("selector"), {"matchLabels", "matchExpressions"}),
                      "`selector` not auto-generated"));
  }
}

FieldErrors validate_job_status_update(View object, View old_object) {
  FieldErrors errors;
  const FieldPath path{"status"};
  const JobChange change{JobState{object}, JobState{old_object}};
  for (const std::string_view field : {"active", "succeeded", "failed", "ready", "terminating"}) {
    check_nonnegative(object.get("status", field), path.child(field), errors);
  }
  check_uncounted(object.get("status"), path, errors);
  check_conditions(change, path, errors);
  check_times(change, path, errors);
  check_reasons(change, path, errors);
  check_end(change, path, errors);
  check_indexes(change, path, errors);
  check_failed_indexes(change, path, errors);
  check_late_counts(change, path, errors);
  check_going_back(change, path, errors);
  return errors;
}

}  // namespace fixpoint::kinds
