// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/node_selector.h"

#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fixpoint::cluster::nodes {
namespace {

using Operator = kube::LabelRequirement::Operator;

std::optional<Operator> operator_of(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{
      {{"In", Operator::In},
       {"NotIn", Operator::NotIn},
       {"Exists", Operator::Exists},
       {"DoesNotExist", Operator::DoesNotExist},
       {"Gt", Operator::GreaterThan},
       {"Lt", Operator::LessThan}}
  };
  for (const auto& [name, op] : kOperators) {
    if (name == text) return op;
  }
  return std::nullopt;
}

bool read(json::View requirements, std::vector<kube::LabelRequirement>& into) {
  for (const json::View one : requirements.elements()) {
    const auto op = operator_of(one.get("operator").as_string());
    if (!op) return false;
    kube::LabelRequirement made{
        .key = std::string{one.get("key").as_string()}, .op = *op, .values = {}};
    for (const json::View value : one.get("values").elements()) {
      made.values.emplace_back(value.as_string());
    }
    into.push_back(std::move(made));
  }
  return true;
}

bool holds_for_name(const kube::LabelRequirement& requirement, std::string_view name) {
  const bool listed = std::ranges::find(requirement.values, name) != requirement.values.end();
  if (requirement.key != "metadata.name") return false;
  if (requirement.op == Operator::In) return listed;
  return requirement.op == Operator::NotIn && !listed;
}

}  // namespace

NodeTerm NodeTerm::from(json::View term) {
  NodeTerm made;
  made.understood_ =
      read(term.get("matchExpressions"), made.labels) && read(term.get("matchFields"), made.fields);
  return made;
}

bool NodeTerm::matches(json::View node) const {
  if (!understood_ || (labels.empty() && fields.empty())) return false;
  const auto name = kube::name_of(node);
  const json::View have = kube::labels_of(node);
  return std::ranges::all_of(labels, [&](const auto& one) { return one.matches(have); }) &&
         std::ranges::all_of(fields, [&](const auto& one) { return holds_for_name(one, name); });
}

std::vector<std::string> NodeTerm::names() const {
  for (const auto& field : fields) {
    if (field.key == "metadata.name" && field.op == Operator::In) return field.values;
  }
  return {};
}

NodeSelector NodeSelector::from(json::View selector) {
  NodeSelector made;
  for (const json::View term : selector.get("nodeSelectorTerms").elements()) {
    made.terms_.push_back(NodeTerm::from(term));
  }
  return made;
}

bool NodeSelector::matches(json::View node) const {
  return std::ranges::any_of(terms_, [&](const auto& term) { return term.matches(node); });
}

bool allowed_by_topologies(json::View terms, json::View node) {
  if (terms.empty()) return true;
  const json::View have = kube::labels_of(node);
  const auto holds = [&](json::View requirement) {
    const auto found = have.find(requirement.get("key").as_string());
    return found && std::ranges::any_of(requirement.get("values").elements(), [&](json::View one) {
             return one.as_string() == found->as_string();
           });
  };
  return std::ranges::any_of(terms.elements(), [&](json::View term) {
    return std::ranges::all_of(term.get("matchLabelExpressions").elements(), holds);
  });
}

}  // namespace fixpoint::cluster::nodes
