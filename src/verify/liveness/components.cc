// SPDX-License-Identifier: Apache-2.0
//
// Tarjan's algorithm in Pearce's form: one number for each node, which is first the order of the
// visit, then the smallest order it reaches, and at last the name of its component. The numbers of
// complete components count up from 1, those of visits down from the top, so that the two cannot be
// confused.
#include "verify/liveness/components.h"

#include <algorithm>

namespace fixpoint::verify {
namespace {

struct Frame {
  Node node;
  EdgeId edge;
  bool root;
};

}  // namespace

Components::Components(const Graph& graph, Scope scope, const Visit& visit)
    : label_(graph.size(), 0) {
  // Visits count down: an older one has a larger number. Older is what Tarjan calls lower.
  std::uint32_t order = ~std::uint32_t{0};
  std::uint32_t next_component = 1;
  std::vector<Frame> frames;
  std::vector<Node> open;  // visited, component not complete, not on `frames`
  std::vector<Node> members;
  const auto enter = [&](Node node) {
    label_[node] = order--;
    frames.push_back({node, graph.first_edge(node), true});
  };
  for (Node start = 0; start < graph.size(); ++start) {
    if (label_[start] != 0 || !scope.has(graph, start)) continue;
    enter(start);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const Node node = frame.node;
      if (frame.edge < graph.end_edge(node)) {
        const Node target = graph.target(frame.edge);
        if (!scope.has(graph, target)) {
          ++frame.edge;
        } else if (label_[target] == 0) {
          enter(target);  // and come back to this edge
        } else {
          // Complete components have small numbers and so never count as older.
          if (label_[target] > label_[node]) {
            label_[node] = label_[target];
            frame.root = false;
          }
          ++frame.edge;
        }
        continue;
      }
      const bool root = frame.root;
      frames.pop_back();
      if (!root) {
        open.push_back(node);
        continue;
      }
      members.assign(1, node);
      while (!open.empty() && label_[open.back()] <= label_[node]) {
        members.push_back(open.back());
        open.pop_back();
      }
      for (const Node member : members) label_[member] = next_component;
      ++next_component;
      ++count_;
      if (visit) {
        std::ranges::sort(members);
        visit(*this, members);
      }
    }
  }
}

}  // namespace fixpoint::verify
