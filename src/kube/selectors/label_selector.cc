// SPDX-License-Identifier: Apache-2.0
#include "kube/selectors/label_selector.h"

#include "kube/go/text.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"
#include "kube/selectors/label_selector_parser.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

using Operator = LabelRequirement::Operator;

void sort_by_key(std::vector<LabelRequirement>& requirements) {
  std::ranges::stable_sort(requirements, {}, &LabelRequirement::key);
}

Result<LabelRequirement> from_expression(json::View expression) {
  LabelRequirement requirement{.key = std::string{expression.get("key").as_string()}, .values = {}};
  const auto op = expression.get("operator").as_string();
  if (op == "In") {
    requirement.op = Operator::In;
  } else if (op == "NotIn") {
    requirement.op = Operator::NotIn;
  } else if (op == "Exists") {
    requirement.op = Operator::Exists;
  } else if (op == "DoesNotExist") {
    requirement.op = Operator::DoesNotExist;
  } else {
    return fail(ErrorKind::Invalid, go_quoted(op) + " is not a valid label selector operator");
  }
  for (const json::View value : expression.get("values").elements()) {
    requirement.values.emplace_back(value.as_string());
  }
  return checked_requirement(std::move(requirement));
}

}  // namespace

bool LabelRequirement::matches(json::View labels) const {
  const auto found = labels.find(key);
  const auto listed = [&] { return std::ranges::find(values, found->as_string()) != values.end(); };
  switch (op) {
    case Operator::In:
    case Operator::Equals:
    case Operator::DoubleEquals: return found && listed();
    case Operator::NotIn:
    case Operator::NotEquals: return !found || !listed();
    case Operator::Exists: return found.has_value();
    case Operator::DoesNotExist: return !found.has_value();
    case Operator::GreaterThan:
    case Operator::LessThan: break;
  }
  if (!found || values.size() != 1) return false;
  const auto have = label_integer(found->as_string());
  const auto want = label_integer(values.front());
  if (!have || !want) return false;
  return op == Operator::GreaterThan ? *have > *want : *have < *want;
}

std::string LabelRequirement::to_string() const {
  auto sorted = values;
  std::ranges::sort(sorted);
  const auto list = joined(sorted, ",");
  switch (op) {
    case Operator::Equals: return key + "=" + list;
    case Operator::DoubleEquals: return key + "==" + list;
    case Operator::NotEquals: return key + "!=" + list;
    case Operator::In: return key + " in (" + list + ")";
    case Operator::NotIn: return key + " notin (" + list + ")";
    case Operator::Exists: return key;
    case Operator::DoesNotExist: return "!" + key;
    case Operator::GreaterThan: return key + ">" + list;
    case Operator::LessThan: return key + "<" + list;
  }
  return key;
}

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  FP_TRY(requirements, parse_label_requirements(text));
  LabelSelector selector;
  selector.requirements_ = std::move(requirements);
  sort_by_key(selector.requirements_);
  return selector;
}

Result<LabelSelector> LabelSelector::from_object(json::View object) {
  if (object.is_null()) return nothing();
  LabelSelector selector;
  for (const auto [key, value] : object.get("matchLabels").members()) {
    FP_TRY(requirement,
           checked_requirement(
               {std::string{key}, Operator::Equals, {std::string{value.as_string()}}}));
    selector.requirements_.push_back(std::move(requirement));
  }
  for (const json::View expression : object.get("matchExpressions").elements()) {
    FP_TRY(requirement, from_expression(expression));
    selector.requirements_.push_back(std::move(requirement));
  }
  sort_by_key(selector.requirements_);
  return selector;
}

LabelSelector LabelSelector::from_labels(json::View labels) {
  LabelSelector selector;
  for (const auto [key, value] : labels.members()) {
    selector.requirements_.push_back(
        {std::string{key}, Operator::Equals, {std::string{value.as_string()}}});
  }
  return selector;
}

bool LabelSelector::matches(json::View labels) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const LabelRequirement& requirement) {
    return requirement.matches(labels);
  });
}

std::string LabelSelector::to_string() const {
  std::vector<std::string> texts;
  for (const auto& requirement : requirements_) texts.push_back(requirement.to_string());
  return joined(texts, ",");
}

FieldErrors validate_label_selector(json::View selector, const FieldPath& path) {
  FieldErrors errors = validate_labels(selector.get("matchLabels"), path.child("matchLabels"));
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t at = 0;
  for (const json::View expression : selector.get("matchExpressions").elements()) {
    const FieldPath here = expressions.index(at++);
    const FieldPath values_path = here.child("values");
    const auto values = expression.get("values");
    const auto op = expression.get("operator").as_string();
    if (op == "In" || op == "NotIn") {
      if (values.empty()) {
        errors.push_back(
            required(values_path, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!values.empty()) {
        errors.push_back(forbidden(
            values_path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
    } else {
      errors.push_back(invalid(here.child("operator"), shown(op), "not a valid selector operator"));
    }
    note_problems(here.child("key"), expression.get("key").as_string(), qualified_name_problems,
                  errors);
    for (std::size_t i = 0; i < values.size(); ++i) {
      note_problems(values_path.index(i), values[i].as_string(), label_value_problems, errors);
    }
  }
  return errors;
}

}  // namespace fixpoint::kube
