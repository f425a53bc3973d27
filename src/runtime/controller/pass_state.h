// SPDX-License-Identifier: Apache-2.0
//
// PassState: where a pass is, and how its parts wait for answers.
//
// Every part that needs I/O (a step, the finalizer, the status) is an ordinary function run as a
// *script*: it asks for effects in a fixed order; where the answer is not there yet it returns
// nothing, and when the answer has come it is run again from its beginning with all answers so far.
// So there are no hand-written states between effects, and a copy of a pass is a copy of answers.
// What a script reads from the cache it reads once (Script::current): running it again must take
// the same way. Read next: executor.h for the steps, pass.cc for the phases.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "runtime/controller/child.h"
#include "runtime/controller/pass.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fixpoint::runtime {

struct Script {
  std::vector<EffectReply> replies;
  std::size_t next = 0;
  bool begun = false;
  json::Value current;                 // the object a step is about, as the cache had it
  std::vector<WriteVerdict> verdicts;  // the guard's, each asked once
  std::size_t next_verdict = 0;

  void rewind() { next = next_verdict = 0; }
};

// A question of observe(): a live read or a probe.
struct Ask {
  std::variant<ObjectRef, Probe> question;
  std::optional<Result<json::Value>> answer;
};

enum class Phase : std::uint8_t {
  Doubts,
  Confirm,
  Observe,
  Finalizer,
  Act,
  Leftovers,
  Status,
  Release,
  Over
};

// What is out: the effect, and the ask it answers while observing.
struct Outstanding {
  EffectId id = 0;
  std::size_t ask = 0;
  Effect effect;
};

struct PassState {
  const Pass::Settings* settings = nullptr;
  Pass::Start start;
  Instant now{};
  CacheView* cache = nullptr;  // only while running
  json::Value primary;         // the snapshot (rule 4)
  Facts decoded;               // what the check made of it
  Owner owner;                 // of the children: the primary
  bool deleting = false;

  Phase phase = Phase::Doubts;
  Script script;
  std::vector<Effect> wanted;
  std::vector<Outstanding> outstanding;
  EffectId last_id = 0;

  std::vector<Ask> asks;
  int rounds = 0;
  Facts facts;
  std::vector<json::Value> reads;  // what the facts follow from; see Settings::keep_reads

  std::vector<std::size_t> order;
  std::size_t branch = 0;  // in `order`
  std::size_t step = 0;
  std::vector<std::size_t> first_outcome;  // of each branch
  std::vector<char> troubled;              // branches that did not succeed
  std::vector<std::uint64_t> saying;       // events of this pass, for the memory
  std::optional<Conclusion> conclusion;
  std::optional<Duration> again;  // the earliest of all that want another look
  PassEnd result;                 // filled as the pass goes on

  const Operator& reconciler() const { return *settings->reconciler; }
  const Declaration& declaration() const { return settings->reconciler->declaration(); }
  bool on(Rule rule) const { return settings->rules.on(rule); }
  const Contents* primaries() const;
  // What the server answered to this process (rule 7); not kept when the kind is not followed.
  void put(const ObjectRef& object, json::Value body);
  void gone(const ObjectRef& object, std::string_view uid);
  ObjectRef primary_ref() const;

  // The script's next answer, or null: it is wanted now.
  const EffectReply* ask(decltype(Effect::what) what);
  const client::Reply* call(client::Call call);
  EffectId want(decltype(Effect::what) what, std::size_t ask_index = 0);
  void next_phase(Phase next);
  bool over() const { return phase == Phase::Over; }

  // Where the kind is served, without asking.
  std::optional<client::Resource> known_resource(const kube::GroupVersionKind& kind) const;
  // With asking. Nothing: wait.
  std::optional<std::expected<client::Resource, StepFailure>> resource(
      const kube::GroupVersionKind& kind);

  void look_again(Duration delay);
  // A failure of the pass itself; of several the one that asks to come back soonest counts.
  void note(StepFailure failure);
  // What all that went wrong amounts to; whether to come back after the backoff follows from it.
  ErrorClass take_stock();
  void finish();
  void fail_pass(StepFailure failure);
  // Somebody changed the object meanwhile: no more writes, start over.
  bool superseded();
  void supersede();
};

// The reading half of a pass (pass_observe.cc). True: facts are there. False: answers are wanted or
// the pass is over.
bool run_observe(PassState& state);
void take_ask_answer(PassState& state, std::size_t ask, EffectReply reply);

}  // namespace fixpoint::runtime
