// SPDX-License-Identifier: Apache-2.0
//
// Pass: one reconcile of one object, as a machine that wants effects and is given their answers.
//
// It is a plain value: the controller's shell carries out what it wants through the Client and the
// Workers, and the verifier copies it, answers in every possible way and kills it between any two
// effects. Everything the twelve rules of the design ask for is enforced here and in executor.h,
// not by authors. Phases: check the spec; on deletion clean up; else finalizer, observe, decide,
// act, conclude, write the status.
#pragma once

#include "client/call.h"
#include "json/value.h"
#include "kube/gvk.h"
#include "runtime/controller/rules.h"
#include "runtime/operator.h"
#include "runtime/outcome.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fixpoint::runtime {

class Contents;

// What a pass reads: the cache as it is now. The pass keeps Values, never this.
class CacheView {
 public:
  virtual ~CacheView() = default;
  // Nothing when the kind is not followed (or an optional kind is not served).
  virtual const Contents* find(const kube::GroupVersionKind& kind) const = 0;
  virtual Contents* find_to_change(const kube::GroupVersionKind& kind) = 0;
};

using EffectId = std::uint32_t;
struct ApiEffect {
  client::Call call;
};
struct ProbeEffect {
  Probe probe;
};
struct OutsideEffect {
  EffectStep step;
};
struct Effect {
  EffectId id = 0;
  std::variant<ApiEffect, ProbeEffect, OutsideEffect> what;
};
using EffectReply = std::variant<client::Reply, Result<json::Value>>;

// How the pass went, for the queue, the metrics, the log and the debug page.
struct PassEnd {
  enum class Result : std::uint8_t { Success, RequeueAfter, Error, TerminalError };
  Result result = Result::Success;
  std::optional<Duration> requeue_after;
  StepFailure failure;  // Error and TerminalError
  Outcomes outcomes;
  Plan plan;
  std::size_t writes = 0;
  std::size_t calls = 0;
};

class Pass {
 public:
  // `identity` names this process in managedFields and events; `now` is the wall clock's. The pass
  // is over at once when the object is not there.
  struct Start {
    const Operator* reconciler = nullptr;
    kube::Key key;
    std::string field_manager;
    std::uint64_t id = 0;  // in every log line
    Rules rules;
  };
  Pass(Start start, CacheView& cache, Instant now);
  Pass(const Pass&);
  Pass(Pass&&) noexcept;
  Pass& operator=(Pass) noexcept;
  ~Pass();

  // What to do now: several only while observing. Each is handed out once.
  std::vector<Effect> take_effects();
  // Own writes go into the cache as their answers come in.
  void answer(EffectId id, EffectReply reply, CacheView& cache, Instant now);
  // Set when the pass is over; effects that were wanted before are then of no interest any more.
  const std::optional<PassEnd>& end() const;
  // The reconcile deadline passed, or the lease is lost: no further effect is wanted.
  void abort(StepFailure why);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fixpoint::runtime
