// SPDX-License-Identifier: Apache-2.0
#include "verify/liveness/graph.h"

#include "base/error.h"

#include <algorithm>

namespace fixpoint::verify {

std::uint64_t Graph::enabled(Node node) const {
  std::uint64_t mask = 0;
  const EdgeId end = end_edge(node);
  for (EdgeId edge = first_edge(node); edge < end; ++edge) mask |= std::uint64_t{1} << actor(edge);
  return mask;
}

EdgeId Graph::edge_between(Node from, Node to) const {
  EdgeId edge = first_edge(from);
  for (const EdgeId end = end_edge(from); target(edge) != to; ++edge) FP_CHECK(edge + 1 < end);
  return edge;
}

std::uint64_t Graph::bytes() const {
  std::uint64_t sum = parents_.bytes() + bits_.bytes() + first_edges_.bytes() + targets_.bytes() +
                      actors_.bytes() + marks_.bytes();
  for (const auto& column : work_) sum += column.bytes();
  return sum;
}

Path path_to(const Graph& graph, Node node) {
  Path path;
  while (graph.parent(node) != kNoNode) {
    path.edges.push_back(graph.edge_between(graph.parent(node), node));
    node = graph.parent(node);
  }
  path.root = node;
  std::ranges::reverse(path.edges);
  return path;
}

}  // namespace fixpoint::verify
