// SPDX-License-Identifier: Apache-2.0
//
// Turn: one step of a world, carried out on a copy of the state. Nothing here is for users of
// world.
//
// First what the step does to the store and the outside (turn.cc), then what each process hears of
// it, from the one that acted to those that watch (turn_finish.cc). A process is never changed in
// place: it moves, and moves are remembered (moves.h).
#pragma once

#include "verify/world/moves.h"
#include "verify/world/remembering.h"
#include "verify/world/world.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace fixpoint::verify::world {

class World::Turn {
 public:
  enum class Memory : std::uint8_t { Used, Unused };
  // `before` outlives this.
  Turn(const World& world, const State& before, Memory memory = Memory::Used);

  // Nothing when the action was not possible after all.
  std::optional<State> take(const Action& action);
  // Brings what follows from the parts up to date: what caches are told, digests, the fingerprint.
  State finish();

  State& state() { return state_; }

  // Of whoever leads: nobody else waits for anything.
  static std::optional<MonotonicInstant> next_deadline(const State& state);

 private:
  // What the acting process is to do, after the store has changed and before it hears of that.
  struct Act {
    std::uint8_t process = 0;
    Hash128 key;             // the same for the same act
    bool remembered = true;  // false: the key does not tell everything
    std::function<Driver::Ended(Driver&)> run;
  };
  // What the processes hear of this turn.
  struct News {
    std::vector<store::Event> events;
    Hash128 key;
  };

  bool carry_out(const Action& action);
  bool connect(const Action& action);
  bool effect(const Action& action);
  void answer(const Action& action, runtime::EffectId id, runtime::EffectReply reply);
  std::optional<runtime::EffectReply> ask_server(const Action& action,
                                                 const runtime::Effect& effect);
  runtime::EffectReply call(const client::Call& call);
  runtime::EffectReply list(const client::ListCall& call);
  // What the server says to it now, or said before to the same.
  template <class Ask>
  runtime::EffectReply remembered(const Digest& question, Ask ask);
  Hash128 asked(const Hash128& question) const;
  runtime::EffectReply perform(const runtime::EffectStep& step);
  // What somebody does to the store, and the answer to that if it has one; `who` tells them apart.
  template <class Do>
  std::optional<runtime::EffectReply> change_store(const Hash128& who, Do what);
  bool deed(const Action& action);
  bool land(const Action& action);
  bool collect(const Action& action);
  bool loop(const Action& action);
  bool wait();

  void act(std::uint8_t process, std::string_view what, std::uint64_t number,
           std::function<Driver::Ended(Driver&)> run);
  void crash(std::uint8_t process);

  void publish();
  void weigh(const Action& action);
  void weigh_server(const News& news);
  State seal();
  Move moved(std::uint8_t process, const Act* act, const News& news) const;
  Move moved_afresh(std::uint8_t process, const Act* act, const News& news) const;
  void hear(Driver& driver, Process& process, const News& news) const;
  void refresh_live(const News& news);
  Ref<const Live> live_after(const std::vector<store::Event>& events) const;

  const World& world_;
  const State& was_;
  Memory memory_;
  Afresh afresh_;  // when memory is not used
  State state_;
  store::Revision before_;
  std::optional<Act> act_;
  std::shared_ptr<Witness> witness_;
};

}  // namespace fixpoint::verify::world
