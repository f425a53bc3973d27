// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/job_policy.h"

#include "json/draft.h"
#include "kinds/conversion/internal_form.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <charconv>
#include <expected>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::size_t kRulesMax = 20;
constexpr std::size_t kExitCodesMax = 255;
constexpr std::size_t kConditionPatternsMax = 20;
constexpr std::size_t kIndexesBytesMax = 64UL * 1024;

void check_item_count(View list, std::size_t most, const FieldPath& path, FieldErrors& errors) {
  if (list.size() > most) errors.push_back(kube::too_many(path, list.size(), most));
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
  check_item_count(values, kExitCodesMax, values_path, errors);
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
  check_item_count(conditions, kConditionPatternsMax, conditions_path, errors);
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

void check_success_rule(View rule, std::int64_t completions, const FieldPath& path,
                        FieldErrors& errors) {
  const View count = rule.get("succeededCount");
  const View indexes = rule.get("succeededIndexes");
  if (count.is_null() && indexes.is_null()) {
    note_required(path, errors,
                  "at least one of succeededCount or succeededIndexes must be specified");
  }
  const auto named = parse_job_indexes(indexes.as_string(), completions);
  if (!indexes.is_null()) {
    const FieldPath here = path.child("succeededIndexes");
    if (indexes.as_string().size() > kIndexesBytesMax) {
      errors.push_back(kube::too_long(here, kIndexesBytesMax));
    }
    if (!named.problem.empty()) {
      note_invalid(here, indexes, "error parsing succeededIndexes: " + named.problem, errors);
    }
  }
  if (count.is_null()) return;
  const FieldPath here = path.child("succeededCount");
  check_nonnegative(count, here, errors);
  if (count.as_int() > completions) {
    note_invalid(here, count,
                 fmt::format("must be less than or equal to {} (the number of specified "
                             "completions)",
                             completions),
                 errors);
  }
  if (!indexes.is_null() && count.as_int() > named.count) {
    note_invalid(here, count,
                 fmt::format("must be less than or equal to {} (the number of indexes in the "
                             "specified succeededIndexes field)",
                             named.count),
                 errors);
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

struct Interval {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::optional<std::int64_t> index_of(std::string_view text) {
  std::int64_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || text.empty()) return std::nullopt;
  return value;
}

// "4" or "1-3"; the error is what is wrong with it.
std::expected<Interval, std::string> parse_interval(std::string_view text,
                                                    std::int64_t completions) {
  if (std::ranges::count(text, '-') > 1) {
    return std::unexpected(fmt::format(
        "the fragment {} violates the requirement that an index interval can have at most two "
        "parts separated by '-'",
        kube::go_quoted(text)));
  }
  const auto dash = text.find('-');
  Interval interval;
  for (const bool second : {false, true}) {
    if (second && dash == std::string_view::npos) {
      interval.last = interval.first;
      break;
    }
    const auto part = second ? text.substr(dash + 1) : text.substr(0, dash);
    const auto index = index_of(part);
    if (!index) {
      return std::unexpected("cannot convert string to integer for index: " +
                             kube::go_quoted(part));
    }
    if (*index >= completions) return std::unexpected("too large index: " + kube::go_quoted(part));
    (second ? interval.last : interval.first) = *index;
  }
  if (dash != std::string_view::npos && interval.first >= interval.last) {
    return std::unexpected(fmt::format("non-increasing order, previous: {}, current: {}",
                                       interval.first, interval.last));
  }
  return interval;
}

// Takes the next interval off the text.
std::string_view next_interval(std::string_view& text, bool& more) {
  const auto comma = text.find(',');
  const auto interval = text.substr(0, comma);
  more = comma != std::string_view::npos;
  text.remove_prefix(more ? comma + 1 : text.size());
  return interval;
}

// Those that can be read; what is wrong with the others is told elsewhere.
std::vector<Interval> readable_intervals(std::string_view text, std::int64_t completions) {
  std::vector<Interval> found;
  for (bool more = !text.empty(); more;) {
    if (const auto interval = parse_interval(next_interval(text, more), completions)) {
      found.push_back(*interval);
    }
  }
  return found;
}

}  // namespace

JobIndexes parse_job_indexes(std::string_view text, std::int64_t completions) {
  JobIndexes indexes;
  std::optional<std::int64_t> last;
  for (bool more = !text.empty(); more;) {
    const auto interval = parse_interval(next_interval(text, more), completions);
    if (!interval) return {interval.error(), 0};
    if (last && *last >= interval->first) {
      return {
          fmt::format("non-increasing order, previous: {}, current: {}", *last, interval->first),
          0};
    }
    indexes.count += interval->last - interval->first + 1;
    last = interval->last;
  }
  return indexes;
}

std::optional<std::int64_t> shared_job_index(std::string_view completed, std::string_view failed,
                                             std::int64_t completions) {
  const auto done = readable_intervals(completed, completions);
  const auto lost = readable_intervals(failed, completions);
  for (std::size_t i = 0, j = 0; i < done.size() && j < lost.size();) {
    if (done[i].first <= lost[j].last && lost[j].first <= done[i].last) {
      return std::max(done[i].first, lost[j].first);
    }
    ++(done[i].first <= lost[j].first ? i : j);
  }
  return std::nullopt;
}

void check_success_policy(View job_spec, const FieldPath& path, FieldErrors& errors) {
  const View policy = job_spec.get("successPolicy");
  if (policy.is_null()) return;
  if (job_spec.get("completionMode").as_string() != "Indexed") {
    errors.push_back(kube::invalid(path, internal_text("SuccessPolicy", policy),
                                   "requires indexed completion mode"));
    return;
  }
  const FieldPath rules_path = path.child("rules");
  const View rules = policy.get("rules");
  if (rules.empty()) {
    note_required(rules_path, errors,
                  "at least one rules must be specified when the successPolicy is specified");
  }
  check_item_count(rules, kRulesMax, rules_path, errors);
  const auto completions = job_spec.get("completions").as_int();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_success_rule(rules[i], completions, rules_path.index(i), errors);
  }
}

void check_failure_policy(View job_spec, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> containers;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const View container : job_spec.get("template", "spec", list).elements()) {
      containers.insert(container.get("name").as_string());
    }
  }
  const FieldPath rules_path = path.child("rules");
  const View rules = job_spec.get("podFailurePolicy", "rules");
  check_item_count(rules, kRulesMax, rules_path, errors);
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

}  // namespace fixpoint::kinds
