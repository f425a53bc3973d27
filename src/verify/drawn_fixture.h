// SPDX-License-Identifier: Apache-2.0
//
// Drawn: a model given as a drawing, for tests. States are numbers; an arrow says who takes it.
#pragma once

#include "verify/explore.h"
#include "verify/mix.h"
#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

class Drawn {
 public:
  using State = unsigned;
  struct Action {
    unsigned to;
    ActorId who;
  };
  struct Arrow {
    unsigned from;
    unsigned to;
    ActorId who = 0;
  };

  explicit Drawn(std::vector<Arrow> arrows,
                 std::vector<Actor> all = {{"machine", true}, {"person"}})
      : arrows_(std::move(arrows)), actors_(std::move(all)) {}

  std::vector<State> initial() const { return {0}; }
  void actions(State state, std::vector<Action>& out) const {
    for (const Arrow& arrow : arrows_) {
      if (arrow.from == state) out.push_back({arrow.to, arrow.who});
    }
  }
  std::optional<State> next(State, Action action) const { return action.to; }
  Hash128 fingerprint(State state) const { return mix128(state); }
  std::vector<Actor> actors() const { return actors_; }
  ActorId actor(Action action) const { return action.who; }
  std::string describe(Action action) const { return "goes to " + std::to_string(action.to); }
  Telling tell(State before, Action action, State after) const {
    return {.from = actors_[action.who].name,
            .asks = describe(action),
            .changes = {std::to_string(before) + " -> " + std::to_string(after)}};
  }
  Properties<Drawn> properties() const { return wanted; }

  Properties<Drawn> wanted;

 private:
  std::vector<Arrow> arrows_;
  std::vector<Actor> actors_;
};

inline Verdict verdict_of(const Drawn& model, const ExploreOptions& options = {}) {
  return explore(model, options).verdicts.at(0);
}

// The states of a trace: "0 1 2 | 1 2" with the loop after the bar.
inline std::string way_of(const Verdict& verdict) {
  if (!verdict.trace) return "";
  std::string way = "0";
  for (std::size_t i = 0; i < verdict.trace->steps.size(); ++i) {
    if (verdict.trace->loop_from == i) way += " |";
    const auto& action = verdict.trace->steps[i].action;
    way += action.substr(action.rfind(' '));
  }
  if (verdict.trace->loop_from == verdict.trace->steps.size()) way += " |";
  return way;
}

}  // namespace fixpoint::verify
