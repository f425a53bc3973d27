// SPDX-License-Identifier: Apache-2.0
//
// Ring: how the nodes of a ring find out that all work is done, with a token that goes round
// (Dijkstra, Feijen and van Gasteren, "Derivation of a termination detection algorithm for
// distributed computations", EWD 840). As in the TLA+ module EWD840 of the TLA+ examples, whose
// numbers are published: 302 distinct states and 2,001 generated for three nodes; 1,566 and 15,986,
// depth 12, for four. As there, a guard of several alternatives is one action for each alternative
// that is true.
#pragma once

#include "verify/explorer/mix.h"
#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

class Ring {
 public:
  struct State {
    std::uint8_t active = 0;  // a bit for each node
    std::uint8_t black = 0;
    std::uint8_t token = 0;
    bool token_black = true;
  };
  enum class Kind : std::uint8_t { Probes, Passes, Sends, Rests };
  struct Action {
    Kind kind;
    std::uint8_t who;
    std::uint8_t to = 0;  // whom it wakes, or which alternative of the guard is true
    bool operator==(const Action&) const = default;
  };
  enum class Nodes : std::uint8_t {
    Free,        // send messages and rest as they like
    Silent,      // send no messages, and need never rest
    SilentFair,  // send no messages, and rest sooner or later
  };
  static constexpr unsigned kSizeMax = 8;

  Ring(unsigned size, Nodes nodes);

  std::vector<State> initial() const;
  void actions(const State& state, std::vector<Action>& out) const;
  std::optional<State> next(State state, Action action) const;
  Hash128 fingerprint(const State& state) const {
    return mix128(std::uint64_t{state.active} | std::uint64_t{state.black} << 8 |
                  std::uint64_t{state.token} << 16 | std::uint64_t{state.token_black} << 24);
  }
  std::vector<Actor> actors() const {
    return {
        {"ring",  true                       },
        {"nodes", nodes_ == Nodes::SilentFair}
    };
  }
  ActorId actor(Action action) const { return action.kind <= Kind::Passes ? 0 : 1; }
  std::string describe(Action action) const;
  std::string introduce(const State& state) const;
  Telling tell(const State& before, Action action, const State& after) const;
  Properties<Ring> properties() const;

 private:
  unsigned size_;
  Nodes nodes_;
};

}  // namespace fixpoint::verify
