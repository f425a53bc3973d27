// SPDX-License-Identifier: Apache-2.0
//
// Strongly connected components of a part of a graph.
#pragma once

#include "verify/liveness/graph.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fixpoint::verify {

class Components {
 public:
  // Called with the nodes of each component when it is complete, the ones it leads to first. `of`
  // already answers for them. A node alone is a component, with an edge to itself or not.
  using Visit = std::function<void(const Components&, std::span<const Node>)>;

  Components(const Graph& graph, Scope scope, const Visit& visit);

  std::uint64_t count() const { return count_; }
  // A number for its component; 0 for nodes out of scope (and those of components not yet complete
  // are larger than all of complete ones).
  std::uint32_t of(Node node) const { return label_[node]; }
  bool inside(const Graph& graph, Node node, EdgeId edge) const {
    return of(graph.target(edge)) == of(node);
  }

 private:
  std::vector<std::uint32_t> label_;
  std::uint64_t count_ = 0;
};

}  // namespace fixpoint::verify
