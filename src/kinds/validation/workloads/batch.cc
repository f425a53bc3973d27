// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/batch.h"

#include "json/draft.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/workloads/cron_schedule.h"
#include "kinds/validation/workloads/job_policy.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr std::int64_t kIndexedParallelismMax = 100'000;
constexpr std::int64_t kFailedIndexesMax = 100'000;
// From here on, a job that counts failures by index may do less at once.
constexpr std::int64_t kManyCompletions = 100'000;
constexpr std::int64_t kAtOnceOfMany = 10'000;

void check_at_most(View value, std::int64_t most, std::string_view suffix, const FieldPath& path,
                   FieldErrors& errors) {
  if (value.is_null() || value.as_int() <= most) return;
  note_invalid(path, value, fmt::format("must be less than or equal to {}{}", most, suffix),
               errors);
}

void check_indexed(View spec, const FieldPath& path, FieldErrors& errors) {
  const View completions = spec.get("completions");
  const View parallelism = spec.get("parallelism");
  const View failed = spec.get("maxFailedIndexes");
  const FieldPath failed_path = path.child("maxFailedIndexes");
  const FieldPath parallelism_path = path.child("parallelism");
  if (completions.is_null()) {
    note_required(path.child("completions"), errors, "when completion mode is Indexed");
  }
  check_at_most(parallelism, kIndexedParallelismMax, " when completion mode is Indexed",
                parallelism_path, errors);
  if (!completions.is_null() && !failed.is_null() && failed.as_int() > completions.as_int()) {
    note_invalid(failed_path, failed, "must be less than or equal to completions", errors);
  }
  check_at_most(failed, kFailedIndexesMax, {}, failed_path, errors);
  if (completions.as_int() <= kManyCompletions || spec.get("backoffLimitPerIndex").is_null()) {
    return;
  }
  if (failed.is_null()) {
    note_required(failed_path, errors, "must be specified when completions is above 100000");
  }
  constexpr std::string_view kSuffix =
      " when completions are above 100000 and used with backoff limit per index";
  check_at_most(parallelism, kAtOnceOfMany, kSuffix, parallelism_path, errors);
  check_at_most(failed, kAtOnceOfMany, kSuffix, failed_path, errors);
}

void check_completion_mode(View spec, const FieldPath& path, FieldErrors& errors) {
  const View mode = spec.get("completionMode");
  check_optional_one_of(mode, path.child("completionMode"), {"NonIndexed", "Indexed"}, errors);
  if (mode.as_string() == "Indexed") {
    check_indexed(spec, path, errors);
    return;
  }
  if (!mode.is_null() && mode.as_string() != "NonIndexed") return;
  for (const std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (spec.get(field).is_null()) continue;
    note_invalid(path.child(field), spec.get(field), "requires indexed completion mode", errors);
  }
}

void check_job_restarts(View spec, const FieldPath& path, FieldErrors& errors) {
  const FieldPath template_path = path.child("template");
  const FieldPath pod_path = template_path.child("spec");
  const FieldPath policy_path = pod_path.child("restartPolicy");
  const View policy = spec.get("template", "spec", "restartPolicy");
  const auto text = policy.as_string();
  if (text.empty() || text == "Always") {
    note_required(policy_path, errors, "valid values: \"OnFailure\", \"Never\"");
  } else if (text != "OnFailure" && text != "Never") {
    note_unsupported(policy_path, text, {"OnFailure", "Never"}, errors);
  } else if (!spec.get("podFailurePolicy").is_null() && text != "Never") {
    note_invalid(policy_path, policy,
                 "only \"Never\" is supported when podFailurePolicy is specified", errors);
  }
}

void check_manager(View manager, const FieldPath& path, FieldErrors& errors) {
  constexpr std::size_t kManagerBytesMax = 63;
  if (manager.is_null()) return;
  check_domain_prefixed(manager, path, errors);
  if (manager.as_string().size() > kManagerBytesMax) {
    errors.push_back(kube::too_long(path, kManagerBytesMax));
  }
}

// What a job and a cron job's template share.
void check_job_spec(View spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view field :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    check_nonnegative(spec.get(field), path.child(field), errors);
  }
  if (!spec.get("maxFailedIndexes").is_null() && spec.get("backoffLimitPerIndex").is_null()) {
    note_required(path.child("backoffLimitPerIndex"), errors, "when maxFailedIndexes is specified");
  }
  check_manager(spec.get("managedBy"), path.child("managedBy"), errors);
  check_completion_mode(spec, path, errors);
  check_failure_policy(spec, path.child("podFailurePolicy"), errors);
  check_success_policy(spec, path.child("successPolicy"), errors);
  const View replacement = spec.get("podReplacementPolicy");
  const FieldPath replacement_path = path.child("podReplacementPolicy");
  if (!spec.get("podFailurePolicy").is_null()) {
    check_optional_one_of(replacement, replacement_path, {"Failed"}, errors);
  } else {
    check_optional_one_of(replacement, replacement_path, {"Failed", "TerminatingOrFailed"}, errors);
  }
  validate_template(spec.get("template"), path.child("template"), errors);
  check_job_restarts(spec, path, errors);
}

FieldErrors check_whole_spec(View spec) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  check_job_spec(spec, path, errors);
  const View selector = spec.get("selector");
  if (selector.is_null()) {
    note_required(path.child("selector"), errors);
  } else {
    kube::append(errors, kube::validate_label_selector(selector, path.child("selector")));
  }
  const View labels = spec.get("template", "metadata", "labels");
  const auto parsed = kube::LabelSelector::from_object(selector);
  if (parsed && !parsed->matches(labels)) {
    const FieldPath template_path = path.child("template");
    const FieldPath metadata = template_path.child("metadata");
    note_invalid(metadata.child("labels"), labels, "`selector` does not match template `labels`",
                 errors);
  }
  return errors;
}

FieldErrors check_job(View object) {
  FieldErrors errors;
  check_generated_selector(object, errors);
  kube::append(errors, check_whole_spec(object.get("spec")));
  return errors;
}

void check_completions_change(View spec, View old_spec, const FieldPath& path,
                              FieldErrors& errors) {
  const View now = spec.get("completions");
  const View before = old_spec.get("completions");
  if (spec.get("completionMode").as_string() != "Indexed") {
    check_immutable(now, before, path.child("completions"), errors);
    return;
  }
  if (now == before || now.is_null()) return;
  if (now.as_int() != spec.get("parallelism").as_int()) {
    note_invalid(path.child("completions"), now,
                 "can only be modified in tandem with spec.parallelism", errors);
  }
}

// A struct that must not change is shown as it is inside.
void check_fixed_struct(std::string_view type, std::string_view field, View spec, View old_spec,
                        FieldErrors& errors) {
  const View now = spec.get(field);
  if (now == old_spec.get(field)) return;
  const FieldPath path{"spec"};
  errors.push_back(kube::invalid(path.child(field),
                                 now.is_null() ? "null" : internal_text(type, now),
                                 std::string{kImmutable}));
}

void take(Draft& object, View from, std::string_view key) {
  if (const View value = from.get(key); value.is_null()) {
    object.erase(key);
  } else {
    object[key] = Draft{value};
  }
}

// The old template, with what may still change while the job has never started: where it will run.
json::Value fixed_template(View old_job, View now) {
  Draft fixed{old_job.get("spec", "template")};
  const bool waiting =
      old_job.get("spec", "suspend").as_bool() && old_job.get("status", "startTime").is_null();
  if (!waiting || !fixed.is_object()) return fixed.freeze();
  take(fixed, now, "metadata");
  Draft& spec = fixed.object_at("spec");
  for (const std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) {
    take(spec, now.get("spec"), field);
  }
  if (spec.contains("affinity") && now.get("spec").contains("affinity")) {
    take(spec["affinity"], now.get("spec", "affinity"), "nodeAffinity");
  }
  return fixed.freeze();
}

void check_time_zone(View zone, const FieldPath& path, FieldErrors& errors) {
  if (zone.is_null()) return;
  const auto text = zone.as_string();
  if (text.empty()) {
    note_invalid(path, zone, "timeZone must be nil or non-empty string", errors);
    return;
  }
  if (is_time_zone_name(text) && kube::lower_case(text) == "local") {
    note_invalid(path, zone,
                 "timeZone must be an explicit time zone as defined in "
                 "https://www.iana.org/time-zones",
                 errors);
  }
  if (!is_time_zone(text)) {
    note_invalid(path, zone, fmt::format("unknown time zone {}", text), errors);
  }
}

void check_schedule(View spec, View old_spec, const FieldPath& path, FieldErrors& errors) {
  const View schedule = spec.get("schedule");
  const auto text = schedule.as_string();
  if (text.empty()) {
    note_required(path, errors);
    return;
  }
  if (const auto problem = schedule_problem(text)) note_invalid(path, schedule, *problem, errors);
  if (!text.contains("TZ")) return;
  if (!old_spec.get("schedule").as_string().contains("TZ")) {
    note_invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
                 errors);
  } else if (!spec.get("timeZone").is_null()) {
    note_invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule",
                 errors);
  }
}

FieldErrors check_cron_job(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View old_spec = old_object.get("spec");
  check_schedule(spec, old_spec, path.child("schedule"), errors);
  check_nonnegative(spec.get("startingDeadlineSeconds"), path.child("startingDeadlineSeconds"),
                    errors);
  if (old_object.is_null() || !(spec.get("timeZone") == old_spec.get("timeZone"))) {
    check_time_zone(spec.get("timeZone"), path.child("timeZone"), errors);
  }
  check_one_of(spec.get("concurrencyPolicy"), path.child("concurrencyPolicy"),
               {"Allow", "Forbid", "Replace"}, errors);
  const FieldPath template_path = path.child("jobTemplate");
  const FieldPath job_path = template_path.child("spec");
  const View job_spec = spec.get("jobTemplate", "spec");
  check_job_spec(job_spec, job_path, errors);
  if (const View selector = job_spec.get("selector"); !selector.is_null()) {
    note_invalid(job_path.child("selector"), selector, "`selector` will be auto-generated", errors);
  }
  if (const View manual = job_spec.get("manualSelector"); manual.as_bool()) {
    errors.push_back(
        kube::not_supported(job_path.child("manualSelector"), manual, {"nil", "false"}));
  }
  check_nonnegative(spec.get("successfulJobsHistoryLimit"),
                    path.child("successfulJobsHistoryLimit"), errors);
  check_nonnegative(spec.get("failedJobsHistoryLimit"), path.child("failedJobsHistoryLimit"),
                    errors);
  return errors;
}

}  // namespace

FieldErrors validate_job(View object) {
  FieldErrors errors = check_job(object);
  const View spec = object.get("spec");
  if (spec.get("completionMode").as_string() == "Indexed" && spec.get("completions").as_int() > 0) {
    const auto name = kube::name_of(object);
    const auto host = fmt::format("{}-{}", name, spec.get("completions").as_int() - 1);
    const FieldPath metadata{"metadata"};
    if (!kube::dns1123_label_problems(host).empty()) {
      note_invalid(metadata.child("name"), name,
                   fmt::format("will not able to create pod with invalid DNS label: {}", host),
                   errors);
    }
  }
  return errors;
}

FieldErrors validate_job_update(View object, View old_object) {
  const View spec = object.get("spec");
  FieldErrors errors = check_whole_spec(spec);
  const View old_spec = old_object.get("spec");
  const FieldPath path{"spec"};
  check_completions_change(spec, old_spec, path, errors);
  check_immutable(spec.get("selector"), old_spec.get("selector"), path.child("selector"), errors);
  const json::Value fixed = fixed_template(old_object, spec.get("template"));
  if (!(spec.get("template") == fixed.view())) {
    errors.push_back(kube::invalid(path.child("template"),
                                   internal_text("PodTemplateSpec", spec.get("template")),
                                   "field is immutable"));
  }
  check_immutable(spec.get("completionMode"), old_spec.get("completionMode"),
                  path.child("completionMode"), errors);
  check_fixed_struct("PodFailurePolicy", "podFailurePolicy", spec, old_spec, errors);
  for (const std::string_view field : {"backoffLimitPerIndex", "managedBy"}) {
    check_immutable(spec.get(field), old_spec.get(field), path.child(field), errors);
  }
  check_fixed_struct("SuccessPolicy", "successPolicy", spec, old_spec, errors);
  return errors;
}

FieldErrors validate_cron_job(View object) {
  FieldErrors errors = check_cron_job(object, {});
  constexpr std::size_t kNameBytesMax = 52;  // a job's name is this and eleven more
  const FieldPath metadata{"metadata"};
  if (kube::name_of(object).size() > kNameBytesMax) {
    note_invalid(metadata.child("name"), kube::name_of(object),
                 "must be no more than 52 characters", errors);
  }
  return errors;
}

FieldErrors validate_cron_job_update(View object, View old_object) {
  return check_cron_job(object, old_object);
}

}  // namespace fixpoint::kinds
