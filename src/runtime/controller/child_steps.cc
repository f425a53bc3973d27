// SPDX-License-Identifier: Apache-2.0
//
// Scripts (pass_state.h): every function here may run several times with the answers so far.
#include "runtime/controller/child_steps.h"

#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/containment.h"
#include "runtime/controller/executor.h"
#include "runtime/ownership.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

struct Child {
  ObjectRef ref;
  client::Resource resource;
  json::View desired;
  Ownership ownership = Ownership::Owned;
  Hash128 hash;
  std::string hash_text;
  // Two owners who share an object must not remove each other's fields: each is its own manager.
  std::string manager;

  std::string name() const { return name_of(ref); }
  bool owned() const { return ownership != Ownership::Shared; }
  std::string_view stamp() const {
    return desired.get("metadata", "annotations", kStampAnnotation).as_string();
  }
};

StepFailure without_stamp(const Child& child) {
  return {.error_class = ErrorClass::Permanent,
          .reason = "InternalError",
          .message = fmt::format("{} is to be kept and needs the annotation {}", child.name(),
                                 kStampAnnotation)};
}

template <class T>
using Maybe = std::optional<std::expected<T, Outcome>>;  // nothing: an answer is wanted

Maybe<Child> child_of(PassState& state, json::View desired, Ownership ownership) {
  auto ref = ref_of(desired);
  if (!ref) return std::unexpected(failed(classify(ref.error())));
  auto resource = state.resource(ref->kind);
  if (!resource) return std::nullopt;
  if (!*resource) return std::unexpected(failed(resource->error()));
  Child child{*std::move(ref),
              **std::move(resource),
              desired,
              ownership,
              desired.hash(),
              {},
              state.settings->field_manager};
  if (!child.owned()) child.manager += "-" + state.owner.uid;
  if (child.ownership == Ownership::Kept) {
    if (child.stamp().empty()) return std::unexpected(failed(without_stamp(child)));
    // The same wish of another ownership is another wish.
    child.hash += hash128(kStampAnnotation);
  }
  child.hash_text = child.hash.hex();
  if (child.resource.scope == client::Scope::Cluster) {
    child.ref.key.ns.clear();
  } else if (child.ref.key.ns.empty()) {
    child.ref.key.ns = state.start.key.ns;
  }
  return child;
}

// Nothing there is a null Value.
Maybe<json::Value> live_object(PassState& state, const Child& child) {
  const client::Reply* reply = state.call(get_call(child.resource, child.ref.key));
  if (reply == nullptr) return std::nullopt;
  if (*reply) return (*reply)->body;
  if (reply->error().not_found()) return json::Value{};
  return std::unexpected(failed_call(state, reply->error()));
}

// From the cache where it follows the kind, live otherwise.
Maybe<json::Value> current_object(PassState& state, const Child& child) {
  const Contents* contents = state.cache->find(child.ref.kind);
  if (contents == nullptr) return live_object(state, child);
  if (!state.script.begun) state.script.current = json::Value(contents->get(child.ref.key));
  return state.script.current;
}

Outcome foreign(const Child& child, json::View there) {
  const std::string_view owner = owner_uid_of(there);
  return failed({.error_class = ErrorClass::Permanent,
                 .reason = "OwnershipConflict",
                 .message = fmt::format(
                     "{} exists and {}; it is left alone. Delete or rename it, or choose another "
                     "name here",
                     child.name(),
                     owner.empty() ? "belongs to nobody we know"
                                   : fmt::format("belongs to the owner with uid {}", owner))});
}

// What must hold of an object that is there before it is touched; an outcome when it does not.
std::optional<Outcome> obstacle(PassState& state, const Child& child, json::View there) {
  if (child.owned() && state.on(Rule::NoAdoption)) {
    switch (standing(there, state.owner, child.stamp())) {
      case Standing::Ours: break;
      case Standing::Former:
        state.look_again(kTerminatingAgain);
        return waiting("FormerOwner",
                       fmt::format("{} belongs to an earlier {} {}; waiting until it is gone",
                                   child.name(), state.owner.kind.kind, state.owner.key.name));
      case Standing::Foreign: return foreign(child, there);
    }
  }
  if (!there.get("metadata", "deletionTimestamp").is_null()) {
    state.look_again(kTerminatingAgain);
    return waiting("Terminating", child.name() + " is being deleted; waiting until it is gone");
  }
  return std::nullopt;
}

client::Call write_call(const Child& child, client::Verb verb, json::Value body) {
  client::Call call;
  call.verb = verb;
  call.resource = child.resource;
  call.key = child.ref.key;
  if (verb == client::Verb::Create) call.key.name.clear();
  call.body = std::move(body);
  call.field_manager = child.manager;
  if (verb == client::Verb::Apply) call.force = client::Force::Yes;
  return call;
}

Outcome written(PassState& state, const Child& child, const json::Value& body, json::View before) {
  if (contains_desired(child.ref.kind, body, child.desired)) {
    state.start.memory.forget(child.ref);
  } else {
    state.start.memory.remember(child.ref, child.hash, echo_of(body, child.desired).hex());
  }
  Outcome outcome;
  const bool same =
      !before.is_null() && kube::resource_version_of(before) == kube::resource_version_of(body);
  outcome.state = same ? StepState::Unchanged : StepState::Done;
  outcome.result = body;
  return outcome;
}

WriteAttempt attempt_of(const PassState& state, const Child& child, json::View live,
                        WriteCause cause) {
  return {.object = child.ref,
          .primary = state.primary,
          .live = live,
          .desired = child.desired,
          .desired_hash = child.hash,
          .field_manager = child.manager,
          .cause = cause};
}

json::Value body_of(const PassState& state, const Child& child, std::string_view hash_text) {
  if (child.owned()) {
    return as_child(child.desired, child.ref.key, state.owner, hash_text, child.ownership);
  }
  json::Draft object(child.desired);
  if (!child.ref.key.ns.empty()) object.object_at("metadata")["namespace"] = child.ref.key.ns;
  return object.freeze();
}

// The object that was there after all (a value), or how the step ended (the unexpected).
Maybe<json::Value> post(PassState& state, const Child& child, std::string_view hash_text) {
  const auto attempt = attempt_of(state, child, {}, WriteCause::Absent);
  Guarded guarded = ask_guard(state, child.resource, attempt);
  if (guarded.pending) return std::nullopt;
  if (guarded.stop) return std::unexpected(*std::move(guarded.stop));
  // An apply instead of a create is what adopts silently.
  const bool adopt = !state.on(Rule::NoAdoption) || !child.owned();
  const auto verb = adopt ? client::Verb::Apply : client::Verb::Create;
  const client::Reply* reply =
      state.call(write_call(child, verb, body_of(state, child, hash_text)));
  if (reply == nullptr) return std::nullopt;
  tell_guard(state, attempt, *reply);
  if (*reply) return std::unexpected(written(state, child, (*reply)->body, {}));
  if (!reply->error().is("AlreadyExists")) {
    return std::unexpected(failed_call(state, reply->error()));
  }
  auto there = live_object(state, child);
  if (there && *there && (*there)->is_null()) {
    return std::unexpected(failed(
        {.reason = "AlreadyExists", .message = child.name() + " came and went; trying again"}));
  }
  return there;
}

bool hash_matches(const Child& child, json::View there) {
  std::string_view text = there.get("metadata", "annotations", kHashAnnotation).as_string();
  if (text.ends_with(kCreatedSuffix)) text.remove_suffix(kCreatedSuffix.size());
  return text == child.hash_text;
}

bool is_as_wanted(const PassState& state, const Child& child, json::View there) {
  if (!state.on(Rule::QuietFixpoint)) return false;
  const auto& memory = state.start.memory;
  if (!memory.stored.empty() &&
      memory.fulfilled(child.ref, child.hash, echo_of(there, child.desired).hex())) {
    return true;
  }
  return (!child.owned() || hash_matches(child, there)) &&
         contains_desired(child.ref.kind, there, child.desired);
}

Outcome unchanged(json::Value there) {
  Outcome outcome;
  outcome.state = StepState::Unchanged;
  outcome.result = std::move(there);
  return outcome;
}

// Created objects are owned field by field as "Update": applying less would remove nothing. Turned
// once, before the first apply that changes the wish. True when done or not needed; an outcome when
// the look at the object shows that there is nothing to apply.
Maybe<bool> turn_ownership(PassState& state, const Child& child, const json::Value& there) {
  const auto text = there.get("metadata", "annotations", kHashAnnotation).as_string();
  const bool applied_before = !text.empty() && !text.ends_with(kCreatedSuffix);
  if (!child.owned() || applied_before) return true;
  json::Value live = there;
  if (!live.get("metadata").contains("managedFields")) {
    auto read = live_object(state, child);
    if (!read || !*read) {
      return read ? Maybe<bool>{std::unexpected(read->error())} : std::nullopt;
    }
    live = **std::move(read);
    if (live.is_null() || live.get("metadata", "uid") != there.get("metadata", "uid")) {
      return std::unexpected(
          failed({.reason = "Conflict", .message = child.name() + " is another object by now"}));
    }
    // Another leader may have been here: what is so already is not written.
    if (auto stop = obstacle(state, child, live)) return std::unexpected(*std::move(stop));
    if (is_as_wanted(state, child, live)) return std::unexpected(unchanged(std::move(live)));
  }
  auto patch = ownership_patch(live, state.settings->field_manager);
  if (!patch) return true;
  auto call = write_call(child, client::Verb::Patch, *std::move(patch));
  call.patch_type = client::PatchType::Json;
  const client::Reply* reply = state.call(std::move(call));
  if (reply == nullptr) return std::nullopt;
  if (*reply) return true;
  return std::unexpected(failed_call(state, reply->error()));
}

std::optional<Outcome> correct(PassState& state, const Child& child, const json::Value& there) {
  const auto cause =
      child.owned() && !hash_matches(child, there) ? WriteCause::Desired : WriteCause::Drifted;
  const auto attempt = attempt_of(state, child, there, cause);
  Guarded guarded = ask_guard(state, child.resource, attempt);
  if (guarded.pending) return std::nullopt;
  if (guarded.stop) return guarded.stop;
  if (cause == WriteCause::Desired) {
    auto turned = turn_ownership(state, child, there);
    if (!turned) return std::nullopt;
    if (!*turned) return turned->error();
  }
  json::Value body = body_of(state, child, child.hash_text);
  if (state.on(Rule::BoundToSnapshot)) {
    body = bound_to(body, there.get("metadata", "uid").as_string());
  }
  const client::Reply* reply = state.call(write_call(child, client::Verb::Apply, std::move(body)));
  if (reply == nullptr) return std::nullopt;
  tell_guard(state, attempt, *reply);
  if (!*reply) return failed_call(state, reply->error());
  return written(state, child, (*reply)->body, there);
}

}  // namespace

std::optional<Outcome> run_create(PassState& state, const CreateStep& step) {
  auto child = child_of(state, step.object, step.ownership);
  if (!child) return std::nullopt;
  if (!*child) return child->error();
  auto there = current_object(state, **child);
  if (there && *there && (*there)->is_null()) there = post(state, **child, {});
  if (!there) return std::nullopt;
  if (!*there) return there->error();
  if (auto stop = obstacle(state, **child, **there)) return stop;
  return unchanged(**std::move(there));
}

std::optional<Outcome> run_apply(PassState& state, const ApplyStep& step) {
  auto child = child_of(state, step.object, step.ownership);
  if (!child) return std::nullopt;
  if (!*child) return child->error();
  auto there = current_object(state, **child);
  if (there && *there && (*there)->is_null()) {
    there = post(state, **child, (*child)->hash_text + std::string{kCreatedSuffix});
  }
  if (!there) return std::nullopt;
  if (!*there) return there->error();
  if (auto stop = obstacle(state, **child, **there)) return stop;
  if (is_as_wanted(state, **child, **there)) {
    // Its pause may be over, or to be ended.
    if (ask_guard(state, (*child)->resource, attempt_of(state, **child, **there, WriteCause::None))
            .pending) {
      return std::nullopt;
    }
    return unchanged(**std::move(there));
  }
  return correct(state, **child, **there);
}

namespace {

// Look, mark, and an answer: more rounds than this are a bug of the guard.
constexpr int kGuardRoundsMax = 4;

WriteVerdict verdict_on(PassState& state, const WriteAttempt& attempt) {
  auto& script = state.script;
  if (script.next_verdict < script.verdicts.size()) return script.verdicts[script.next_verdict++];
  auto verdict = state.settings->guard->may_write(attempt, state.now);
  // The usual answer about an object that is as wanted is not asked for again: nothing follows it.
  if (attempt.cause == WriteCause::None && verdict.kind == WriteVerdict::Kind::Allowed) {
    return verdict;
  }
  script.verdicts.push_back(verdict);
  ++script.next_verdict;
  return verdict;
}

Guarded stopped_by(PassState& state, const WriteVerdict& verdict) {
  if (verdict.wait > Duration::zero()) state.look_again(verdict.wait);
  Guarded guarded;
  guarded.stop = waiting(verdict.reason, verdict.message);
  if (verdict.kind == WriteVerdict::Kind::Paused) guarded.stop->state = StepState::Paused;
  return guarded;
}

client::Call mark_call(const client::Resource& resource, const WriteAttempt& attempt,
                       const WriteVerdict& verdict) {
  client::Call call;
  call.verb = client::Verb::Patch;
  call.resource = resource;
  call.key = attempt.object.key;
  call.body = bound_to(verdict.mark, attempt.live.get("metadata", "uid").as_string());
  // Not the manager of the children's fields: the next apply would take the mark off again.
  call.field_manager = verdict.mark_manager;
  return call;
}

}  // namespace

Guarded ask_guard(PassState& state, const client::Resource& resource, WriteAttempt attempt) {
  if (state.settings->guard == nullptr || !state.on(Rule::EditWarGuard)) return {};
  json::Value seen;
  for (int round = 0; round < kGuardRoundsMax; ++round) {
    const WriteVerdict verdict = verdict_on(state, attempt);
    using Kind = WriteVerdict::Kind;
    if (verdict.kind == Kind::Allowed) return {};
    if (verdict.kind == Kind::Throttled || verdict.kind == Kind::Paused) {
      return stopped_by(state, verdict);
    }
    const bool mark = verdict.kind == Kind::Mark;
    const client::Reply* reply = state.call(mark ? mark_call(resource, attempt, verdict)
                                                 : get_call(resource, attempt.object.key));
    if (reply == nullptr) return {.pending = true, .stop = std::nullopt};
    if (!*reply && (mark || !reply->error().not_found())) {
      return {.pending = false, .stop = failed_call(state, reply->error())};
    }
    seen = *reply ? (*reply)->body : json::Value{};
    attempt.live = seen;
    attempt.fresh = true;
    const bool is_new = state.script.next == state.script.replies.size();
    if (mark && is_new) state.settings->guard->marked(attempt, seen, state.now);
  }
  return {.pending = false,
          .stop = failed({.reason = "GuardUndecided",
                          .message = "the edit-war guard did not come to a decision"})};
}

void tell_guard(PassState& state, const WriteAttempt& attempt, const client::Reply& reply) {
  // Once, when the answer is new, not each time the script comes by.
  const bool fresh = state.script.next == state.script.replies.size();
  if (state.settings->guard != nullptr && fresh) {
    state.settings->guard->wrote(attempt, reply, state.now);
  }
}

}  // namespace fixpoint::runtime
