// SPDX-License-Identifier: Apache-2.0
#include "verify/liveness/walk.h"

#include <algorithm>
#include <unordered_map>

namespace fixpoint::verify {
namespace {

struct Step {
  Node from;
  EdgeId edge;
};

class Search {
 public:
  Search(const Graph& graph, Node start, const MayWalk& may) : graph_(graph), may_(may) {
    came_.emplace(start, Step{kNoNode, 0});
    queue_.push_back(start);
  }

  // The next node, nearest first.
  std::optional<Node> next() {
    if (at_ == queue_.size()) return std::nullopt;
    return queue_[at_++];
  }
  void spread(Node node) {
    const EdgeId end = graph_.end_edge(node);
    for (EdgeId edge = graph_.first_edge(node); edge < end; ++edge) {
      if (!may_(node, edge)) continue;
      const Node target = graph_.target(edge);
      if (came_.emplace(target, Step{node, edge}).second) queue_.push_back(target);
    }
  }
  std::vector<EdgeId> way_to(Node node) const {
    std::vector<EdgeId> edges;
    for (Step step = came_.at(node); step.from != kNoNode; step = came_.at(step.from)) {
      edges.push_back(step.edge);
    }
    std::ranges::reverse(edges);
    return edges;
  }

 private:
  const Graph& graph_;
  const MayWalk& may_;
  std::unordered_map<Node, Step> came_;
  std::vector<Node> queue_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<EdgeId>> walk_to(const Graph& graph, Node start, const MayWalk& may,
                                           const std::function<bool(Node)>& there) {
  Search search(graph, start, may);
  while (const auto node = search.next()) {
    if (there(*node)) return search.way_to(*node);
    search.spread(*node);
  }
  return std::nullopt;
}

std::optional<std::vector<EdgeId>> walk_along(const Graph& graph, Node start, const MayWalk& may,
                                              const std::function<bool(Node, EdgeId)>& there) {
  Search search(graph, start, may);
  while (const auto node = search.next()) {
    const EdgeId end = graph.end_edge(*node);
    for (EdgeId edge = graph.first_edge(*node); edge < end; ++edge) {
      if (!may(*node, edge) || !there(*node, edge)) continue;
      auto way = search.way_to(*node);
      way.push_back(edge);
      return way;
    }
    search.spread(*node);
  }
  return std::nullopt;
}

}  // namespace fixpoint::verify
