// SPDX-License-Identifier: Apache-2.0
//
// TwoPhase: two-phase commit as in Gray and Lamport's "Consensus on Transaction Commit" (the TLA+
// module TwoPhase): resource managers, a transaction manager, messages that are never lost nor
// taken away. Its numbers of states are published for many checkers; ours must get the same.
//
// A state is one word: 2 bits for each manager, then a bit for each manager that the transaction
// manager knows to be prepared, a bit for each "prepared" message, 2 bits for the transaction
// manager, and a bit each for the messages "commit" and "abort".
#pragma once

#include "base/hash.h"
#include "verify/explorer/mix.h"
#include "verify/model.h"
#include "verify/property.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

class TwoPhase {
 public:
  using State = std::uint64_t;
  enum class Kind : std::uint8_t {
    ManagerCommits,
    ManagerAborts,
    ManagerHearsPrepared,
    Prepares,
    ChoosesToAbort,
    HearsCommit,
    HearsAbort,
  };
  struct Action {
    Kind kind;
    std::uint8_t who;
    bool operator==(const Action&) const = default;
  };
  static constexpr unsigned kSizeMax = 14;  // 4 bits for each and 4 more in one word

  explicit TwoPhase(unsigned size);

  std::vector<State> initial() const { return {0}; }
  // These two are the hot path of the calibration: g++ would not inline them by itself.
  [[gnu::always_inline]] void actions(State state, std::vector<Action>& out) const;
  [[gnu::always_inline]] std::optional<State> next(State state, Action action) const;
  template <class Sink>
  [[gnu::always_inline]] void successors(State state, const Sink& sink) const;
  // A word can be mixed without losing anything: equal fingerprints are equal states.
  [[gnu::always_inline]] Hash128 fingerprint(State state) const { return mix128(state); }
  std::vector<Actor> actors() const;
  ActorId actor(Action action) const {
    const bool transaction_manager = action.kind <= Kind::ManagerHearsPrepared;
    return transaction_manager ? ActorId{0} : static_cast<ActorId>(action.who + 1);
  }
  std::string describe(Action action) const;
  Telling tell(State before, Action action, State after) const;
  Properties<TwoPhase> properties() const;

 private:
  enum Manager : std::uint8_t { Working, Prepared, Committed, Aborted };

  Manager manager(State state, unsigned who) const {
    return static_cast<Manager>(state >> (2 * who) & 3U);
  }
  State with_manager(State state, unsigned who, Manager now) const {
    return (state & ~(State{3} << (2 * who))) | (State{now} << (2 * who));
  }
  State known(unsigned who) const { return State{1} << (2 * size_ + who); }
  State sent(unsigned who) const { return State{1} << (3 * size_ + who); }
  State decided() const { return State{3} << (4 * size_); }
  State has_committed() const { return State{1} << (4 * size_); }
  State has_aborted() const { return State{2} << (4 * size_); }
  State commit_sent() const { return State{1} << (4 * size_ + 2); }
  State abort_sent() const { return State{1} << (4 * size_ + 3); }

  unsigned size_;
};

inline void TwoPhase::actions(State state, std::vector<Action>& out) const {
  const bool undecided = (state & decided()) == 0;
  if (undecided) {
    out.push_back({Kind::ManagerCommits, 0});
    out.push_back({Kind::ManagerAborts, 0});
  }
  for (unsigned i = 0; i < size_; ++i) {
    const auto who = static_cast<std::uint8_t>(i);
    if (undecided && (state & sent(i)) != 0) out.push_back({Kind::ManagerHearsPrepared, who});
    if (manager(state, i) == Working) {
      out.push_back({Kind::Prepares, who});
      out.push_back({Kind::ChoosesToAbort, who});
    }
    if ((state & commit_sent()) != 0) out.push_back({Kind::HearsCommit, who});
    if ((state & abort_sent()) != 0) out.push_back({Kind::HearsAbort, who});
  }
}

inline std::optional<TwoPhase::State> TwoPhase::next(State state, Action action) const {
  const unsigned who = action.who;
  switch (action.kind) {
    case Kind::ManagerCommits: {
      const State everybody = ((State{1} << size_) - 1) << (2 * size_);
      if ((state & everybody) != everybody) return std::nullopt;
      return state | has_committed() | commit_sent();
    }
    case Kind::ManagerAborts: return state | has_aborted() | abort_sent();
    case Kind::ManagerHearsPrepared: return state | known(who);
    case Kind::Prepares: return with_manager(state, who, Prepared) | sent(who);
    case Kind::ChoosesToAbort:
    case Kind::HearsAbort: return with_manager(state, who, Aborted);
    case Kind::HearsCommit: return with_manager(state, who, Committed);
  }
  return std::nullopt;
}

// By kind of step instead of by manager: who can take it is a set of bits, and going through the
// bits of a word costs one branch that is hard to foresee, not one for each manager.
template <class Sink>
inline void TwoPhase::successors(State state, const Sink& sink) const {
  const State each = (State{1} << size_) - 1;
  const auto by = [&](State who, Kind kind, const auto& change) {
    for (; who != 0; who &= who - 1) {
      const auto at = static_cast<std::uint8_t>(std::countr_zero(who));
      sink(Action{kind, at}, change(at));
    }
  };
  if ((state & decided()) == 0) {
    if ((state >> (2 * size_) & each) == each) {
      sink(Action{Kind::ManagerCommits, 0}, state | has_committed() | commit_sent());
    }
    sink(Action{Kind::ManagerAborts, 0}, state | has_aborted() | abort_sent());
    by(state >> (3 * size_) & each, Kind::ManagerHearsPrepared,
       [&](unsigned who) { return state | known(who); });
  }
  // A manager's two bits, both 0.
  const State pairs = 0x5555'5555'5555'5555 & ((State{1} << (2 * size_)) - 1);
  for (State working = ~(state | state >> 1) & pairs; working != 0; working &= working - 1) {
    const unsigned who = static_cast<unsigned>(std::countr_zero(working)) / 2;
    const auto id = static_cast<std::uint8_t>(who);
    sink(Action{Kind::Prepares, id}, with_manager(state, who, Prepared) | sent(who));
    sink(Action{Kind::ChoosesToAbort, id}, with_manager(state, who, Aborted));
  }
  if ((state & commit_sent()) != 0) {
    by(each, Kind::HearsCommit, [&](unsigned who) { return with_manager(state, who, Committed); });
  }
  if ((state & abort_sent()) != 0) {
    by(each, Kind::HearsAbort, [&](unsigned who) { return with_manager(state, who, Aborted); });
  }
}

}  // namespace fixpoint::verify
