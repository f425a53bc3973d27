// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/board.h"

#include "base/error.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster::scheduler {
namespace {

// A required term of a pod already placed weighs a little for those it means, as Kubernetes' has
// it.
constexpr std::int64_t kRequiredWeight = 1;

void bump(Counts& counts, Slot slot, int sign) {
  if (counts.size() <= slot) counts.resize(slot + 1, 0);
  if (sign > 0) {
    ++counts[slot];
  } else {
    FP_CHECK(counts[slot] > 0);
    --counts[slot];
  }
}

bool weighs_the_same(json::View before, json::View after) {
  return before.get("spec") == after.get("spec") &&
         kube::labels_of(before) == kube::labels_of(after) &&
         kube::being_deleted(before) == kube::being_deleted(after) &&
         before.get("metadata", "ownerReferences") == after.get("metadata", "ownerReferences");
}

}  // namespace

Counts Domains::sum(const Counts& by_slot) const {
  Counts sums(count, 0);
  const auto size = std::min(by_slot.size(), of_slot.size());
  for (std::size_t slot = 0; slot < size; ++slot) {
    if (of_slot[slot] != kNone) sums[static_cast<std::size_t>(of_slot[slot])] += by_slot[slot];
  }
  return sums;
}

Slot Board::slot_of(std::string_view name) {
  const auto known = by_name_.find(std::string{name});
  if (known != by_name_.end()) return known->second;
  Slot slot = 0;
  if (free_.empty()) {
    slot = static_cast<Slot>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot] = NodeState{};
  slots_[slot].name = name;
  by_name_.emplace(name, slot);
  return slot;
}

void Board::release_if_unused(Slot slot) {
  auto& node = slots_[slot];
  if (node.present() || node.pods > 0) return;
  by_name_.erase(node.name);
  free_.push_back(slot);
}

void Board::set_node(const json::Value& node) {
  const Slot slot = slot_of(kube::name_of(node));
  auto& state = slots_[slot];
  const bool fresh = !state.present();
  // Which domain a node is in depends on its labels alone; its status changes far more often.
  if (fresh || !(kube::labels_of(state.body) == kube::labels_of(node))) domains_.clear();
  state.body = node;
  state.capacity = capacity_of(node);
  state.taints = nodes::taints_of(node);
  state.unschedulable = node.get("spec", "unschedulable").as_bool();
  if (fresh) present_.push_back(slot);
}

void Board::remove_node(std::string_view name) {
  const auto known = by_name_.find(std::string{name});
  if (known == by_name_.end() || !slots_[known->second].present()) return;
  const Slot slot = known->second;
  slots_[slot].body = {};
  slots_[slot].capacity = {};
  std::erase(present_, slot);
  domains_.clear();
  release_if_unused(slot);
}

void Board::account(const Placed& pod, int sign) {
  auto& node = slots_[pod.slot];
  node.pods += sign;
  if (sign > 0) {
    node.requested.add(pod.needs.requests);
    node.weight.add(pod.needs.weight);
    node.ports.insert(node.ports.end(), pod.needs.ports.begin(), pod.needs.ports.end());
  } else {
    node.requested.subtract(pod.needs.requests);
    node.weight.subtract(pod.needs.weight);
    for (const auto& port : pod.needs.ports) {
      const auto at = std::ranges::find_if(node.ports, [&](const HostPort& one) {
        return one.port == port.port && one.protocol == port.protocol &&
               one.address == port.address;
      });
      if (at != node.ports.end()) node.ports.erase(at);
    }
  }
  account_sets(pod, sign);
  account_owner(pod, sign);
  hold(pod, sign);
}

void Board::account_sets(const Placed& pod, int sign) {
  for (const auto& identity : counted_by_label_.asking_for(pod.body)) {
    const auto known = counted_.find(identity);
    FP_CHECK(known != counted_.end());  // both are forgotten together
    auto& counted = known->second;
    if (counted.set.has(pod.body, namespace_labels(pod.needs.ns))) {
      bump(counted.by_slot, pod.slot, sign);
    }
  }
}

void Board::account_owner(const Placed& pod, int sign) {
  const auto owner = kube::controller_of(pod.body);
  if (!owner || kube::being_deleted(pod.body)) return;
  auto& counts = owned_[owner->uid];
  auto at = std::ranges::lower_bound(counts, pod.slot, {}, &SparseCounts::value_type::first);
  if (at == counts.end() || at->first != pod.slot) at = counts.insert(at, {pod.slot, 0});
  FP_CHECK(sign > 0 || at->second > 0);
  at->second += static_cast<std::uint32_t>(sign);
  if (at->second == 0) counts.erase(at);
  if (counts.empty()) owned_.erase(owner->uid);
}

void Board::hold_term(HeldTerms& held, const NearTerm& term, Slot slot, int sign) {
  const auto identity =
      term.topology_key + " " + std::to_string(term.weight) + " " + term.pods.identity;
  auto at = held.terms.find(identity);
  if (at == held.terms.end()) {
    at = held.terms.emplace(identity, HeldTerm{.term = term, .holders = {}}).first;
    held.by_label.add(identity, term.pods);
  }
  bump(at->second.holders, slot, sign);
  at->second.total += static_cast<std::uint64_t>(sign);
  if (at->second.total > 0) return;
  held.by_label.remove(identity);
  held.terms.erase(at);
}

std::vector<const HeldTerm*> Board::held_for(const HeldTerms& held, json::View pod) const {
  std::vector<const HeldTerm*> found;
  const json::View labels = namespace_labels(kube::namespace_of(pod));
  for (const auto& identity : held.by_label.asking_for(pod)) {
    const HeldTerm& term = held.terms.at(identity);
    if (term.term.pods.has(pod, labels)) found.push_back(&term);
  }
  return found;
}

std::vector<const HeldTerm*> Board::held_away(json::View pod) const {
  return held_for(held_away_, pod);
}

std::vector<const HeldTerm*> Board::held_preferences(json::View pod) const {
  return held_for(held_preferences_, pod);
}

void Board::hold(const Placed& pod, int sign) {
  for (const auto& term : pod.needs.away) hold_term(held_away_, term, pod.slot, sign);
  for (const auto& term : pod.needs.rather_near) {
    hold_term(held_preferences_, term, pod.slot, sign);
  }
  for (NearTerm term : pod.needs.near) {
    term.weight = kRequiredWeight;
    hold_term(held_preferences_, term, pod.slot, sign);
  }
}

void Board::place(std::string_view key, const json::Value& pod, std::string_view node) {
  if (const auto known = pods_.find(std::string{key}); known != pods_.end()) {
    // Most news of a pod are of its status, and change nothing here.
    if (slots_[known->second.slot].name == node && weighs_the_same(known->second.body, pod)) {
      known->second.body = pod;
      return;
    }
    remove(key);
  }
  Placed placed{.body = pod, .slot = slot_of(node), .needs = PodNeeds::of(pod)};
  account(placed, 1);
  by_label_.add(std::string{key}, placed.body);
  pods_.emplace(key, std::move(placed));
}

void Board::remove(std::string_view key) {
  const auto known = pods_.find(std::string{key});
  if (known == pods_.end()) return;
  account(known->second, -1);
  by_label_.remove(known->first, known->second.body);
  const Slot slot = known->second.slot;
  pods_.erase(known);
  release_if_unused(slot);
}

// Sets chosen by labels of namespaces are counted anew; these labels change hardly ever.
void Board::set_namespace(std::string_view name, const json::Value& labels) {
  auto& known = namespaces_[std::string{name}];
  if (known == labels) return;
  known = labels;
  std::vector<std::string> outdated;
  for (const auto& [identity, counted] : counted_) {
    if (counted.set.namespace_selector) outdated.push_back(identity);
  }
  for (const auto& identity : outdated) forget(identity);
}

void Board::remove_namespace(std::string_view name) {
  if (const auto known = namespaces_.find(name); known != namespaces_.end()) {
    set_namespace(name, {});
    namespaces_.erase(known);
  }
}

const NodeState* Board::find(std::string_view name) const {
  const auto known = by_name_.find(std::string{name});
  if (known == by_name_.end() || !slots_[known->second].present()) return nullptr;
  return &slots_[known->second];
}

std::string_view Board::node_of(std::string_view key) const {
  const auto known = pods_.find(std::string{key});
  return known == pods_.end() ? std::string_view{} : slots_[known->second.slot].name;
}

json::View Board::namespace_labels(std::string_view name) const {
  const auto known = namespaces_.find(name);
  return known == namespaces_.end() ? json::View{} : known->second.view();
}

void Board::forget_least_asked() {
  const auto oldest =
      std::ranges::min_element(counted_, {}, [](const auto& one) { return one.second.asked; });
  forget(std::string{oldest->first});
}

void Board::forget(const std::string& identity) {
  counted_by_label_.remove(identity);
  counted_.erase(identity);
}

const Counts& Board::count_owned(const PodSet& set) {
  FP_CHECK(!set.counts_leaving);
  spread_out_.assign(slots_.size(), 0);
  const auto known = owned_.find(set.owner);
  if (known == owned_.end()) return spread_out_;
  for (const auto& [slot, count] : known->second) spread_out_[slot] = count;
  return spread_out_;
}

Board::Counted Board::counted_from(const PodSet& set) {
  Counted made{.set = set, .by_slot = Counts(slots_.size(), 0)};
  const auto consider = [&](const Placed& pod) {
    if (set.has(pod.body, namespace_labels(pod.needs.ns))) bump(made.by_slot, pod.slot, 1);
  };
  const auto* keys = by_label_.narrow(set, [&](const PodsByLabel::Visit& visit) {
    for (const auto& [key, pod] : pods_) visit(key, pod.body);
  });
  if (keys == nullptr) {
    for (const auto& [key, pod] : pods_) consider(pod);
  } else {
    for (const auto& key : *keys) consider(pods_.at(key));
  }
  return made;
}

const Counts& Board::count(const PodSet& set) {
  if (!set.owner.empty()) return count_owned(set);
  auto known = counted_.find(set.identity);
  if (known == counted_.end()) {
    if (counted_.size() >= kCountedMax) forget_least_asked();
    known = counted_.emplace(set.identity, counted_from(set)).first;
    counted_by_label_.add(set.identity, set);
  }
  known->second.asked = ++asks_;
  if (known->second.by_slot.size() < slots_.size()) known->second.by_slot.resize(slots_.size(), 0);
  return known->second.by_slot;
}

const Domains& Board::domains(std::string_view topology_key) {
  const auto known = domains_.find(topology_key);
  if (known != domains_.end()) return known->second;
  Domains made;
  made.of_slot.assign(slots_.size(), Domains::kNone);
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const Slot slot : present_) {
    const auto value = kube::labels_of(slots_[slot].body).find(topology_key);
    if (!value) continue;
    const auto number = static_cast<std::int32_t>(numbers.size());
    made.of_slot[slot] = numbers.emplace(value->as_string(), number).first->second;
  }
  made.count = numbers.size();
  return domains_.emplace(topology_key, std::move(made)).first->second;
}

}  // namespace fixpoint::cluster::scheduler
