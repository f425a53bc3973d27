// SPDX-License-Identifier: Apache-2.0
//
// The phases of a pass, and what is learned from every answer.
#include "runtime/controller/pass.h"

#include "runtime/cache/contents.h"
#include "runtime/controller/executor.h"
#include "runtime/controller/pass_finish.h"
#include "runtime/controller/pass_state.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

bool changes_something(client::Verb verb) {
  return verb != client::Verb::Get;
}

// What earlier passes left in doubt is read before anything is believed.
void run_doubts(PassState& state) {
  for (const ObjectRef& object : state.start.memory.doubts) {
    auto resource = state.resource(object.kind);
    if (!resource) return;
    if (!*resource) return state.fail_pass(resource->error());
    const client::Reply* reply = state.call(get_call(**resource, object.key));
    if (reply == nullptr) return;
    if (!*reply && !reply->error().not_found()) return state.fail_pass(classify(reply->error()));
  }
  state.start.memory.doubts.clear();
  begin_with_snapshot(state);
}

void run_observe_phase(PassState& state) {
  if (!run_observe(state)) return;
  Plan plan = state.deleting ? state.reconciler().cleanup(state.facts, state.now)
                             : state.reconciler().decide(state.facts, state.now);
  if (plan.look_again) state.look_again(*plan.look_again);
  if (plan.empty()) {
    state.result.plan = std::move(plan);
    return after_plan(state);
  }
  auto order = order_of(plan);
  const auto checked = state.on(Rule::BoundedSteps) || !order ? check(plan) : Result<void>{};
  if (!checked) {
    // Its steps are not worth an outcome each: there may be too many, or names that say nothing.
    refuse_plan(state, {.error_class = ErrorClass::Permanent,
                        .reason = "PlanRefused",
                        .message = checked.error().message});
    return state.next_phase(Phase::Status);
  }
  state.order = *std::move(order);
  begin_plan(state, std::move(plan));
  state.next_phase(wants_finalizer(state) && state.on(Rule::FinalizerFirst) ? Phase::Finalizer
                                                                            : Phase::Act);
}

void advance(PassState& state) {
  state.script.rewind();
  switch (state.phase) {
    case Phase::Doubts: return run_doubts(state);
    case Phase::Confirm: return run_confirm(state);
    case Phase::Observe: return run_observe_phase(state);
    case Phase::Finalizer: return run_finalizer(state);
    case Phase::Act:
      if (run_plan(state)) after_plan(state);
      return;
    case Phase::Leftovers: return run_leftovers(state);
    case Phase::Status: return run_status(state);
    case Phase::Release: return run_release(state);
    case Phase::Over: return;
  }
}

void run(PassState& state, CacheView& cache, Instant now) {
  state.cache = &cache;
  state.now = now;
  while (!state.over() && state.outstanding.empty()) advance(state);
  state.cache = nullptr;
}

ObjectRef ref_of_call(const client::Call& call) {
  ObjectRef ref{call.resource.kind, call.key};
  if (call.verb == client::Verb::Create) {
    ref.key.name = call.body.get("metadata", "name").as_string();
  }
  return ref;
}

json::View known_of(PassState& state, const ObjectRef& object) {
  const Contents* contents = state.cache->find(object.kind);
  return contents == nullptr ? json::View{} : contents->get(object.key);
}

// The last finalizer came off: the answer is the object as it was, and it is no more.
bool shows_its_end(json::View object) {
  const json::View metadata = object.get("metadata");
  return !metadata.get("deletionTimestamp").is_null() && metadata.get("finalizers").empty() &&
         metadata.get("deletionGracePeriodSeconds").as_int() == 0;
}

bool is_object_of(json::View body, const ObjectRef& object) {
  return body.get("kind").as_string() == object.kind.kind &&
         body.get("metadata", "name").as_string() == object.key.name;
}

void learn_written(PassState& state, const ObjectRef& object, const client::Call& call,
                   const json::Value& body) {
  if (!is_object_of(body, object)) return;
  if (call.verb != client::Verb::Delete && shows_its_end(body)) {
    state.gone(object, body.get("metadata", "uid").as_string());
    return;
  }
  state.put(object, body);
  if (call.verb == client::Verb::Delete || object != state.primary_ref()) return;
  // From here on the snapshot is what this write left, as the cache keeps it; not something newer
  // that the cache has already, for which nothing was decided.
  const json::View known = known_of(state, object);
  const bool same =
      known.get("metadata", "resourceVersion") == body.get("metadata", "resourceVersion");
  state.primary = same ? json::Value(known) : body;
}

void learn_failure(PassState& state, const ObjectRef& object, const client::Call& call,
                   const client::CallError& error) {
  if (!changes_something(call.verb)) {
    if (!error.not_found()) return;
    const std::string uid{known_of(state, object).get("metadata", "uid").as_string()};
    state.gone(object, uid);
    return;
  }
  const bool stale = classify(error).reason == "Conflict" || error.not_found();
  if (error.fate == client::Fate::Unknown || stale) {
    state.start.memory.doubt(object);
  }
}

// A server that lags behind what was seen already answers from the past: as if it had not answered.
client::Reply without_past(PassState& state, const ObjectRef& object, client::Reply reply) {
  if (!reply || !state.on(Rule::NeverBackInTime)) return reply;
  const auto seen = known_of(state, object).get("metadata", "resourceVersion").as_string();
  const auto answered = reply->body.get("metadata", "resourceVersion").as_string();
  if (seen.empty() || answered.empty() || !older(answered, seen)) return reply;
  return std::unexpected(client::CallError{
      .fate = client::Fate::NotSent,
      .status = {.code = 0,
                 .reason = {},
                 .message = fmt::format("the server answered with version {} of {} {}, older than "
                                        "{}, which was seen before", answered, object.kind.kind, object.key.name, seen),
                 .details = std::nullopt},
      .retry_after = std::nullopt
  });
}

EffectReply learn(PassState& state, const Effect& effect, EffectReply reply) {
  if (const auto* resolved =
          std::get_if<std::expected<client::Resource, client::CallError>>(&reply)) {
    if (*resolved) state.result.resolved.push_back(**resolved);
    return reply;
  }
  const auto* api = std::get_if<ApiEffect>(&effect.what);
  auto* answer = std::get_if<client::Reply>(&reply);
  if (api == nullptr || answer == nullptr) return reply;
  const ObjectRef object = ref_of_call(api->call);
  if (!changes_something(api->call.verb)) *answer = without_past(state, object, std::move(*answer));
  if (!*answer) {
    learn_failure(state, object, api->call, answer->error());
  } else if (!changes_something(api->call.verb)) {
    state.put(object, (*answer)->body);
  } else {
    learn_written(state, object, api->call, (*answer)->body);
  }
  return reply;
}

}  // namespace

bool is_write(const Effect& effect) {
  if (const auto* api = std::get_if<ApiEffect>(&effect.what))
    return changes_something(api->call.verb);
  return std::holds_alternative<OutsideEffect>(effect.what);
}

Pass::Pass(Start start, CacheView& cache, Instant now) : state_(std::make_unique<PassState>()) {
  state_->settings = start.settings;
  state_->start = std::move(start);
  if (state_->start.memory.doubts.empty()) {
    state_->cache = &cache;
    state_->now = now;
    begin_with_snapshot(*state_);
  }
  run(*state_, cache, now);
}

Pass::Pass(const Pass& other) : state_(std::make_unique<PassState>(*other.state_)) {}
Pass::Pass(Pass&&) noexcept = default;
Pass& Pass::operator=(Pass other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
Pass::~Pass() = default;

std::vector<Effect> Pass::take_effects() {
  if (state_->wanted.empty()) return {};
  auto effects = std::exchange(state_->wanted, {});
  const Fence* fence = state_->settings->fence;
  const bool lost = fence != nullptr && state_->on(Rule::FencedByLease) &&
                    std::ranges::any_of(effects, is_write) && !fence->held();
  if (lost) {
    state_->outstanding.clear();
    abort({.reason = "LeaseLost", .message = "the lease is lost: nothing is written any more"});
    return {};
  }
  for (const Effect& effect : effects) {
    ++state_->result.calls;
    if (is_write(effect)) ++state_->result.writes;
  }
  return effects;
}

void Pass::answer(EffectId id, EffectReply reply, CacheView& cache, Instant now) {
  const auto found = std::ranges::find(state_->outstanding, id, &Outstanding::id);
  if (state_->over() || found == state_->outstanding.end()) return;
  const Outstanding answered = std::move(*found);
  state_->outstanding.erase(found);
  state_->cache = &cache;
  reply = learn(*state_, answered.effect, std::move(reply));
  if (state_->phase == Phase::Observe) {
    take_ask_answer(*state_, answered.ask, std::move(reply));
  } else {
    state_->script.replies.push_back(std::move(reply));
  }
  run(*state_, cache, now);
}

bool Pass::writes(EffectId id) const {
  const auto found = std::ranges::find(state_->outstanding, id, &Outstanding::id);
  return found != state_->outstanding.end() && is_write(found->effect);
}

const PassEnd* Pass::end() const {
  return state_->over() ? &state_->result : nullptr;
}

PassEnd Pass::take_end() {
  FP_CHECK(state_->over());
  state_->result.facts = std::move(state_->facts);
  return std::move(state_->result);
}

void Pass::abort(StepFailure why) {
  if (state_->over()) return;
  for (const Outstanding& out : state_->outstanding) {
    const auto* api = std::get_if<ApiEffect>(&out.effect.what);
    if (api != nullptr && is_write(out.effect)) state_->start.memory.doubt(ref_of_call(api->call));
  }
  state_->outstanding.clear();
  state_->wanted.clear();
  state_->result.timed_out = why.reason == kDeadlineExceeded;
  state_->fail_pass(std::move(why));
}

const kube::Key& Pass::key() const {
  return state_->start.key;
}
std::uint64_t Pass::id() const {
  return state_->start.id;
}

}  // namespace fixpoint::runtime
