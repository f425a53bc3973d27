// SPDX-License-Identifier: Apache-2.0
//
// Run: one way through a model at random, and what it says about the properties.
//
// A run has two parts. Unsettled, anything may happen, now and then something that need not: the
// acts of actors that are not fair, which are people and trouble. How often is drawn for each run.
// Then only fair actors act, each as likely as another, until the run rests: they can do nothing,
// or for a long time nothing that leads to a state that is new to it. What is told of liveness is
// told of that rest.
//
// A way that was found is executed again with fewer steps by `again`; steps that have become
// impossible are left out. Both are functions of what they are given.
#pragma once

#include "base/rng.h"
#include "verify/checks.h"
#include "verify/explorer/second_time.h"
#include "verify/model.h"
#include "verify/walks/aftermath.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Run {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  // How long anything may happen is drawn for each run: what is rare needs time, and what is common
  // is told best by a short one.
  static constexpr std::uint64_t kUnsettledMin = 50;
  static constexpr std::uint64_t kUnsettledMax = 400;
  // Then it is not going to rest.
  static constexpr std::uint64_t kSettlingMax = 20'000;
  // Without a new state, it rests: so many steps and so many for each state since it settles. One
  // that leaves a loop with every tenth step is taken for resting once in 10^11.
  static constexpr std::uint64_t kQuietSteps = 256;
  static constexpr std::uint64_t kQuietForEach = 4;

  // `roots` and what belongs to the others outlive this. Not empty.
  Run(const M& model, const Checks<M>& checks, const std::vector<Actor>& actors,
      const std::vector<State>& roots)
      : model_(model), checks_(checks), actors_(actors), roots_(roots) {}

  // A new run, as the seed wants it.
  void at_random(std::uint64_t seed, std::uint32_t execute_twice_one_in = 0) {
    Rng rng(seed);
    execute_twice_one_in_ = execute_twice_one_in;
    start(rng.below(roots_.size()));
    const std::uint64_t trouble_one_in = std::uint64_t{2} << rng.below(6);
    const std::uint64_t length = kUnsettledMin + rng.below(kUnsettledMax - kUnsettledMin);
    while (way_.size() < length && !broken()) {
      list_actions();
      const bool trouble = rng.below(trouble_one_in) == 0;
      if (!any_of(trouble ? troubles_ : calm_, rng) && !any_of(trouble ? calm_ : troubles_, rng)) {
        break;
      }
    }
    settle(rng.next());
  }

  // The way of another run, without the steps from `begin` to `end` of its unsettled part.
  void again(const Run& other, std::size_t begin, std::size_t end) {
    execute_twice_one_in_ = 0;
    start(other.root_);
    for (std::size_t i = 0; i < other.unsettled_ && !broken(); ++i) {
      if (i >= begin && i < end) continue;
      list_actions();
      if (std::ranges::find(listed_, other.way_[i]) != listed_.end()) take(other.way_[i]);
    }
    settle(other.settling_seed_);
  }

  // Properties of all kinds that it violates.
  const std::vector<std::size_t>& violated() const { return violated_; }
  const Findings& findings() const { return findings_; }
  const std::vector<Hash128>& fingerprints() const { return prints_; }
  std::size_t root() const { return root_; }
  const std::vector<Action>& way() const { return way_; }
  // Steps before it settles.
  std::size_t unsettled() const { return unsettled_; }
  // The steps after which it rests; none when it does not, or was broken off by a breach.
  std::optional<std::size_t> rests_after() const { return rests_after_; }
  const SecondTime& twice() const { return twice_; }
  // By actor.
  const std::vector<std::uint64_t>& steps_of() const { return steps_of_; }

 private:
  void start(std::size_t root) {
    root_ = root;
    way_.clear();
    prints_.clear();
    violated_.clear();
    rests_after_.reset();
    twice_ = {};
    steps_of_.assign(actors_.size(), 0);
    findings_.reset(checks_.size());
    aftermath_.emplace(checks_.questions());
    arrive(State{roots_[root]});
  }

  bool broken() const { return !violated_.empty(); }

  void arrive(State&& state) {
    state_ = std::move(state);
    prints_.push_back(model_.fingerprint(*state_));
    const auto here = [&] { return Breach{.after = prints_.back()}; };
    checks_.ask_state(*state_, findings_, here);
    if (checks_.wants_graph()) aftermath_->state(checks_.node_bits(*state_));
    for (std::size_t i = 0; i < findings_.breach.size(); ++i) {
      if (findings_.breach[i]) violated_.push_back(i);
    }
  }

  bool is_fair(const Action& action) const { return actors_[model_.actor(action)].fair; }

  void list_actions() {
    listed_.clear();
    calm_.clear();
    troubles_.clear();
    model_.actions(*state_, listed_);
    for (const Action& action : listed_) (is_fair(action) ? calm_ : troubles_).push_back(action);
    if (!in_sample(prints_.back(), execute_twice_one_in_)) return;
    auto second = second_time(model_, *state_, listed_);
    second.executed += twice_.executed;
    if (!twice_.nondeterminism.empty()) second.nondeterminism = std::move(twice_.nondeterminism);
    twice_ = std::move(second);
  }

  bool take(const Action& action) {
    auto after = model_.next(*state_, action);
    if (!after) return false;
    checks_.ask_step(*state_, action, *after, findings_,
                     [&] { return Breach{.after = model_.fingerprint(*after)}; });
    if (checks_.wants_graph()) aftermath_->step(checks_.edge_marks(*state_, action, *after));
    ++steps_of_[model_.actor(action)];
    way_.push_back(action);
    arrive(std::move(*after));
    return true;
  }

  // One of them that turns out to be possible; false: none is.
  bool any_of(std::vector<Action>& actions, Rng& rng) {
    while (!actions.empty()) {
      const std::size_t at = rng.below(actions.size());
      std::swap(actions[at], actions.back());
      if (take(actions.back())) return true;
      actions.pop_back();
    }
    return false;
  }

  // Someone who can act: who has much to do is not asked more often for that.
  bool anyone(Rng& rng) {
    list_actions();
    std::vector<ActorId> able;
    for (const Action& action : calm_) {
      if (std::ranges::find(able, model_.actor(action)) == able.end()) {
        able.push_back(model_.actor(action));
      }
    }
    while (!able.empty()) {
      const std::size_t at = rng.below(able.size());
      std::vector<Action> its;
      std::ranges::copy_if(calm_, std::back_inserter(its),
                           [&](const Action& action) { return model_.actor(action) == able[at]; });
      if (any_of(its, rng)) return true;
      able.erase(able.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return false;
  }

  void settle(std::uint64_t seed) {
    settling_seed_ = seed;
    unsettled_ = way_.size();
    if (broken()) return;
    Rng rng(seed);
    std::unordered_set<std::uint64_t> seen{prints_.back().low};
    aftermath_->rests();
    std::size_t rest = way_.size();
    while (way_.size() - unsettled_ < kSettlingMax) {
      if (way_.size() - rest > kQuietSteps + kQuietForEach * seen.size()) return conclude(rest);
      if (!anyone(rng)) {
        aftermath_->rests();
        return conclude(way_.size());
      }
      if (broken()) {
        unsettled_ = way_.size();  // all of it led there
        return;
      }
      if (!seen.insert(prints_.back().low).second) continue;
      rest = way_.size();
      aftermath_->rests();
    }
  }

  void conclude(std::size_t rest) {
    rests_after_ = rest;
    violated_ = aftermath_->violated();
  }

  const M& model_;
  const Checks<M>& checks_;
  const std::vector<Actor>& actors_;
  const std::vector<State>& roots_;
  std::uint32_t execute_twice_one_in_ = 0;

  std::size_t root_ = 0;
  std::optional<State> state_;
  std::vector<Action> way_;
  std::vector<Hash128> prints_;  // of the states, the first one too
  std::size_t unsettled_ = 0;
  std::uint64_t settling_seed_ = 0;
  std::optional<std::size_t> rests_after_;
  std::vector<std::size_t> violated_;
  Findings findings_;
  std::optional<Aftermath> aftermath_;
  SecondTime twice_;
  std::vector<std::uint64_t> steps_of_;
  // Of the newest state.
  std::vector<Action> listed_;
  std::vector<Action> calm_;
  std::vector<Action> troubles_;
};

}  // namespace fixpoint::verify
