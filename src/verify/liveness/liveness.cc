// SPDX-License-Identifier: Apache-2.0
#include "verify/liveness/liveness.h"

#include "base/error.h"
#include "verify/liveness/components.h"
#include "verify/liveness/walk.h"

#include <algorithm>
#include <span>
#include <vector>

namespace fixpoint::verify {
namespace {

// What a loop inside one component must still come by. A component has it all; a loop has to be led
// there.
class Duties {
 public:
  Duties(const Graph& graph, const BadRun& bad, std::uint64_t fair)
      : graph_(graph), unfair_to_(fair), state_(bad.not_always), marks_(bad.marks) {}

  bool done() const { return unfair_to_ == 0 && !state_ && marks_ == 0; }
  bool helped_by(Node node) const {
    return (unfair_to_ & ~graph_.enabled(node)) != 0 || (state_ && !state_->has(graph_, node));
  }
  bool helped_by_edge(EdgeId edge) const {
    return (unfair_to_ & bit(edge)) != 0 || (marks_ & graph_.marks(edge)) != 0;
  }
  void pass(Node node) {
    unfair_to_ &= graph_.enabled(node);
    if (state_ && !state_->has(graph_, node)) state_.reset();
  }
  void pass_edge(EdgeId edge) {
    unfair_to_ &= ~bit(edge);
    if ((graph_.marks(edge) & marks_) != 0) marks_ = 0;
  }

 private:
  std::uint64_t bit(EdgeId edge) const { return std::uint64_t{1} << graph_.actor(edge); }

  const Graph& graph_;
  std::uint64_t unfair_to_;
  std::optional<Scope> state_;
  std::uint8_t marks_;
};

class FairRunSearch {
 public:
  FairRunSearch(const Graph& graph, const BadRun& bad, std::uint64_t fair)
      : graph_(graph), bad_(bad), fair_(fair), in_loop_(graph.size(), false) {}

  std::optional<Path> run() {
    const Components components(graph_, bad_.scope,
                                [this](const Components& all, std::span<const Node> members) {
                                  if (!is_bad(all, members)) return;
                                  for (const Node node : members) in_loop_[node] = true;
                                });
    const auto entry = bad_.after ? enter_after() : enter_anywhere();
    if (!entry) return std::nullopt;
    return with_loop(*entry, components);
  }

 private:
  bool is_bad(const Components& all, std::span<const Node> members) const {
    Duties duties(graph_, bad_, fair_);
    for (const Node node : members) {
      duties.pass(node);
      const EdgeId end = graph_.end_edge(node);
      for (EdgeId edge = graph_.first_edge(node); edge < end && !duties.done(); ++edge) {
        if (all.inside(graph_, node, edge)) duties.pass_edge(edge);
      }
      if (duties.done()) return true;
    }
    return false;
  }

  // Smaller numbers are never deeper, so the first node has a shortest stem.
  std::optional<Path> enter_anywhere() const {
    for (Node node = 0; node < graph_.size(); ++node) {
      if (in_loop_[node]) return path_to(graph_, node);
    }
    return std::nullopt;
  }

  // Breadth first from all states of `after` at once, each of which joins at its own depth.
  std::optional<Path> enter_after() {
    came_.assign(graph_.size(), kNoNode);
    std::vector<Node> level;
    Node next_start = 0;
    while (next_start < graph_.size() || !level.empty()) {
      if (level.empty()) {
        while (next_start < graph_.size() && !starts(next_start)) ++next_start;
        if (next_start == graph_.size()) break;
        depth_ = depth_of(next_start);
      }
      for (; next_start < graph_.size() && depth_of(next_start) <= depth_; ++next_start) {
        if (!starts(next_start) || came_[next_start] != kNoNode) continue;
        came_[next_start] = next_start;
        level.push_back(next_start);
      }
      std::ranges::sort(level);
      for (const Node node : level) {
        if (in_loop_[node]) return stem_through(node);
      }
      level = spread(level);
      ++depth_;
    }
    return std::nullopt;
  }

  bool starts(Node node) const {
    return bad_.after->has(graph_, node) && bad_.scope.has(graph_, node);
  }

  std::vector<Node> spread(const std::vector<Node>& level) {
    std::vector<Node> next;
    for (const Node node : level) {
      const EdgeId end = graph_.end_edge(node);
      for (EdgeId edge = graph_.first_edge(node); edge < end; ++edge) {
        const Node target = graph_.target(edge);
        if (came_[target] != kNoNode || !bad_.scope.has(graph_, target)) continue;
        came_[target] = node;
        next.push_back(target);
      }
    }
    return next;
  }

  // Numbers grow with depth: one walk up for the first of each level would do, but asking for each
  // in order is cheap with the depth of the parent at hand.
  std::uint32_t depth_of(Node node) {
    while (depths_.size() <= node) {
      const auto at = static_cast<Node>(depths_.size());
      const Node parent = graph_.parent(at);
      depths_.push_back(parent == kNoNode ? 0 : depths_[parent] + 1);
    }
    return depths_[node];
  }

  Path stem_through(Node node) const {
    std::vector<EdgeId> tail;
    for (; came_[node] != node; node = came_[node]) {
      tail.push_back(graph_.edge_between(came_[node], node));
    }
    Path path = path_to(graph_, node);
    path.edges.insert(path.edges.end(), tail.rbegin(), tail.rend());
    return path;
  }

  Node end_of(const Path& path) const {
    return path.edges.empty() ? path.root : graph_.target(path.edges.back());
  }

  Path with_loop(Path path, const Components& components) const {
    const Node entry = end_of(path);
    const MayWalk inside = [&](Node from, EdgeId edge) {
      return components.inside(graph_, from, edge);
    };
    // Where nothing need happen any more, doing nothing is the shortest loop.
    const auto rests = [&](Node node) {
      Duties duties(graph_, bad_, fair_);
      duties.pass(node);
      return duties.done();
    };
    if (auto way = walk_to(graph_, entry, inside, rests)) {
      path.edges.insert(path.edges.end(), way->begin(), way->end());
      path.loop_from = path.edges.size();
      return path;
    }
    path.loop_from = path.edges.size();
    tour(path, entry, inside);
    return path;
  }

  void tour(Path& path, Node entry, const MayWalk& inside) const {
    Duties duties(graph_, bad_, fair_);
    duties.pass(entry);
    Node at = entry;
    const auto go = [&](const std::vector<EdgeId>& way) {
      for (const EdgeId edge : way) {
        path.edges.push_back(edge);
        at = graph_.target(edge);
        duties.pass_edge(edge);
        duties.pass(at);
      }
    };
    while (!duties.done()) {
      const auto way = walk_along(graph_, at, inside, [&](Node, EdgeId edge) {
        return duties.helped_by_edge(edge) || duties.helped_by(graph_.target(edge));
      });
      FP_CHECK(way.has_value());  // the component has it all
      go(*way);
    }
    const auto home = walk_to(graph_, at, inside, [&](Node node) { return node == entry; });
    FP_CHECK(home.has_value());
    go(*home);
  }

  const Graph& graph_;
  const BadRun& bad_;
  std::uint64_t fair_;
  std::vector<bool> in_loop_;
  std::vector<Node> came_;
  std::vector<std::uint32_t> depths_;
  std::uint32_t depth_ = 0;
};

}  // namespace

std::optional<Path> find_fair_run(const Graph& graph, const BadRun& bad, std::uint64_t fair) {
  return FairRunSearch(graph, bad, fair).run();
}

}  // namespace fixpoint::verify
