// SPDX-License-Identifier: Apache-2.0
//
// Crowd: as a block, but of many small states at once, for models whose steps cost less than a look
// into the set of visited states.
//
// Nothing is looked up while the states are expanded. Successors are sorted by the region of the
// set that they belong to, and whoever owns a region goes through those of all crowds of a round.
// So the same successor found by far apart states is met again within a cache's length, and only
// the first of them costs a look into memory. Crowds and what they found are in order, so
// everything is as if one thread had done it all.
#pragma once

#include "base/hash.h"
#include "verify/checks.h"
#include "verify/explorer/block.h"
#include "verify/explorer/recent.h"
#include "verify/explorer/second_time.h"
#include "verify/explorer/visited.h"
#include "verify/model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Crowd {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  // Regions are parts of shards, so that one worker writes to each.
  static constexpr unsigned kRegionBits = 8;
  static constexpr unsigned kRegions = 1U << kRegionBits;
  static constexpr unsigned kRegionsOfShard = kRegions / Visited::kShards;

  struct Arrival {
    Hash128 fingerprint;
    std::uint32_t note;
    std::uint32_t index;  // among the crowd's successors
  };

  void expand(const Surroundings<M>& around, std::span<const State> states, const Findings& so_far,
              Recent& recent) {
    clear(around, so_far);
    // So many that what the first of them asked for has arrived when the last one was expanded.
    constexpr std::size_t kStride = 16;
    for (std::size_t i = 0; i < states.size(); i += kStride) {
      found_.clear();
      const std::size_t first = sources_.size();
      for (const State& state : states.subspan(i, std::min(kStride, states.size() - i))) {
        find_successors(around, state, recent);
      }
      sift(first, recent);
    }
    fresh_.assign(successors_.size(), 0);
  }

  std::vector<Arrival>& arrivals(unsigned region) { return regions_[region]; }
  void mark_fresh(std::uint32_t index) { fresh_[index] = 1; }

  // Calls it with the states that are new, in order.
  template <class Task>
  void each_fresh(const Task& task) const {
    for (std::size_t i = 0; i < successors_.size(); ++i) {
      if (fresh_[i] != 0) task(successors_[i], i);
    }
  }
  void check_fresh(const M& model, const Checks<M>& checks) {
    each_fresh([&](const State& state, std::size_t index) {
      checks.ask_state(state, findings_, [&] {
        return Breach{.before = source_of(index), .after = model.fingerprint(state)};
      });
    });
  }

  const Findings& findings() const { return findings_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t executed_twice() const { return executed_twice_; }
  const std::array<std::uint64_t, kActorsMax>& by_actor() const { return by_actor_; }
  const std::string& nondeterminism() const { return nondeterminism_; }

 private:
  struct Source {
    Hash128 fingerprint;
    std::size_t end;  // of its successors: in found_ at first, then among those that are kept
  };
  struct Found {
    Hash128 fingerprint;
    State state;
  };

  void clear(const Surroundings<M>& around, const Findings& so_far) {
    successors_.clear();
    sources_.clear();
    for (auto& region : regions_) region.clear();
    findings_.reset(around.checks.size());
    findings_.met = so_far.met;  // what has happened need not be asked again
    transitions_ = 0;
    executed_twice_ = 0;
    by_actor_.fill(0);
  }

  void find_successors(const Surroundings<M>& around, const State& state, const Recent& recent) {
    const Hash128 fingerprint = around.model.fingerprint(state);
    const bool asks_steps = around.checks.asks_steps();
    each_successor(around.model, state, [&](const Action& action, const State& after) {
      const Hash128 print = around.model.fingerprint(after);
      ++by_actor_[around.model.actor(action)];
      recent.prefetch(print);
      found_.push_back({print, after});
      if (asks_steps) ask_step(around.checks, fingerprint, state, action);
    });
    sources_.push_back({fingerprint, found_.size()});
    if (in_sample(fingerprint, around.execute_twice_one_in)) execute_twice(around.model, state);
  }

  // Of the successor that was found last.
  void ask_step(const Checks<M>& checks, Hash128 source, const State& before,
                const Action& action) {
    const Found& last = found_.back();
    checks.ask_step(before, action, last.state, findings_,
                    [&] { return Breach{.before = source, .after = last.fingerprint}; });
  }

  void execute_twice(const M& model, const State& state) {
    actions_.clear();
    model.actions(state, actions_);
    auto again = second_time(model, state, actions_);
    executed_twice_ += again.executed;
    if (!again.nondeterminism.empty()) nondeterminism_ = std::move(again.nondeterminism);
  }

  // Keeps what was not seen lately, sorted by region.
  void sift(std::size_t first_source, Recent& recent) {
    std::size_t at = 0;
    for (std::size_t i = first_source; i < sources_.size(); ++i) {
      Source& source = sources_[i];
      const std::uint32_t note = Visited::prefix_of(source.fingerprint) + 1;
      for (; at < source.end; ++at) {
        const Hash128 print = found_[at].fingerprint;
        if (print == source.fingerprint || recent.add(print)) continue;
        regions_[print.high >> (64 - kRegionBits)].push_back(
            {print, note, static_cast<std::uint32_t>(successors_.size())});
        successors_.push_back(found_[at].state);
      }
      source.end = successors_.size();
    }
    transitions_ += found_.size();
  }

  template <class Sink>
  void each_successor(const M& model, const State& state, const Sink& sink) {
    if constexpr (Strides<M>) {
      model.successors(state, sink);
    } else {
      actions_.clear();
      model.actions(state, actions_);
      for (const Action& action : actions_) {
        if (auto after = model.next(state, action)) sink(action, *after);
      }
    }
  }

  Hash128 source_of(std::size_t successor) const {
    return std::ranges::upper_bound(sources_, successor, {}, &Source::end)->fingerprint;
  }

  std::vector<Action> actions_;
  std::vector<Found> found_;  // the successors of the last few states
  std::vector<State> successors_;
  std::vector<std::uint8_t> fresh_;  // by successor
  std::vector<Source> sources_;
  std::array<std::vector<Arrival>, kRegions> regions_;
  Findings findings_;
  std::uint64_t transitions_ = 0;
  std::uint64_t executed_twice_ = 0;
  std::array<std::uint64_t, kActorsMax> by_actor_{};
  std::string nondeterminism_;
};

// Puts what arrived in one region, from all crowds in order, into the set. The sum of the new
// fingerprints.
template <Model M>
std::uint64_t admit(std::span<Crowd<M>> crowds, unsigned region, Visited& visited, Recent& recent) {
  // As many as memory needs to answer the first of them.
  constexpr std::size_t kAhead = 32;
  constexpr std::size_t kSoon = 8;  // the same for a core's own cache
  struct Waiting {
    const typename Crowd<M>::Arrival* arrival = nullptr;
    Crowd<M>* crowd = nullptr;
  };
  std::array<Waiting, kAhead> waiting;
  std::size_t came = 0;
  std::uint64_t sum = 0;
  const auto let_in = [&](const Waiting& first) {
    if (!visited.insert(first.arrival->fingerprint, first.arrival->note)) return;
    first.crowd->mark_fresh(first.arrival->index);
    sum += first.arrival->fingerprint.low;
  };
  for (auto& crowd : crowds) {
    const auto& arrivals = crowd.arrivals(region);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const auto& arrival = arrivals[i];
      if (i + kSoon < arrivals.size()) recent.prefetch(arrivals[i + kSoon].fingerprint);
      if (recent.add(arrival.fingerprint)) continue;
      visited.prefetch(arrival.fingerprint);
      Waiting& place = waiting[came % kAhead];
      if (came >= kAhead) let_in(place);
      place = {&arrival, &crowd};
      ++came;
    }
  }
  for (std::size_t i = came - std::min(came, kAhead); i < came; ++i) let_in(waiting[i % kAhead]);
  return sum;
}

}  // namespace fixpoint::verify
