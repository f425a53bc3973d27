// SPDX-License-Identifier: Apache-2.0
//
// World: a cluster, an operator in it and everything that can happen to them, as a Model.
//
// A state is a fork of the store, the processes (process.h), requests that are still on their way,
// the outside, the budgets that are left and who leads. A step is one effect: the delivery of one
// event to one cache, the start of a pass, one call of a pass with one of its possible ends, one
// act of a built-in controller or of a person, a crash, the passing of time. All code that decides
// anything is the code that ships: apiserver::Core, runtime::ControllerCore, cluster's controllers,
// the operator.
//
// Time is only an order: the wall clock stands still, waiting is a deadline, and time passes in
// jumps from one deadline to the next, at any moment. What an operator makes of durations is not
// explored.
#pragma once

#include "base/error.h"
#include "verify/model.h"
#include "verify/property.h"
#include "verify/report/live.h"
#include "verify/report/replay.h"
#include "verify/world/coverage.h"
#include "verify/world/happenings.h"
#include "verify/world/process.h"
#include "verify/world/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify::world {

// The objects that are not as they were when the world began, in order of key.
struct Live final : RefCounted {
  std::vector<store::RecordRef> records;
  std::vector<std::string> removed;  // keys of those that were there at the beginning
  Digest digest;
  Hash128 exact;   // of the whole store: what is here, its revision and how it began
  Hash128 moment;  // of that and of the outside: all that a Glance can see
  // What the properties of every operator ask of the store, found out once for each.
  bool wanted = false;   // there are primaries, none is being deleted and none is invalid
  bool matched = false;  // each of them is as its scenario's `match` wants it
  bool leaving = false;  // one is being deleted and only the operator holds it
  bool orphans = false;  // something is controlled by what is gone
  bool lingers = false;  // something is being deleted that nothing and nobody holds
  // What the scenario says of this moment, likewise: by claim, and the phase of its life.
  struct Said {
    bool when = false;
    bool holds = false;
  };
  std::vector<Said> claims;
  std::optional<int> phase;
  // What others can do about what is stored, likewise: deeds, unless they cost what is not left;
  // records that the garbage collector would look at; and whether a namespace is going.
  std::vector<std::uint8_t> deeds;
  std::vector<std::uint16_t> collectible;
  bool terminating = false;
  // Optional watches whose kind the cluster has no more.
  std::vector<std::uint8_t> unserved;
};

// A request whose sender has given it up.
struct Sent final : RefCounted {
  explicit Sent(runtime::Effect what);
  // Null when it went outside.
  const client::Call* call() const;

  runtime::Effect effect;
  Digest digest;
};

struct InFlight {
  std::uint8_t process = 0;
  Ref<const Sent> sent;
};

// What happened in the step that led to a state; not part of the state.
struct Witness {
  std::string answer;  // "201", "409 Conflict", "no answer"
  std::shared_ptr<const runtime::ControllerCore::Ended> ended;
  bool answered = false;  // the process knows how its call ended, and it ended well
  // What the step keeps, a bit for each: the scenario's promises, and what the server is relied on
  // for (server_rules.h).
  std::uint64_t promises = ~std::uint64_t{0};
  std::uint32_t server = ~std::uint32_t{0};
};

struct State {
  store::Store store;
  Ref<const Live> live;
  std::vector<Ref<const Process>> processes;
  std::vector<InFlight> in_flight;  // in an order of their own: nobody waits for them
  json::Value outside;
  Budget left;
  MonotonicInstant now{};
  std::uint8_t leader = 0;
  bool rejected = false;  // the server called something invalid that was not
  // A request was acted upon that its sender had given up, or that asked for it while it led and
  // leads no more: the API knows no fencing, so that nobody can be blamed for what is late.
  bool landed = false;
  std::shared_ptr<const Witness> witness;
  Hash128 fingerprint;
};

enum class Step : std::uint8_t {
  Connect,  // lists everything; `lag` > 0: `item` (or all) from the past
  Deliver,
  Repeat,   // an event once more
  Relist,   // a watch broke and its history is gone
  Notice,   // a watch finds out that its kind is not served any more, or is so again
  Begin,    // a pass
  Effect,   // of pass `item`, its `effect`th that is out
  Land,     // a late request
  Wait,     // time passes
  Collect,  // the garbage collector looks at record `item` of `live`
  Loop,     // built-in controller `item` does a unit of its work
  Deed,
  Crash,  // between two passes
  MoveLease,
};

struct Action {
  Step step = Step::Wait;
  std::uint8_t process = 0;
  std::uint16_t item = 0;
  std::uint8_t effect = 0;
  Fault fault = Fault::None;
  std::uint8_t lag = 0;

  bool operator==(const Action&) const = default;
};

// Of things that an action names in one byte; a world of more is no small world.
template <class List>
std::uint8_t small_count(const List& list) {
  FP_CHECK(list.size() <= UINT8_MAX);
  return static_cast<std::uint8_t>(list.size());
}

struct WorldOptions {
  Budget budget;
  Reductions reductions;
  runtime::Rules rules;
  apiserver::Weakness weakness = apiserver::Weakness::None;
};

class World {
 public:
  using State = world::State;
  using Action = world::Action;

  // `trial` and `scenario` outlive this.
  World(const Trial& trial, const Scenario& scenario, WorldOptions options);

  std::vector<State> initial() const { return {initial_}; }
  void actions(const State& state, std::vector<Action>& out) const;
  std::optional<State> next(const State& state, const Action& action) const;
  // The same, worked out from scratch: nothing that was remembered is used.
  std::optional<State> next_afresh(const State& state, const Action& action) const;
  Hash128 fingerprint(const State& state) const { return state.fingerprint; }
  std::vector<Actor> actors() const { return actors_; }
  ActorId actor(const Action& action) const;
  std::string describe(const Action& action) const;
  Telling tell(const State& before, const Action& action, const State& after) const;
  Properties<World> properties() const;

  // What a real server and process are to go through; an error when they cannot.
  Result<LiveScript> live_script(const Replay& replay) const;

  const Trial& trial() const { return trial_; }
  const Scenario& scenario() const { return scenario_; }
  const WorldOptions& options() const { return options_; }
  const Blueprint& blueprint() const { return blueprint_; }
  const Coverage& coverage() const { return coverage_; }
  const Happenings& happenings() const { return happenings_; }
  // The effect that a Step::Effect is about.
  static const runtime::Effect& effect_of(const State& state, const Action& action);
  static const runtime::Pass& pass_of(const State& state, const Action& action);
  // The write of the operator that the server acts upon in this step, if there is one.
  static const client::Call* arrived(const State& before, const Action& action);

 private:
  class Turn;

  void add_process_actions(const State& state, std::uint8_t process,
                           std::vector<Action>& out) const;
  void add_effects(const State& state, std::uint8_t process, std::vector<Action>& out) const;
  void foresee(const Look& look, Live& live) const;
  Result<std::optional<LiveStep>> live_step(const State& before, const Action& action,
                                            const Telling& telling) const;
  void name_actors();
  void judge(const Look& look, Live& live) const;
  // What became of the promises in this step, a bit for each that was kept.
  std::uint64_t promises_kept(const State& before, const Action& action, const State& after) const;

  const std::uint64_t serial_;  // of this world among all of the program
  const Trial& trial_;
  const Scenario& scenario_;
  const std::unique_ptr<const runtime::Operator> reconciler_;  // the trial's, with a memory
  WorldOptions options_;
  store::Store beginning_;  // definitions and namespaces: the same in all states
  std::vector<std::uint64_t> fixed_uids_;
  Blueprint blueprint_;
  std::vector<BuiltIn> loops_;  // those of every world, then the scenario's
  std::vector<Actor> actors_;
  Ref<const Process> unborn_;  // a process that has just started
  State initial_;
  mutable Coverage coverage_;
  mutable Happenings happenings_;
};

}  // namespace fixpoint::verify::world
