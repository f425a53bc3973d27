// SPDX-License-Identifier: Apache-2.0
//
// Turn: one step of a world, carried out on a copy of the state. Nothing here is for users of
// world.
#pragma once

#include "verify/world/world.h"

#include <memory>
#include <optional>
#include <vector>

namespace fixpoint::verify::world {

class World::Turn {
 public:
  Turn(const World& world, const State& before);

  // Nothing when the action was not possible after all.
  std::optional<State> take(const Action& action);
  // Brings what follows from the parts up to date: what caches are told, digests, the fingerprint.
  State finish();

  State& state() { return state_; }

  // Of whoever leads: nobody else waits for anything.
  static std::optional<MonotonicInstant> next_deadline(const State& state);

 private:
  bool carry_out(const Action& action);
  bool connect(const Action& action);
  bool effect(const Action& action);
  void answer(const Action& action, runtime::EffectId id, runtime::EffectReply reply);
  std::optional<runtime::EffectReply> ask_server(const Action& action,
                                                 const runtime::Effect& effect);
  runtime::EffectReply call(const client::Call& call);
  // What somebody does to the store; `who` tells them apart.
  template <class Do>
  void change_store(const Hash128& who, Do what);
  Hash128 memo_key(const Hash128& what) const;
  bool land(const Action& action);
  bool collect(const Action& action);
  bool loop();
  bool wait();

  Process& own(std::uint8_t process);
  // A driver for that process.
  template <class Do>
  auto drive(std::uint8_t process, Do what);
  void crash(std::uint8_t process);
  void publish();
  void deliver_early(std::uint8_t process, std::size_t watch);
  void refresh_live(const std::vector<store::Event>& events);

  const World& world_;
  State state_;
  store::Revision before_;
  std::vector<Ref<Process>> owned_;  // those that this turn has changed
  std::shared_ptr<Witness> witness_;
};

}  // namespace fixpoint::verify::world
