// SPDX-License-Identifier: Apache-2.0
//
// Pass: one reconcile of one object, as a machine that wants effects and is given their answers.
//
// It is a plain value: the controller's shell carries out what it wants through the Client and the
// Workers, and the verifier copies it, answers in every possible way and kills it between any two
// effects. Everything the twelve rules of the design ask for is enforced here and in executor.h,
// not by authors. Phases: doubts of earlier passes; on deletion clean up; else check the spec,
// observe, decide, finalizer, act, conclude, write the status.
// Read next: pass_state.h, executor.h.
#pragma once

#include "client/call.h"
#include "client/collection.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/controller/key_memory.h"
#include "runtime/controller/rules.h"
#include "runtime/controller/write_guard.h"
#include "runtime/operator.h"
#include "runtime/outcome.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  // The same, to put in what the server answered to this process: reads see it from now on (rule
  // 7), and the cache tells everybody else who follows the kind.
  virtual Contents* find_to_change(const kube::GroupVersionKind& kind) = 0;
};

using EffectId = std::uint32_t;
struct ApiEffect {
  client::Call call;
};
struct ListEffect {
  client::ListCall call;
};
struct ResolveEffect {
  kube::GroupVersionKind kind;
};
struct ProbeEffect {
  Probe probe;
};
struct OutsideEffect {
  EffectStep step;
};
struct Effect {
  EffectId id = 0;
  std::variant<ApiEffect, ListEffect, ResolveEffect, ProbeEffect, OutsideEffect> what;
};
// To an ApiEffect, a ListEffect, a ResolveEffect, and to a probe or what is done outside.
using EffectReply =
    std::variant<client::Reply, client::PageReply,
                 std::expected<client::Resource, client::CallError>, Result<json::Value>>;

// True for what changes the cluster or the world outside.
bool is_write(const Effect& effect);

// Asked before each write; false: the lease is lost and nothing is written any more (rule 2).
class Fence {
 public:
  virtual ~Fence() = default;
  virtual bool held() const = 0;
};

// How the pass went, for the queue, the metrics, the log and the debug page.
struct PassEnd {
  enum class Result : std::uint8_t { Success, RequeueAfter, Error, TerminalError };
  Result result = Result::Success;
  std::optional<Duration> requeue_after;
  bool backoff = false;    // come back after the backoff
  bool timed_out = false;  // the deadline of the pass
  bool changed = false;    // it wrote more than the status: look again, the facts are others now
  bool absent = false;     // the object is not there: nothing about it needs to be remembered
  bool overtaken = false;  // the object changed on the way: given up, to start over with what it is
  StepFailure failure;     // Error and TerminalError
  Outcomes outcomes;
  Facts facts;  // what was observed; null when it did not come to that
  Plan plan;
  std::size_t writes = 0;
  std::size_t calls = 0;
  // Events to be said: new ones only.
  std::vector<EmitStep> events;
  json::Value regarding;  // the primary they are about
  KeyMemory memory;
  std::vector<client::Resource> resolved;  // learned on the way
};

// The reason of a pass that its deadline ended.
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";
// So many passes in a row that were overtaken are enough.
inline constexpr std::uint32_t kOvertakenMax = 8;
// A person must act, and may have: one look in a while.
inline constexpr Duration kPermanentAgain = std::chrono::minutes(5);
// An object on its way out that nobody tells about.
inline constexpr Duration kTerminatingAgain = std::chrono::seconds(15);

class Pass {
 public:
  // The same for all passes of a controller; outlives them.
  struct Settings {
    const Operator* reconciler = nullptr;
    std::string field_manager;  // of this controller, in managedFields
    Rules rules;
    WriteGuard* guard = nullptr;   // null: everything is allowed
    const Fence* fence = nullptr;  // null: there is no lease
    // For the verifier: facts are the author's own type and cannot be compared, but they follow
    // from what observe() has read.
    bool keep_reads = false;
  };
  struct Start {
    const Settings* settings = nullptr;
    kube::Key key;
    std::uint64_t id = 0;  // in every log line
    KeyMemory memory;
    // Kinds that earlier passes asked discovery about; may be null.
    std::shared_ptr<const std::vector<client::Resource>> resolved;
    // Passes of this key are overtaken by edits again and again: this one is finished with the spec
    // it began with, or nobody would ever hear of any.
    bool overdue = false;
  };
  // Runs until it wants something; over at once when the object is not there.
  Pass(Start start, CacheView& cache, Instant now);
  Pass(const Pass&);
  Pass(Pass&&) noexcept;
  Pass& operator=(Pass) noexcept;
  ~Pass();

  // What to do now: several only while observing. Each is handed out once.
  std::vector<Effect> take_effects();
  // Own writes go into the cache as their answers come in.
  void answer(EffectId id, EffectReply reply, CacheView& cache, Instant now);
  // Whether that effect, not answered yet, is a write.
  bool writes(EffectId id) const;
  // Set when the pass is over; effects that were wanted before are then of no interest any more.
  const PassEnd* end() const;
  PassEnd take_end();
  // The reconcile deadline passed, or the lease is lost: no further effect is wanted. Writes whose
  // answers are still out are in doubt.
  void abort(StepFailure why);
  const kube::Key& key() const;
  std::uint64_t id() const;
  // Where it is, for the verifier, which compares passes (pass_state.h).
  const struct PassState& state() const { return *state_; }

 private:
  std::unique_ptr<struct PassState> state_;
};

}  // namespace fixpoint::runtime
