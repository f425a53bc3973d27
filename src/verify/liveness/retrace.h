// SPDX-License-Identifier: Apache-2.0
//
// Retracer: executes a way through the graph once more, to tell it. Nothing but fingerprints is
// kept of the states behind the frontier.
#pragma once

#include "verify/explorer/exploration.h"
#include "verify/model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Retracer {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  Retracer(const M& model, const std::vector<Actor>& actors)
      : model_(model), actors_(actors), roots_(model.initial()) {}

  // All of these are false when there is no such thing, and then nothing has happened.
  bool start_with(Hash128 fingerprint) {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (model_.fingerprint(roots_[i]) == fingerprint) return start_at(i);
    }
    return false;
  }
  bool start_at(std::size_t root) {
    if (root >= roots_.size()) return false;
    state_ = roots_[root];
    trace_ = {.initial_index = static_cast<std::uint32_t>(root),
              .initial = model_.fingerprint(roots_[root])};
    if constexpr (Introduces<M>) trace_.introduction = model_.introduce(roots_[root]);
    return true;
  }
  // To a state with this fingerprint, by the first action that leads there.
  bool step_to(Hash128 fingerprint) {
    return step([&](std::size_t, std::size_t, const State& after) {
      return model_.fingerprint(after) == fingerprint;
    });
  }
  // By the nth of the actions that are possible.
  bool step_by_possible(std::size_t nth) {
    return step([&](std::size_t possible, std::size_t, const State&) { return possible == nth; });
  }
  bool step_by(const Action& action) {
    std::vector<Action> actions;
    model_.actions(*state_, actions);
    const auto found = std::ranges::find(actions, action);
    return found != actions.end() &&
           step_by_action(static_cast<std::size_t>(found - actions.begin()));
  }
  // By the nth of all actions.
  bool step_by_action(std::size_t nth) {
    return step([&](std::size_t, std::size_t action, const State&) { return action == nth; });
  }

  Trace& trace() { return trace_; }

 private:
  template <class Wanted>
  bool step(const Wanted& wanted) {
    std::vector<Action> actions;
    model_.actions(*state_, actions);
    std::size_t possible = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      auto after = model_.next(*state_, actions[i]);
      if (!after) continue;
      if (!wanted(possible++, i, *after)) continue;
      trace_.steps.push_back({.action_index = static_cast<std::uint32_t>(i),
                              .actor = actors_.at(model_.actor(actions[i])).name,
                              .action = model_.describe(actions[i]),
                              .telling = model_.tell(*state_, actions[i], *after),
                              .fingerprint = model_.fingerprint(*after)});
      state_ = std::move(after);
      return true;
    }
    return false;
  }

  const M& model_;
  const std::vector<Actor>& actors_;
  std::vector<State> roots_;
  std::optional<State> state_;
  Trace trace_;
};

}  // namespace fixpoint::verify
