// SPDX-License-Identifier: Apache-2.0
//
// explore: visits every reachable state of a model, breadth first, and answers its properties.
//
// A level of the search is worked off in rounds of a fixed number of states, a round in blocks by
// all workers: expand (the visited set is only read), insert (each worker has its own part of the
// set), check what is new. Numbers, verdicts and counterexamples do not depend on the number of
// workers. Either everything reachable was seen, or the result says why not. Read next: block.h
// (one thread's work), crowd.h (the same for small states), verify/checks.h (properties),
// verify/liveness/liveness.h (what needs the graph).
#pragma once

#include "base/clock.h"
#include "verify/checks.h"
#include "verify/explorer/block.h"
#include "verify/explorer/crew.h"
#include "verify/explorer/crowd.h"
#include "verify/explorer/exploration.h"
#include "verify/explorer/frontier.h"
#include "verify/explorer/limits.h"
#include "verify/explorer/visited.h"
#include "verify/liveness/components.h"
#include "verify/liveness/graph.h"
#include "verify/liveness/judge.h"
#include "verify/liveness/retrace.h"
#include "verify/model.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Explorer {
 public:
  using State = typename M::State;

  Explorer(const M& model, const ExploreOptions& options)
      : model_(model),
        limits_(options),
        options_(options),
        actors_(model.actors()),
        checks_(model.properties()),
        crew_(std::clamp(options.workers, 1U, Visited::kShards)),
        recent_(crew_.workers()),
        arrived_(crew_.workers()),
        graph_(checks_.works()) {
    FP_CHECK(actors_.size() <= kActorsMax);
    findings_.reset(checks_.size());
  }

  Exploration run() {
    for (const Actor& actor : actors_) result_.actors.push_back({.actor = actor});
    begin();
    while (!next_.empty() && !ended()) level();
    if (cut_ || !next_.empty()) {
      result_.incomplete =
          limits_.exceeded().empty() ? "stopped at the first violation" : limits_.exceeded();
    }
    conclude();
    result_.visited_bytes = visited_.bytes();
    result_.graph_bytes = graph_.bytes();
    result_.elapsed = limits_.elapsed();
    return std::move(result_);
  }

 private:
  // Small states are cheap to expand: more of them make a task worth handing out.
  static constexpr bool kSmall = std::is_trivially_copyable_v<State> && sizeof(State) <= 64;
  static constexpr std::size_t kBlockStates = kSmall ? 256 : 16;
  static constexpr std::size_t kRoundBlocks = 64;
  // Where whole levels are expanded before anything is looked up: the more of them, the more of
  // their successors are the same. A round of such crowds takes some 150 MB at most.
  static constexpr std::size_t kCrowdStates = 8192;

  void begin() {
    const auto roots = model_.initial();
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const Hash128 print = model_.fingerprint(roots[i]);
      const auto number = static_cast<std::uint32_t>(roots_.size());
      if (!visited_.insert(print, keeps_graph() ? number + 1 : kRootNote)) continue;
      roots_.push_back(i);
      result_.digest += print.low;
      checks_.ask_state(roots[i], findings_, [&] { return Breach{.after = print}; });
      if (keeps_graph()) graph_.add_node(kNoNode, checks_.node_bits(roots[i]));
      next_.push_back(roots[i]);
    }
    result_.distinct = roots_.size();
    result_.depth = next_.empty() ? 0 : 1;
  }

  void level() {
    ++level_;
    Frontier<State> current = std::exchange(next_, {});
    const std::size_t crowd =
        std::clamp<std::size_t>(current.size() / kRoundBlocks, kBlockStates, kCrowdStates);
    while (!current.empty() && !ended()) {
      if (kSmall && !keeps_graph()) {
        round_of_crowds(current, crowd);
      } else {
        round(current);
      }
      if (!next_.empty()) result_.depth = level_ + 1;
      limits_.look({.distinct = result_.distinct,
                    .transitions = result_.transitions,
                    .frontier = current.size() + next_.size(),
                    .depth = result_.depth,
                    .bytes = visited_.bytes() + graph_.bytes() + current.bytes() + next_.bytes()});
    }
    cut_ = !current.empty();
  }

  void round(Frontier<State>& current) {
    const auto spans = current.take(kBlockStates, kRoundBlocks);
    if (blocks_.size() < spans.size()) blocks_.resize(spans.size());
    const auto around = surroundings();
    std::vector<Node> first_nodes;
    for (const auto& span : spans) {
      first_nodes.push_back(expanded_);
      expanded_ += static_cast<Node>(span.size());
    }
    crew_.each(spans.size(), [&](std::size_t i, unsigned worker) {
      blocks_[i].expand(around, spans[i], first_nodes[i], findings_, recent_[worker]);
    });
    each_part(spans.size(), [&](Block<M>& block, std::size_t part) {
      block.insert(visited_, part, keeps_graph());
    });
    crew_.each(spans.size(), [&](std::size_t i, unsigned) { blocks_[i].check_fresh(checks_); });
    if (keeps_graph()) extend_graph(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) gather(blocks_[i]);
    current.drop();
  }

  void round_of_crowds(Frontier<State>& current, std::size_t states) {
    const auto spans = current.take(states, kRoundBlocks);
    if (crowds_.size() < spans.size()) crowds_.resize(spans.size());
    const std::span crowds{crowds_.data(), spans.size()};
    const auto around = surroundings();
    crew_.each(spans.size(), [&](std::size_t i, unsigned worker) {
      crowds[i].expand(around, spans[i], findings_, recent_[worker]);
    });
    std::vector<std::uint64_t> sums(crew_.workers(), 0);
    crew_.each(crew_.workers(), [&](std::size_t part, unsigned) {
      for (unsigned region = 0; region < Crowd<M>::kRegions; ++region) {
        const unsigned shard = region / Crowd<M>::kRegionsOfShard;
        if (shard * around.parts / Visited::kShards != part) continue;
        sums[part] += admit<M>(crowds, region, visited_, arrived_[part]);
      }
    });
    for (const std::uint64_t sum : sums) result_.digest += sum;
    crew_.each(spans.size(),
               [&](std::size_t i, unsigned) { crowds[i].check_fresh(model_, checks_); });
    for (const auto& crowd : crowds) {
      crowd.each_fresh([&](const State& state, std::size_t) {
        next_.push_back(state);
        ++result_.distinct;
      });
      absorb(crowd);
    }
    current.drop();
  }

  Surroundings<M> surroundings() const {
    return {.model = model_,
            .checks = checks_,
            .visited = visited_,
            .parts = crew_.workers(),
            .execute_twice_one_in = options_.execute_twice_one_in};
  }

  // A part of the visited set belongs to one worker, who goes through all blocks in order.
  template <class Task>
  void each_part(std::size_t blocks, const Task& task) {
    crew_.each(crew_.workers(), [&](std::size_t part, unsigned) {
      for (std::size_t i = 0; i < blocks; ++i) task(blocks_[i], part);
    });
  }

  void extend_graph(std::size_t blocks) {
    Node next = graph_.size();
    for (std::size_t i = 0; i < blocks; ++i) next = blocks_[i].give_numbers(next);
    each_part(blocks,
              [&](Block<M>& block, std::size_t part) { block.note_numbers(visited_, part); });
    crew_.each(blocks, [&](std::size_t i, unsigned) { blocks_[i].resolve(visited_); });
    for (std::size_t i = 0; i < blocks; ++i) {
      blocks_[i].add_nodes(graph_);
      blocks_[i].add_edges(graph_, checks_.works());
    }
  }

  void gather(Block<M>& block) {
    for (auto& candidate : block.candidates()) {
      if (!candidate.fresh) continue;
      result_.digest += candidate.fingerprint.low;
      next_.push_back(std::move(candidate.state));
      ++result_.distinct;
    }
    absorb(block);
  }

  template <class Expanded>
  void absorb(const Expanded& block) {
    result_.transitions += block.transitions();
    result_.executed_twice += block.executed_twice();
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      result_.actors[i].transitions += block.by_actor()[i];
    }
    if (result_.nondeterminism.empty()) result_.nondeterminism = block.nondeterminism();
    findings_.absorb(block.findings());
    for (auto& breach : findings_.breach) {
      if (breach && breach->steps_before == kNotKnown) breach->steps_before = level_ - 1;
    }
  }

  bool keeps_graph() const { return checks_.wants_graph(); }

  bool ended() const {
    return !limits_.exceeded().empty() ||
           (options_.stop_at_violation &&
            std::ranges::any_of(findings_.breach, [](const auto& b) { return b.has_value(); }));
  }

  void conclude() {
    if (keeps_graph() && result_.complete()) {
      result_.components = Components(graph_, {}, {}).count();
    }
    for (std::size_t i = 0; i < checks_.size(); ++i) result_.verdicts.push_back(verdict(i));
    std::uint64_t fair = 0;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      if (actors_[i].fair) fair |= std::uint64_t{1} << i;
    }
    if (!result_.complete()) return;
    for (const Question& question : checks_.questions()) {
      Answer answer = judge(graph_, question, fair);
      Verdict& into = result_.verdicts[question.property];
      into.outcome = answer.outcome;
      into.detail = std::move(answer.detail);
      if (answer.path) into.trace = retrace(*answer.path);
    }
  }

  Verdict verdict(std::size_t index) {
    const Property<M>& property = checks_[index];
    Verdict verdict{.name = property.name, .kind = property.kind};
    if (findings_.breach[index]) {
      verdict.outcome = Outcome::Violated;
      verdict.trace = retrace(*findings_.breach[index]);
      if (!verdict.trace) verdict.detail = "the way there cannot be executed again";
    } else if (property.kind == PropertyKind::Sometimes && findings_.met[index] != 0) {
      verdict.outcome = Outcome::Holds;
    } else if (!result_.complete() || needs_graph(property.kind)) {
      verdict.outcome = Outcome::Unknown;
    } else if (property.kind == PropertyKind::Sometimes) {
      verdict.outcome = Outcome::Violated;
      verdict.detail = "it never happens";
    } else if (findings_.premise[index] == 0) {
      verdict.outcome = Outcome::Vacuous;
      verdict.detail = "its premise never came true";
    } else {
      verdict.outcome = Outcome::Holds;
      if (property.kind == PropertyKind::OnlyTransitions) {
        verdict.detail = rows_not_taken(property.table, findings_.rows[index]);
      }
    }
    return verdict;
  }

  bool walk(const Path& path, Retracer<M>& retracer) const {
    if (!retracer.start_at(roots_.at(path.root))) return false;
    Node at = path.root;
    for (const EdgeId edge : path.edges) {
      if (!retracer.step_by_possible(edge - graph_.first_edge(at))) return false;
      at = graph_.target(edge);
    }
    return true;
  }

  std::optional<Trace> retrace(const Path& path) {
    Retracer<M> retracer(model_, actors_);
    if (!walk(path, retracer)) return std::nullopt;
    retracer.trace().loop_from = path.loop_from;
    return std::move(retracer.trace());
  }

  std::optional<Trace> retrace(const Breach& breach) {
    if (!breach.before) {
      Retracer<M> retracer(model_, actors_);
      if (!retracer.start_with(breach.after)) return std::nullopt;
      return std::move(retracer.trace());
    }
    if (keeps_graph()) {
      Retracer<M> retracer(model_, actors_);
      if (!walk(path_to(graph_, breach.before_node), retracer)) return std::nullopt;
      if (!retracer.step_to(breach.after)) return std::nullopt;
      return std::move(retracer.trace());
    }
    std::vector<Hash128> way{breach.after, *breach.before};
    return retrace_back(way, breach.steps_before);
  }

  // `way` leads from the breach back. A note has only the first bits of a parent: mostly one state
  // has them, and of several the right one is found by executing.
  std::optional<Trace> retrace_back(std::vector<Hash128>& way, std::uint32_t steps) {
    const std::uint32_t note = visited_.find(way.back());
    if (steps == 0) return note == kRootNote ? retrace_forward(way) : std::nullopt;
    if (note == kRootNote) return std::nullopt;
    for (const auto& parent : visited_.with_prefix(note - 1)) {
      way.push_back(parent.fingerprint);
      if (auto trace = retrace_back(way, steps - 1)) return trace;
      way.pop_back();
    }
    return std::nullopt;
  }

  std::optional<Trace> retrace_forward(const std::vector<Hash128>& way) {
    Retracer<M> retracer(model_, actors_);
    if (!retracer.start_with(way.back())) return std::nullopt;
    for (std::size_t i = way.size() - 1; i-- > 0;) {
      if (!retracer.step_to(way[i])) return std::nullopt;
    }
    return std::move(retracer.trace());
  }

  const M& model_;
  Limits limits_;
  const ExploreOptions& options_;
  std::vector<Actor> actors_;
  Checks<M> checks_;
  Crew crew_;
  Visited visited_;
  std::vector<Recent> recent_;   // by worker
  std::vector<Recent> arrived_;  // by part of the set
  Graph graph_;
  std::vector<std::size_t> roots_;  // the initial states that differ, by their place in initial()
  Frontier<State> next_;
  std::vector<Block<M>> blocks_;
  std::vector<Crowd<M>> crowds_;
  Findings findings_;
  Exploration result_;
  std::uint32_t level_ = 0;  // of the states being expanded
  Node expanded_ = 0;
  bool cut_ = false;
};

template <Model M>
Exploration explore(const M& model, const ExploreOptions& options = {}) {
  return Explorer<M>(model, options).run();
}

}  // namespace fixpoint::verify
