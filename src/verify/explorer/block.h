// SPDX-License-Identifier: Apache-2.0
//
// Block: some states of the frontier and what came of expanding them. The unit of work of a thread.
//
// A block sees the set of visited states as it was before the round: successors that are in there
// are dropped at once, the others become candidates, of which the owner of each part of the set
// keeps the first. Blocks are in the order of their states, so everything is as if one thread had
// done it all.
#pragma once

#include "base/hash.h"
#include "verify/checks.h"
#include "verify/explorer/recent.h"
#include "verify/explorer/second_time.h"
#include "verify/explorer/visited.h"
#include "verify/liveness/graph.h"
#include "verify/model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

// The note of an initial state; others have a prefix of their parent's fingerprint, plus 1.
inline constexpr std::uint32_t kRootNote = ~std::uint32_t{0};

// What a block is expanded in.
template <Model M>
struct Surroundings {
  const M& model;
  const Checks<M>& checks;
  const Visited& visited;
  unsigned parts;  // into which the set is divided
  std::uint32_t execute_twice_one_in;
};

template <Model M>
class Block {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  struct Candidate {
    State state;
    Hash128 fingerprint;
    std::uint32_t source;  // among the block's states
    bool fresh = false;
  };

  using Surroundings = verify::Surroundings<M>;

  // first_node: the number of the first of the states, when the graph is kept.
  void expand(const Surroundings& around, std::span<const State> states, Node first_node,
              const Findings& so_far, Recent& recent) {
    clear(around, first_node, so_far);
    // Enough states that the first look-up's memory has arrived when the last one's was asked for.
    constexpr std::size_t kBatch = 32;
    for (std::size_t i = 0; i < states.size(); i += kBatch) {
      const std::size_t begin = candidates_.size();
      for (const State& state : states.subspan(i, std::min(kBatch, states.size() - i))) {
        successors(around, state, recent);
      }
      drop_visited(around, begin);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const unsigned shard = Visited::shard_of(candidates_[i].fingerprint);
      parts_[shard * around.parts / Visited::kShards].push_back(static_cast<std::uint32_t>(i));
    }
  }

  // Candidates that belong to one part of the set.
  void insert(Visited& visited, std::size_t part, bool keeps_graph) {
    constexpr std::size_t kAhead = 16;
    const auto& mine = parts_[part];
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (i + kAhead < mine.size()) {
        visited.prefetch(candidates_[mine[i + kAhead]].fingerprint);
      }
      Candidate& candidate = candidates_[mine[i]];
      const std::uint32_t note =
          keeps_graph ? kRootNote : Visited::prefix_of(sources_[candidate.source]) + 1;
      candidate.fresh = visited.insert(candidate.fingerprint, note);
    }
  }

  // Asks the properties of the states that are new.
  void check_fresh(const Checks<M>& checks) {
    bits_.clear();
    for (const Candidate& candidate : candidates_) {
      if (!candidate.fresh) continue;
      checks.ask_state(candidate.state, findings_, [&] {
        return Breach{.before = sources_[candidate.source],
                      .before_node = first_node_ + candidate.source,
                      .after = candidate.fingerprint};
      });
      if (checks.wants_graph()) bits_.push_back(checks.node_bits(candidate.state));
    }
  }

  // Numbers the new states in their order, beginning with `first`; what comes after the last.
  Node give_numbers(Node first) {
    numbers_.assign(candidates_.size(), kNoNode);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].fresh) numbers_[i] = first++;
    }
    return first;
  }
  void note_numbers(Visited& visited, std::size_t part) const {
    for (const std::uint32_t i : parts_[part]) {
      const Candidate& candidate = candidates_[i];
      if (candidate.fresh) visited.set_note(candidate.fingerprint, numbers_[i] + 1);
    }
  }
  // Finds the number of each edge's target; then add_to may be called.
  void resolve(const Visited& visited) {
    for (Edge& edge : edges_) {
      if (!edge.candidate) continue;
      const Candidate& candidate = candidates_[edge.target];
      edge.target =
          candidate.fresh ? numbers_[edge.target] : visited.find(candidate.fingerprint) - 1;
      edge.candidate = false;
    }
  }
  void add_nodes(Graph& graph) const {
    std::size_t next = 0;
    for (const Candidate& candidate : candidates_) {
      if (candidate.fresh) graph.add_node(first_node_ + candidate.source, bits_[next++]);
    }
  }
  void add_edges(Graph& graph, std::size_t works) const {
    std::size_t at = 0;
    for (const std::uint32_t count : edge_counts_) {
      graph.begin_edges();
      for (const std::size_t end = at + count; at < end; ++at) {
        graph.add_edge(edges_[at].target, edges_[at].actor, edges_[at].marks);
        for (std::size_t i = 0; i < works; ++i) graph.add_work(i, works_[at * works + i]);
      }
    }
  }

  std::vector<Candidate>& candidates() { return candidates_; }
  const Findings& findings() const { return findings_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t executed_twice() const { return executed_twice_; }
  const std::array<std::uint64_t, kActorsMax>& by_actor() const { return by_actor_; }
  // Which action gave two different successors; empty when none did.
  const std::string& nondeterminism() const { return nondeterminism_; }

 private:
  struct Edge {
    std::uint32_t target;  // a node, or the candidate that will become one
    ActorId actor;
    std::uint8_t marks;
    bool candidate;
  };

  void clear(const Surroundings& around, Node first_node, const Findings& so_far) {
    first_node_ = first_node;
    candidates_.clear();
    sources_.clear();
    edges_.clear();
    edge_counts_.clear();
    works_.clear();
    parts_.resize(around.parts);
    for (auto& part : parts_) part.clear();
    findings_.reset(around.checks.size());
    findings_.met = so_far.met;  // what has happened need not be asked again
    transitions_ = 0;
    executed_twice_ = 0;
    by_actor_.fill(0);
  }

  void successors(const Surroundings& around, const State& state, Recent& recent) {
    const Hash128 fingerprint = around.model.fingerprint(state);
    const auto source = static_cast<std::uint32_t>(sources_.size());
    sources_.push_back(fingerprint);
    const std::size_t before = candidates_.size();
    actions_.clear();
    around.model.actions(state, actions_);
    for (const Action& action : actions_) {
      auto after = around.model.next(state, action);
      if (!after) continue;
      const Hash128 print = around.model.fingerprint(*after);
      ++transitions_;
      ++by_actor_[around.model.actor(action)];
      if (around.checks.asks_steps()) {
        around.checks.ask_step(state, action, *after, findings_, [&] {
          return Breach{.before = fingerprint, .before_node = first_node_ + source, .after = print};
        });
      }
      if (around.checks.wants_graph()) {
        add_edge(around, state, action, *after);
      } else if (print == fingerprint || recent.add(print)) {
        continue;
      }
      around.visited.prefetch(print);
      candidates_.push_back({*std::move(after), print, source});
    }
    if (around.checks.wants_graph()) {
      edge_counts_.push_back(static_cast<std::uint32_t>(candidates_.size() - before));
    }
    if (in_sample(fingerprint, around.execute_twice_one_in)) {
      auto again = second_time(around.model, state, actions_);
      executed_twice_ += again.executed;
      if (!again.nondeterminism.empty()) nondeterminism_ = std::move(again.nondeterminism);
    }
  }

  void add_edge(const Surroundings& around, const State& state, const Action& action,
                const State& after) {
    edges_.push_back({.target = 0,
                      .actor = around.model.actor(action),
                      .marks = around.checks.edge_marks(state, action, after),
                      .candidate = true});
    for (std::size_t i = 0; i < around.checks.works(); ++i) {
      works_.push_back(around.checks.work(i, state, action, after));
    }
  }

  // Keeps the candidates from `begin` on that were not visited before this round.
  void drop_visited(const Surroundings& around, std::size_t begin) {
    std::size_t kept = begin;
    const std::size_t first_edge =
        edges_.size() - (around.checks.wants_graph() ? candidates_.size() - begin : 0);
    for (std::size_t i = begin; i < candidates_.size(); ++i) {
      const std::uint32_t note = around.visited.find(candidates_[i].fingerprint);
      if (around.checks.wants_graph()) {
        Edge& edge = edges_[first_edge + i - begin];
        edge.candidate = note == 0;
        edge.target = note == 0 ? static_cast<std::uint32_t>(kept) : note - 1;
      }
      if (note != 0) continue;
      if (kept != i) candidates_[kept] = std::move(candidates_[i]);
      ++kept;
    }
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(kept), candidates_.end());
  }

  Node first_node_ = 0;
  std::vector<Action> actions_;
  std::vector<Candidate> candidates_;
  std::vector<Hash128> sources_;
  std::vector<std::vector<std::uint32_t>> parts_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> edge_counts_;
  std::vector<Work> works_;
  std::vector<Node> numbers_;
  std::vector<std::uint64_t> bits_;
  Findings findings_;
  std::uint64_t transitions_ = 0;
  std::uint64_t executed_twice_ = 0;
  std::array<std::uint64_t, kActorsMax> by_actor_{};
  std::string nondeterminism_;
};

}  // namespace fixpoint::verify
