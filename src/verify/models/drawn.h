// SPDX-License-Identifier: Apache-2.0
//
// Drawn: a model given as a drawing. States are numbers, 0 is the first; an arrow says who takes
// it.
#pragma once

#include "verify/explorer/mix.h"
#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
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
    bool operator==(const Action&) const = default;
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

}  // namespace fixpoint::verify
