// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/pods_by_label.h"

#include "kube/meta/metadata.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cluster::scheduler {
namespace {

struct Label {
  std::string_view key;
  std::string_view value;

  std::string text() const { return fmt::format("{}={}", key, value); }
};

void add_certain(const std::vector<kube::LabelRequirement>& requirements,
                 std::vector<Label>& labels) {
  using Operator = kube::LabelRequirement::Operator;
  for (const auto& one : requirements) {
    const bool one_of =
        one.op == Operator::Equals || one.op == Operator::DoubleEquals || one.op == Operator::In;
    if (one_of && one.values.size() == 1) labels.push_back({one.key, one.values.front()});
  }
}

// Labels that every pod of the set has.
std::vector<Label> certain_labels(const PodSet& set) {
  std::vector<Label> labels;
  if (!set.owner.empty()) return labels;
  add_certain(set.labels.requirements(), labels);
  add_certain(set.more, labels);
  return labels;
}

}  // namespace

void PodsByLabel::add(const std::string& key, json::View pod) {
  if (columns_.empty()) return;
  for (const auto [label, value] : kube::labels_of(pod).members()) {
    const auto column = columns_.find(label);
    if (column == columns_.end()) continue;
    column->second[std::string{value.as_string()}].insert(key);
  }
}

void PodsByLabel::remove(const std::string& key, json::View pod) {
  if (columns_.empty()) return;
  for (const auto [label, value] : kube::labels_of(pod).members()) {
    const auto column = columns_.find(label);
    if (column == columns_.end()) continue;
    const auto keys = column->second.find(value.as_string());
    if (keys == column->second.end()) continue;
    keys->second.erase(key);
    if (keys->second.empty()) column->second.erase(keys);
  }
}

const PodsByLabel::Keys* PodsByLabel::find(std::string_view label, std::string_view value) const {
  static const Keys kNone;
  const auto column = columns_.find(label);
  if (column == columns_.end()) return nullptr;
  const auto keys = column->second.find(value);
  return keys == column->second.end() ? &kNone : &keys->second;
}

void PodsByLabel::make_column(std::string_view label, const EachPod& each_pod) {
  Column& made = columns_[std::string{label}];
  each_pod([&](const std::string& key, json::View pod) {
    const auto value = kube::labels_of(pod).find(label);
    if (value) made[std::string{value->as_string()}].insert(key);
  });
}

const PodsByLabel::Keys* PodsByLabel::narrow(const PodSet& set, const EachPod& each_pod) {
  const auto labels = certain_labels(set);
  const Keys* shortest = nullptr;
  const auto consider = [&](const Label& label) {
    const Keys* keys = find(label.key, label.value);
    if (keys != nullptr && (shortest == nullptr || keys->size() < shortest->size())) {
      shortest = keys;
    }
  };
  for (const auto& label : labels) consider(label);
  for (const auto& label : labels) {
    if (shortest != nullptr && shortest->size() <= kShort) break;
    if (columns_.contains(label.key) || columns_.size() >= kColumnsMax) continue;
    make_column(label.key, each_pod);
    consider(label);
  }
  return shortest;
}

// Under the label that the fewest others are found by: many ask for what all pods of a product
// have, and for the name of one.
void SetsByLabel::add(const std::string& identity, const PodSet& set) {
  std::optional<std::size_t> fewest;
  std::string chosen;
  for (const auto& label : certain_labels(set)) {
    auto text = label.text();
    const auto filed = by_label_.find(text);
    const std::size_t others = filed == by_label_.end() ? 0 : filed->second.size();
    if (fewest && *fewest <= others) continue;
    fewest = others;
    chosen = std::move(text);
  }
  by_label_[chosen].insert(identity);
  filed_under_[identity] = std::move(chosen);
}

void SetsByLabel::remove(const std::string& identity) {
  const auto known = filed_under_.find(identity);
  if (known == filed_under_.end()) return;
  const auto filed = by_label_.find(known->second);
  filed->second.erase(identity);
  if (filed->second.empty()) by_label_.erase(filed);
  filed_under_.erase(known);
}

std::set<std::string> SetsByLabel::asking_for(json::View pod) const {
  std::set<std::string> found;
  if (by_label_.empty()) return found;
  const auto take = [&](std::string_view text) {
    const auto filed = by_label_.find(text);
    if (filed != by_label_.end()) found.insert(filed->second.begin(), filed->second.end());
  };
  take("");
  for (const auto [key, value] : kube::labels_of(pod).members()) {
    take(Label{key, value.as_string()}.text());
  }
  return found;
}

}  // namespace fixpoint::cluster::scheduler
