// SPDX-License-Identifier: Apache-2.0
#include "verify/models/coffee_can.h"

#include "base/error.h"

#include <fmt/format.h>

namespace fixpoint::verify {

CoffeeCan::CoffeeCan(unsigned beans_max) : beans_max_(beans_max) {
  FP_CHECK(beans_max >= 1 && beans_max <= kSizeMax);
}

std::vector<CoffeeCan::State> CoffeeCan::initial() const {
  std::vector<State> all;
  for (unsigned black = 0; black <= beans_max_; ++black) {
    for (unsigned white = 0; white <= beans_max_ - black; ++white) {
      if (black + white == 0) continue;
      all.push_back({static_cast<std::uint16_t>(black), static_cast<std::uint16_t>(white)});
    }
  }
  return all;
}

void CoffeeCan::actions(const State& state, std::vector<Action>& out) const {
  if (state.beans() == 1) return out.push_back(Action::Done);
  if (state.white >= 2) out.push_back(Action::TwoWhite);
  if (state.black >= 2) out.push_back(Action::TwoBlack);
  if (state.white >= 1 && state.black >= 1) out.push_back(Action::OneOfEach);
}

std::optional<CoffeeCan::State> CoffeeCan::next(State state, Action action) const {
  switch (action) {
    case Action::TwoWhite:
      state.white = static_cast<std::uint16_t>(state.white - 2);
      ++state.black;
      break;
    case Action::TwoBlack:
    case Action::OneOfEach: --state.black; break;
    case Action::Done: break;
  }
  return state;
}

std::string CoffeeCan::describe(Action action) const {
  switch (action) {
    case Action::TwoWhite: return "takes two white beans, puts a black one in";
    case Action::TwoBlack: return "takes two black beans, puts a black one in";
    case Action::OneOfEach: return "takes one of each, puts the white one back";
    case Action::Done: return "finds a single bean";
  }
  return "?";
}

Telling CoffeeCan::tell(const State& before, Action action, const State& after) const {
  return {.from = "hand",
          .to = "can",
          .asks = describe(action),
          .changes = {fmt::format("{} black, {} white -> {} black, {} white", before.black,
                                  before.white, after.black, after.white)}};
}

Properties<CoffeeCan> CoffeeCan::properties() const {
  Properties<CoffeeCan> all;
  all.on_transition(
      "beans-get-fewer",
      [](const State& before, Action, const State& after) {
        return after.beans() < before.beans();
      },
      [](const State&, Action action, const State&) { return action != Action::Done; });
  all.on_transition("whites-keep-their-parity",
                    [](const State& before, Action, const State& after) {
                      return before.white % 2 == after.white % 2;
                    });
  all.leads_to(
      "one-bean-is-left", [](const State&) { return true; },
      [](const State& state) { return state.beans() == 1; });
  return all;
}

}  // namespace fixpoint::verify
