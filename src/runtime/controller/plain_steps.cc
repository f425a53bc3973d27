// SPDX-License-Identifier: Apache-2.0
//
// Scripts (pass_state.h): every function here may run several times with the answers so far.
#include "runtime/controller/plain_steps.h"

#include "json/draft.h"
#include "json/patch/merge_patch.h"
#include "json/patch/patch.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/child_steps.h"
#include "runtime/controller/executor.h"
#include "runtime/controller/json_operation.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

Outcome with_state(StepState step_state, json::Value result = {}) {
  Outcome outcome;
  outcome.state = step_state;
  outcome.result = std::move(result);
  return outcome;
}

std::string_view uid_of(json::View object) {
  return object.get("metadata", "uid").as_string();
}

// A JSON patch says uid as a replacement, not as a test: a failed test is a refusal that does not
// say of what, this one names the field (outcome.cc takes it for the conflict it is).
json::Value bound_patch(const PatchStep& step) {
  if (step.type != client::PatchType::Json) return bound_to(step.body, step.uid.value);
  json::Draft patch = json::Draft::array();
  patch.push_back(json_operation("replace", "/metadata/uid", step.uid.value));
  for (const json::View operation : step.body.elements()) patch.push_back(operation);
  return patch.freeze();
}

// Whether the patch leaves this object as it is; when that cannot be told, no.
bool changes_nothing(const PatchStep& step, const json::Value& there) {
  switch (step.type) {
    case client::PatchType::Merge: return json::apply_merge_patch(there, step.body) == there;
    case client::PatchType::Json: {
      const auto patched = json::apply_patch(there, step.body);
      return patched && *patched == there;
    }
    case client::PatchType::Strategic: return false;
  }
  return false;
}

Hash128 hash_of_patch(const PatchStep& step) {
  Hash128 hash = step.body.hash();
  hash += hash128(step.subresource, static_cast<std::uint64_t>(step.type));
  return hash;
}

// Nothing: wait. A null Value: it is not there.
std::optional<std::expected<json::Value, Outcome>> live(PassState& state,
                                                        const client::Resource& resource,
                                                        const kube::Key& key) {
  const client::Reply* reply = state.call(get_call(resource, key));
  if (reply == nullptr) return std::nullopt;
  if (*reply) return (*reply)->body;
  if (reply->error().not_found()) return json::Value{};
  return std::unexpected(failed_call(state, reply->error()));
}

std::optional<std::expected<json::Value, Outcome>> known(PassState& state,
                                                         const client::Resource& resource,
                                                         const ObjectRef& object) {
  const Contents* contents = state.cache->find(object.kind);
  if (contents == nullptr) return live(state, resource, object.key);
  if (!state.script.begun) state.script.current = json::Value(contents->get(object.key));
  return state.script.current;
}

// Gone, or another one of that name: what was observed is not there any more.
bool seen_gone(const json::Value& there, const kube::Uid& uid) {
  return there.is_null() || uid_of(there) != uid.value;
}

Outcome still_there(PassState& state, const DeleteStep& step) {
  state.look_again(kTerminatingAgain);
  return waiting("Terminating",
                 name_of(step.target) + " is being deleted; waiting until it is gone");
}

client::Call delete_call(const PassState& state, const client::Resource& resource,
                         const DeleteStep& step) {
  client::Call call;
  call.verb = client::Verb::Delete;
  call.resource = resource;
  call.key = step.target.key;
  call.propagation = step.propagation;
  if (state.on(Rule::DeleteByUid)) call.preconditions.uid = step.uid.value;
  return call;
}

StepFailure without_uid(const ObjectRef& target) {
  return {.error_class = ErrorClass::Permanent,
          .reason = "InternalError",
          .message = "a step about " + name_of(target) + " must carry the uid that was observed"};
}

}  // namespace

std::optional<Outcome> run_patch(PassState& state, const PatchStep& step) {
  if (step.uid.value.empty()) return failed(without_uid(step.target));
  auto resource = state.resource(step.target.kind);
  if (!resource) return std::nullopt;
  if (!*resource) return failed(resource->error());
  auto there = known(state, **resource, step.target);
  if (!there) return std::nullopt;
  if (!*there) return there->error();
  if (state.on(Rule::BoundToSnapshot) && seen_gone(**there, step.uid)) {
    return failed({.reason = "Gone", .message = name_of(step.target) + " is not there any more"});
  }
  const json::View version = (*there)->get("metadata", "resourceVersion");
  const Hash128 hash = hash_of_patch(step);
  if (state.on(Rule::QuietFixpoint) &&
      (changes_nothing(step, **there) ||
       state.start.memory.fulfilled(step.target, hash, version.as_string()))) {
    return with_state(StepState::Unchanged, **there);
  }
  // Fields that are patched are looked after apart from those that are applied.
  const std::string manager = state.settings->field_manager + "-patch";
  const WriteAttempt attempt{.object = step.target,
                             .primary = state.primary,
                             .live = **there,
                             .desired = step.body,
                             .desired_hash = hash,
                             .field_manager = manager};
  Guarded guarded = ask_guard(state, **resource, attempt);
  if (guarded.pending) return std::nullopt;
  if (guarded.stop) return guarded.stop;
  client::Call call;
  call.verb = client::Verb::Patch;
  call.resource = **resource;
  call.key = step.target.key;
  call.subresource = step.subresource;
  call.patch_type = step.type;
  call.body = state.on(Rule::BoundToSnapshot) ? bound_patch(step) : step.body;
  call.field_manager = state.settings->field_manager;
  const client::Reply* reply = state.call(std::move(call));
  if (reply == nullptr) return std::nullopt;
  tell_guard(state, attempt, *reply);
  if (!*reply) return failed_call(state, reply->error());
  const json::Value& body = (*reply)->body;
  const json::View written = body.get("metadata", "resourceVersion");
  // Not told from the object itself whether the patch is still fulfilled: remember its version.
  if (!changes_nothing(step, body)) {
    state.start.memory.remember(step.target, hash, std::string{written.as_string()});
  }
  return with_state(written == version ? StepState::Unchanged : StepState::Done, body);
}

std::optional<Outcome> run_delete(PassState& state, const DeleteStep& step) {
  if (step.uid.value.empty()) return failed(without_uid(step.target));
  auto resource = state.resource(step.target.kind);
  if (!resource) return std::nullopt;
  if (!*resource) return failed(resource->error());
  auto there = state.on(Rule::LiveBeforeDelete) ? live(state, **resource, step.target.key)
                                                : known(state, **resource, step.target);
  if (!there) return std::nullopt;
  if (!*there) return there->error();
  // It may have been our own delete, one pass ago: that it is gone is what was wanted.
  if (seen_gone(**there, step.uid)) return with_state(StepState::Unchanged);
  if (!(*there)->get("metadata", "deletionTimestamp").is_null()) return still_there(state, step);

  const client::Reply* reply = state.call(delete_call(state, **resource, step));
  if (reply == nullptr) return std::nullopt;
  if (!*reply && !reply->error().not_found() && !reply->error().conflict()) {
    return failed_call(state, reply->error());
  }
  if (state.settings->guard != nullptr) state.settings->guard->removed(step.target, state.now);
  auto after = live(state, **resource, step.target.key);
  if (!after) return std::nullopt;
  if (!*after) return after->error();
  if (!seen_gone(**after, step.uid)) {
    state.result.changed = true;
    return still_there(state, step);
  }
  return with_state(StepState::Done);
}

std::optional<Outcome> run_effect(PassState& state, const EffectStep& step) {
  const EffectReply* reply = state.ask(OutsideEffect{step});
  if (reply == nullptr) return std::nullopt;
  const auto& answer = std::get<Result<json::Value>>(*reply);
  if (answer) return with_state(StepState::Done, *answer);
  return failed(classify(answer.error()));
}

namespace {

struct RunStep {
  PassState& state;

  // Once the object is being deleted nothing is made any more (rule 2).
  std::optional<Outcome> not_in_cleanup() const {
    return failed({.error_class = ErrorClass::Permanent,
                   .reason = "NotInCleanup",
                   .message = "cleanup() may delete, patch, wait, emit and have effects, not make "
                              "objects"});
  }
  std::optional<Outcome> operator()(const CreateStep& step) const {
    return state.deleting ? not_in_cleanup() : run_create(state, step);
  }
  std::optional<Outcome> operator()(const ApplyStep& step) const {
    return state.deleting ? not_in_cleanup() : run_apply(state, step);
  }
  std::optional<Outcome> operator()(const PatchStep& step) const { return run_patch(state, step); }
  std::optional<Outcome> operator()(const DeleteStep& step) const {
    return run_delete(state, step);
  }
  std::optional<Outcome> operator()(const WaitStep& step) const {
    state.look_again(step.again);
    return waiting(step.reason, step.message);
  }
  std::optional<Outcome> operator()(const EmitStep& step) const {
    return with_state(say(state, step) ? StepState::Done : StepState::Unchanged);
  }
  std::optional<Outcome> operator()(const EffectStep& step) const {
    return run_effect(state, step);
  }
};

}  // namespace

std::optional<Outcome> run_step(PassState& state, const Step& step) {
  return std::visit(RunStep{state}, step);
}

}  // namespace fixpoint::runtime
