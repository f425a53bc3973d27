// SPDX-License-Identifier: Apache-2.0
//
// CoffeeCan: two beans are taken out; of one colour, a black one goes back, else the white one.
// What is the last bean? (Gries, "The Science of Programming", section 23.2.) As in the TLA+ module
// CoffeeCan of the TLA+ examples, whose numbers are published: 5,150 distinct states and 20,002
// generated for up to 100 beans, 501,500 and 2,000,002 for 1,000.
#pragma once

#include "verify/explorer/mix.h"
#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

class CoffeeCan {
 public:
  struct State {
    std::uint16_t black = 0;
    std::uint16_t white = 0;
    unsigned beans() const { return unsigned{black} + white; }
  };
  enum class Action : std::uint8_t { TwoWhite, TwoBlack, OneOfEach, Done };
  static constexpr unsigned kSizeMax = 5'000;  // 12.5 million cans

  explicit CoffeeCan(unsigned beans_max);

  std::vector<State> initial() const;
  void actions(const State& state, std::vector<Action>& out) const;
  std::optional<State> next(State state, Action action) const;
  Hash128 fingerprint(const State& state) const {
    return mix128(std::uint64_t{state.black} | std::uint64_t{state.white} << 16);
  }
  std::vector<Actor> actors() const {
    return {
        {"hand", true}
    };
  }
  ActorId actor(Action) const { return 0; }
  std::string describe(Action action) const;
  Telling tell(const State& before, Action action, const State& after) const;
  Properties<CoffeeCan> properties() const;

 private:
  unsigned beans_max_;
};

}  // namespace fixpoint::verify
