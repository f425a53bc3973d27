// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_batch.h"

#include "json/draft.h"
#include "kinds/internal_form.h"
#include "kinds/validate_job_status.h"
#include "kinds/validate_pod.h"
#include "kube/duration.h"
#include "kube/go_text.h"
#include "kube/label_selector.h"
#include "kube/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr std::int64_t kIndexedParallelismMax = 100'000;

void check_completion_mode(View spec, const FieldPath& path, FieldErrors& errors) {
  const View mode = spec.get("completionMode");
  check_optional_one_of(mode, path.child("completionMode"), {"NonIndexed", "Indexed"}, errors);
  const bool indexed = mode.as_string() == "Indexed";
  if (indexed) {
    if (spec.get("completions").is_null()) {
      note_required(path.child("completions"), errors, "when completion mode is Indexed");
    }
    if (spec.get("parallelism").as_int() > kIndexedParallelismMax) {
      note_invalid(path.child("parallelism"), spec.get("parallelism"),
                   "must be less than or equal to 100000 when completion mode is Indexed", errors);
    }
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
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"._+-/"}.find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(text, good) || text.starts_with('-') || text.starts_with('.') ||
      text.find("/.") != std::string_view::npos || text.find("/-") != std::string_view::npos) {
    note_invalid(path, zone, fmt::format("unknown time zone {}", text), errors);
  } else if (kube::lower_case(text) == "local") {
    note_invalid(path, zone,
                 "timeZone must be an explicit time zone as defined in "
                 "https://www.iana.org/time-zones",
                 errors);
    if (text != "Local")
      note_invalid(path, zone, fmt::format("unknown time zone {}", text), errors);
  }
}

FieldErrors check_cron_job(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View schedule = spec.get("schedule");
  if (schedule.as_string().empty()) {
    note_required(path.child("schedule"), errors);
  } else {
    if (const auto problem = schedule_problem(schedule.as_string())) {
      note_invalid(path.child("schedule"), schedule, *problem, errors);
    }
    const bool zone_before =
        old_object.get("spec", "schedule").as_string().find("TZ") != std::string_view::npos;
    if (!zone_before && schedule.as_string().find("TZ") != std::string_view::npos) {
      note_invalid(path.child("schedule"), schedule,
                   "cannot use TZ or CRON_TZ in schedule, use timeZone field instead", errors);
    }
  }
  check_nonnegative(spec.get("startingDeadlineSeconds"), path.child("startingDeadlineSeconds"),
                    errors);
  check_time_zone(spec.get("timeZone"), path.child("timeZone"), errors);
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

struct CronField {
  std::int64_t low;
  std::int64_t high;
  std::string_view names;  // three letters each, from `low` on
};
constexpr std::array kCronFields{
    CronField{0, 59, ""                                    },
    CronField{0, 23, ""                                    },
    CronField{1, 31, ""                                    },
    CronField{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    CronField{0, 6,  "sunmontuewedthufrisat"               }
};

std::optional<std::string> cron_number(std::string_view text, const CronField& field,
                                       std::int64_t& number) {
  const auto name = kube::lower_case(text);
  if (name.size() == 3 && !field.names.empty()) {
    const auto at = field.names.find(name);
    if (at != std::string_view::npos && at % 3 == 0) {
      number = field.low + static_cast<std::int64_t>(at / 3);
      return std::nullopt;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax",
                       text, kube::go_quoted(text));
  }
  if (number < 0) return fmt::format("negative number ({}) not allowed: {}", number, text);
  return std::nullopt;
}

// "*", "5", "1-5", "*/2", "1-9/3".
std::optional<std::string> range_problem(std::string_view whole, const CronField& field) {
  const auto slash = whole.find('/');
  const auto range = whole.substr(0, slash);
  const auto step = slash == std::string_view::npos ? std::string_view{} : whole.substr(slash + 1);
  const auto hyphen = range.find('-');
  const auto first = range.substr(0, hyphen);
  std::int64_t low = field.low;
  std::int64_t high = field.high;
  if (first != "*" && first != "?") {
    if (auto problem = cron_number(first, field, low)) return problem;
    if (hyphen == std::string_view::npos) {
      high = low;
    } else {
      const auto last = range.substr(hyphen + 1);
      if (last.find('-') != std::string_view::npos)
        return fmt::format("too many hyphens: {}", whole);
      if (auto problem = cron_number(last, field, high)) return problem;
    }
  }
  std::int64_t every = 1;
  if (slash != std::string_view::npos) {
    if (step.find('/') != std::string_view::npos) return fmt::format("too many slashes: {}", whole);
    if (auto problem = cron_number(step, CronField{0, 0, ""}, every)) return problem;
    if (hyphen == std::string_view::npos && first != "*" && first != "?") high = field.high;
  }
  if (low < field.low) {
    return fmt::format("beginning of range ({}) below minimum ({}): {}", low, field.low, whole);
  }
  if (high > field.high) {
    return fmt::format("end of range ({}) above maximum ({}): {}", high, field.high, whole);
  }
  if (low > high) {
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", low, high, whole);
  }
  if (every == 0) return fmt::format("step of range should be a positive number: {}", whole);
  return std::nullopt;
}

std::optional<std::string> field_problem(std::string_view text, const CronField& field) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto part = text.substr(0, comma);
    if (!part.empty()) {
      if (auto problem = range_problem(part, field)) return problem;
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

std::optional<std::string> descriptor_problem(std::string_view text) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (text == known) return std::nullopt;
  }
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const auto duration = kube::parse_duration(text.substr(kEvery.size()));
    if (duration) return std::nullopt;
    return fmt::format("failed to parse duration {}: {}", text, duration.error().message);
  }
  return fmt::format("unrecognized descriptor: {}", text);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(" \t\n\v\f\r", at);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(text.find_first_of(" \t\n\v\f\r", begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

}  // namespace

std::optional<std::string> schedule_problem(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  // A zone in the schedule itself is refused elsewhere, with better words.
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const auto space = schedule.find(' ');
    schedule = space == std::string_view::npos ? std::string_view{} : schedule.substr(space + 1);
  }
  if (schedule.starts_with('@')) return descriptor_problem(schedule);
  const auto fields = words(schedule);
  if (fields.size() != kCronFields.size()) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                       fmt::join(fields, " "));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (auto problem = field_problem(fields[i], kCronFields[i])) return problem;
  }
  return std::nullopt;
}

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
  for (const std::string_view field : {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                                       "managedBy", "successPolicy"}) {
    check_immutable(spec.get(field), old_spec.get(field), path.child(field), errors);
  }
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
