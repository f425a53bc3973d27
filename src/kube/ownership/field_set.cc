// SPDX-License-Identifier: Apache-2.0
//
// FieldSet: set algebra by merging two sorted lists of steps at every level.
#include "kube/ownership/field_set.h"

#include <algorithm>
#include <utility>

namespace fixpoint::kube {

namespace {

using Nodes = std::vector<FieldSet::Node>;

const FieldSet kNothing;

void collect(const FieldSet& set, Path& prefix, std::vector<Path>& out) {
  for (const FieldSet::Node& node : set.nodes()) {
    if (!node.member) continue;
    out.push_back(prefix);
    out.back().push_back(node.step);
  }
  for (const FieldSet::Node& node : set.nodes()) {
    if (node.children.empty()) continue;
    prefix.push_back(node.step);
    collect(node.children, prefix, out);
    prefix.pop_back();
  }
}

// Walks both sorted lists at once: `only_a` and `only_b` get the nodes of one side, `both` pairs.
template <class A, class B, class OnlyA, class OnlyB, class Both>
void walk_both(A& a, B& b, OnlyA only_a, OnlyB only_b, Both both) {
  auto left = a.nodes().begin();
  auto right = b.nodes().begin();
  while (left != a.nodes().end() && right != b.nodes().end()) {
    const auto order = left->step <=> right->step;
    if (order < 0) {
      only_a(*left++);
    } else if (order > 0) {
      only_b(*right++);
    } else {
      both(*left++, *right++);
    }
  }
  for (; left != a.nodes().end(); ++left) only_a(*left);
  for (; right != b.nodes().end(); ++right) only_b(*right);
}

}  // namespace

std::size_t FieldSet::size() const {
  std::size_t count = 0;
  for (const Node& node : nodes_) count += (node.member ? 1U : 0U) + node.children.size();
  return count;
}

const FieldSet::Node* FieldSet::find(const PathElement& step) const {
  const auto at = std::ranges::lower_bound(nodes_, step, std::less<>{}, &Node::step);
  return at != nodes_.end() && at->step == step ? &*at : nullptr;
}

const FieldSet& FieldSet::below(const PathElement& step) const {
  const Node* node = find(step);
  return node == nullptr ? kNothing : node->children;
}

bool FieldSet::contains(const Path& path) const {
  const FieldSet* set = this;
  const Node* node = nullptr;
  for (const PathElement& step : path) {
    node = set->find(step);
    if (node == nullptr) return false;
    set = &node->children;
  }
  return node != nullptr && node->member;
}

void FieldSet::insert(const Path& path) {
  FieldSet set;
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    FieldSet parent;
    parent.add(*step, step == path.rbegin(), std::move(set));
    set = std::move(parent);
  }
  *this = unite(std::move(*this), std::move(set));
}

void FieldSet::add(PathElement step, bool member, FieldSet children) {
  if (!member && children.empty()) return;
  if (nodes_.empty() || nodes_.back().step < step) {
    nodes_.push_back(Node{std::move(step), member, std::move(children)});
    return;
  }
  const auto at = std::ranges::lower_bound(nodes_, step, std::less<>{}, &Node::step);
  if (at == nodes_.end() || at->step != step) {
    nodes_.insert(at, Node{std::move(step), member, std::move(children)});
    return;
  }
  at->member = at->member || member;
  at->children = at->children.empty() ? std::move(children)
                                      : unite(std::move(at->children), std::move(children));
}

FieldSet FieldSet::leaves() const {
  FieldSet out;
  for (const Node& node : nodes_)
    out.add(node.step, node.member && node.children.empty(), node.children.leaves());
  return out;
}

std::vector<Path> FieldSet::paths() const {
  std::vector<Path> out;
  Path prefix;
  collect(*this, prefix, out);
  return out;
}

bool operator==(const FieldSet& a, const FieldSet& b) {
  return a.nodes_ == b.nodes_;
}

FieldSet unite(FieldSet a, FieldSet b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  FieldSet out;
  const auto keep = [&](FieldSet::Node& node) { out.nodes().push_back(std::move(node)); };
  walk_both(a, b, keep, keep, [&](FieldSet::Node& left, FieldSet::Node& right) {
    out.add(std::move(left.step), left.member || right.member,
            unite(std::move(left.children), std::move(right.children)));
  });
  return out;
}

FieldSet intersect(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  const auto drop = [](const FieldSet::Node&) {};
  walk_both(a, b, drop, drop, [&](const FieldSet::Node& left, const FieldSet::Node& right) {
    out.add(left.step, left.member && right.member, intersect(left.children, right.children));
  });
  return out;
}

bool overlap(const FieldSet& a, const FieldSet& b) {
  bool found = false;
  const auto drop = [](const FieldSet::Node&) {};
  walk_both(a, b, drop, drop, [&](const FieldSet::Node& left, const FieldSet::Node& right) {
    found = found || (left.member && right.member) || overlap(left.children, right.children);
  });
  return found;
}

FieldSet subtract(FieldSet a, const FieldSet& b) {
  if (b.empty()) return a;
  FieldSet out;
  const auto keep = [&](FieldSet::Node& node) { out.nodes().push_back(std::move(node)); };
  const auto drop = [](const FieldSet::Node&) {};
  walk_both(a, b, keep, drop, [&](FieldSet::Node& left, const FieldSet::Node& right) {
    out.add(std::move(left.step), left.member && !right.member,
            subtract(std::move(left.children), right.children));
  });
  return out;
}

FieldSet subtract_tree(FieldSet a, const FieldSet& b) {
  if (b.empty()) return a;
  FieldSet out;
  const auto keep = [&](FieldSet::Node& node) { out.nodes().push_back(std::move(node)); };
  const auto drop = [](const FieldSet::Node&) {};
  walk_both(a, b, keep, drop, [&](FieldSet::Node& left, const FieldSet::Node& right) {
    if (right.member) return;
    out.add(std::move(left.step), left.member,
            subtract_tree(std::move(left.children), right.children));
  });
  return out;
}

}  // namespace fixpoint::kube
