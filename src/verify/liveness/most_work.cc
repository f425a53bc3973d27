// SPDX-License-Identifier: Apache-2.0
//
// The longest way through a part of the graph, in two currencies. Loops without work are contracted
// to components; a loop with work has no bound.
#include "base/error.h"
#include "verify/liveness/components.h"
#include "verify/liveness/liveness.h"
#include "verify/liveness/walk.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace fixpoint::verify {
namespace {

struct Sum {
  std::uint64_t rounds = 0;
  std::uint64_t writes = 0;
};

class MostWorkSearch {
 public:
  MostWorkSearch(const Graph& graph, Scope scope, std::size_t property, WorkLimit limit)
      : graph_(graph), scope_(scope), property_(property), limit_(limit), best_(1) {}

  MostWork run() {
    const Components components(graph_, scope_,
                                [this](const Components& all, std::span<const Node> members) {
                                  // Those a component leads to are complete already.
                                  best_.push_back(most_from(all, members));
                                });
    if (loop_) {
      result_.bounded = false;
      result_.beyond = around(*loop_, components);
      return std::move(result_);
    }
    find_worst(components);
    return std::move(result_);
  }

 private:
  Sum work_of(EdgeId edge) const {
    const Work work = graph_.work(property_, edge);
    return {work.rounds, work.writes};
  }

  Sum most_from(const Components& all, std::span<const Node> members) {
    Sum most;
    for (const Node node : members) {
      const EdgeId end = graph_.end_edge(node);
      for (EdgeId edge = graph_.first_edge(node); edge < end; ++edge) {
        if (!scope_.has(graph_, graph_.target(edge))) continue;
        const Sum work = work_of(edge);
        if (all.inside(graph_, node, edge)) {
          if (work.rounds + work.writes > 0) note_loop(node, edge);
          continue;
        }
        const Sum& then = best_[all.of(graph_.target(edge))];
        most.rounds = std::max(most.rounds, work.rounds + then.rounds);
        most.writes = std::max(most.writes, work.writes + then.writes);
      }
    }
    return most;
  }

  // The loop that is nearest to an initial state.
  void note_loop(Node node, EdgeId edge) {
    if (!loop_ || node < loop_->first) loop_ = {node, edge};
  }

  Path around(std::pair<Node, EdgeId> loop, const Components& components) const {
    Path path = path_to(graph_, loop.first);
    path.loop_from = path.edges.size();
    path.edges.push_back(loop.second);
    const auto back = walk_to(
        graph_, graph_.target(loop.second),
        [&](Node from, EdgeId edge) { return components.inside(graph_, from, edge); },
        [&](Node node) { return node == loop.first; });
    FP_CHECK(back.has_value());
    path.edges.insert(path.edges.end(), back->begin(), back->end());
    return path;
  }

  void find_worst(const Components& components) {
    Node most_rounds = kNoNode;
    Node most_writes = kNoNode;
    for (Node node = 0; node < graph_.size(); ++node) {
      if (!scope_.has(graph_, node)) continue;
      const Sum& sum = best_[components.of(node)];
      if (most_rounds == kNoNode || sum.rounds > result_.rounds) {
        result_.rounds = sum.rounds;
        most_rounds = node;
      }
      if (most_writes == kNoNode || sum.writes > result_.writes) {
        result_.writes = sum.writes;
        most_writes = node;
      }
    }
    if (result_.rounds > limit_.rounds) {
      result_.beyond = follow(most_rounds, components, &Sum::rounds);
    } else if (result_.writes > limit_.writes) {
      result_.beyond = follow(most_writes, components, &Sum::writes);
    }
  }

  // From the node along edges that keep the sum the largest.
  Path follow(Node at, const Components& components, std::uint64_t Sum::* which) const {
    Path path = path_to(graph_, at);
    while (best_[components.of(at)].*which > 0) {
      const auto component = components.of(at);
      const auto way = walk_along(
          graph_, at,
          [&](Node from, EdgeId edge) {
            return components.of(from) == component && scope_.has(graph_, graph_.target(edge));
          },
          [&](Node from, EdgeId edge) {
            const auto then = components.of(graph_.target(edge));
            return components.of(from) == component && then != component && then != 0 &&
                   work_of(edge).*which + best_[then].*which == best_[component].*which;
          });
      FP_CHECK(way.has_value());
      path.edges.insert(path.edges.end(), way->begin(), way->end());
      at = graph_.target(way->back());
    }
    return path;
  }

  const Graph& graph_;
  Scope scope_;
  std::size_t property_;
  WorkLimit limit_;
  std::vector<Sum> best_;  // by component, whose numbers begin with 1
  std::optional<std::pair<Node, EdgeId>> loop_;
  MostWork result_;
};

}  // namespace

MostWork most_work(const Graph& graph, Scope scope, std::size_t property, WorkLimit limit) {
  return MostWorkSearch(graph, scope, property, limit).run();
}

}  // namespace fixpoint::verify
