// SPDX-License-Identifier: Apache-2.0
//
// FieldSet: a set of field paths, kept as a tree of their steps.
//
// Invariants: the steps below each node are sorted and unique, and every node is a member or has
// members below it, so equal sets have equal trees and an empty set has no nodes. Belonging says
// nothing about parents or children: {spec} and {spec.replicas} are unrelated members.
// Read next: merge.h, which makes these sets from objects.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/ownership/path_element.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::kube {

// Deeper than ownership of any object goes (merge_type.h takes deep parts whole). FieldsV1 that
// nests deeper is refused, which keeps recursion over a set bounded and its wire form within JSON's
// depth.
inline constexpr std::size_t kFieldSetDepthMax = 600;

class FieldSet {
 public:
  struct Node;

  bool empty() const { return nodes_.empty(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node>& nodes() { return nodes_; }
  std::size_t size() const;  // number of members

  // The node of a step, or nullptr.
  const Node* find(const PathElement& step) const;
  // The members below a step; the empty set if there are none.
  const FieldSet& below(const PathElement& step) const;
  bool contains(const Path& path) const;

  // The empty path is ignored: nobody owns a whole object.
  void insert(const Path& path);
  // Adds a step with what is known of it; nothing if it is neither a member nor has any below.
  // Fast when steps come in order, which they nearly always do.
  void add(PathElement step, bool member, FieldSet children);

  // Members that are not above other members.
  FieldSet leaves() const;
  // Every member, those of one level before what lies below it: the order conflicts are listed in.
  std::vector<Path> paths() const;

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  PathElement step;
  bool member = false;
  FieldSet children;

  friend bool operator==(const Node& a, const Node& b) = default;
};

// Sets are handed over where the answer is made of their parts: a temporary is not copied.
FieldSet unite(FieldSet a, FieldSet b);
FieldSet intersect(const FieldSet& a, const FieldSet& b);
// True if they have a member in common.
bool overlap(const FieldSet& a, const FieldSet& b);
// What is in `a` and not in `b`, each path by itself.
FieldSet subtract(FieldSet a, const FieldSet& b);
// The same, but a member of `b` also takes away everything below it.
FieldSet subtract_tree(FieldSet a, const FieldSet& b);

// FieldsV1: {"f:data":{".":{},"f:a":{}}}. Unknown kinds of steps are dropped.
Result<FieldSet> parse_fields_v1(json::View fields);
// Byte for byte what Kubernetes stores: steps in their own order, which is not always that of text.
std::string to_fields_v1_text(const FieldSet& set);
// The same as a tree (whose members, like any object's here, are in the order of text).
json::Value to_fields_v1(const FieldSet& set);

}  // namespace fixpoint::kube
