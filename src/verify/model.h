// SPDX-License-Identifier: Apache-2.0
//
// Model: what the explorer explores. A model is a plain constant object; its states are values.
//
// The contract, on which the verdicts rest:
//  - `actions` and `next` are functions of the state alone: same state, same list in the same
//    order, same successor. No clock, no randomness, no iteration over hash maps, nothing
//    remembered between calls. (The explorer executes a sample of transitions twice to find out.)
//  - `fingerprint` is a hash of the state's canonical form. Two states with one fingerprint are
//    taken for one state, so whatever the canonical form leaves out must make no difference to any
//    later behaviour or property.
//    What it needs to leave out are numbers that only grow: they make every state new, and a graph
//    without cycles satisfies every liveness property.
//  - Faults and other budgets live in the state. Never cut by depth.
//  - All members are called from several threads at once.
//
// Read next: property.h, what may be asked of a model; verify/explorer/explore.h, which answers.
#pragma once

#include "base/hash.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

// Somebody who acts: a process, a controller, the network, a person.
struct Actor {
  std::string name;
  // Weak fairness: whoever can act from some moment on without interruption does act, once more and
  // ever again. Right for processes and deliveries; wrong for people and faults, which need never
  // come.
  bool fair = false;
};

// An index into the model's actors(). At most kActorsMax: their sets are bits of a word.
using ActorId = std::uint8_t;
inline constexpr std::size_t kActorsMax = 64;

// One step in plain words, for stories and sequence diagrams.
struct Telling {
  std::string from;                  // who acts
  std::string to;                    // on whom; empty: on itself
  std::string asks;                  // what is done or asked
  std::string answer;                // what came back; empty: nothing
  std::vector<std::string> changes;  // a line for each thing that changed, as a diff
};

template <class M>
class Properties;

// A model may also have `std::string introduce(const State&) const`: an initial state in words,
// with which its stories begin.
template <class M>
concept Introduces = requires(const M& model, const typename M::State& state) {
  { model.introduce(state) } -> std::same_as<std::string>;
};

// A model that remembers steps may also have `next_afresh`, which does not: the sample that is
// executed twice is then compared with that.
template <class M>
concept WorksAfresh =
    requires(const M& model, const typename M::State& state, const typename M::Action& action) {
      { model.next_afresh(state, action) } -> std::same_as<std::optional<typename M::State>>;
    };

// A model whose steps cost next to nothing may also have `successors`, which calls with each step
// that is possible and where it leads: the same as `actions` and `next` say, in any fixed order.
// The sample that is executed twice compares the two.
template <class M>
concept Strides = requires(const M& model, const typename M::State& state) {
  model.successors(state, [](const typename M::Action&, const typename M::State&) {});
};

template <class M>
concept Model = requires(const M& model, const typename M::State& state,
                         const typename M::Action& action, std::vector<typename M::Action>& out) {
  requires std::copyable<typename M::State>;
  requires std::copyable<typename M::Action>;
  requires std::equality_comparable<typename M::Action>;
  // One or more.
  { model.initial() } -> std::same_as<std::vector<typename M::State>>;
  // Appends what may happen next, in a fixed order. An action may turn out to be impossible.
  { model.actions(state, out) } -> std::same_as<void>;
  // The successor; nothing when the action is not possible after all. A successor that equals the
  // state is a step too: its actor has acted.
  { model.next(state, action) } -> std::same_as<std::optional<typename M::State>>;
  // Asked more than once for each state: a costly one belongs into the state.
  { model.fingerprint(state) } -> std::same_as<Hash128>;
  { model.actors() } -> std::same_as<std::vector<Actor>>;
  { model.actor(action) } -> std::same_as<ActorId>;
  // Called only for counterexamples, so these may take their time.
  { model.describe(action) } -> std::same_as<std::string>;
  { model.tell(state, action, state) } -> std::same_as<Telling>;
  { model.properties() } -> std::same_as<Properties<M>>;
};

}  // namespace fixpoint::verify
