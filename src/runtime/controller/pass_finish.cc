// SPDX-License-Identifier: Apache-2.0
//
// Scripts (pass_state.h): every run_ function here may run several times with the answers so far.
#include "runtime/controller/pass_finish.h"

#include "json/draft.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/executor.h"
#include "runtime/controller/json_operation.h"
#include "runtime/controller/status_write.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

bool carries(json::View primary, std::string_view finalizer) {
  const auto finalizers = primary.get("metadata", "finalizers").elements();
  return std::ranges::any_of(finalizers.begin(), finalizers.end(),
                             [&](json::View entry) { return entry.as_string() == finalizer; });
}

void fill_owner(PassState& state) {
  state.owner = {state.declaration().primary().collection.resource.kind, state.start.key,
                 std::string{state.primary.get("metadata", "uid").as_string()}};
}

client::Call primary_call(const PassState& state, client::PatchType type, json::Value body) {
  client::Call call;
  call.verb = client::Verb::Patch;
  call.resource = state.declaration().primary().collection.resource;
  call.key = state.start.key;
  call.patch_type = type;
  call.body = std::move(body);
  call.field_manager = state.settings->field_manager;
  return call;
}

bool owner_changed(const PassState& state, json::View live) {
  return live.get("metadata", "uid").as_string() != state.owner.uid ||
         live.get("metadata", "deletionTimestamp").is_null();
}

void reject(PassState& state, const kube::FieldErrors& errors) {
  state.conclusion = state.reconciler().reject(state.primary, errors);
  std::string message = errors.front().to_string();
  if (errors.size() > 1) message += fmt::format(" (and {} more)", errors.size() - 1);
  const EmitStep usual{.type = EventType::Warning, .reason = "InvalidSpec", .note = message};
  say(state, state.conclusion->event.value_or(usual));
  state.note(
      {.error_class = ErrorClass::Invalid, .reason = "InvalidSpec", .message = std::move(message)});
  state.next_phase(Phase::Status);
}

json::Value finalizer_patch(const PassState& state) {
  const json::View metadata = state.primary.get("metadata");
  json::Draft finalizers = json::Draft::array();
  for (const json::View entry : metadata.get("finalizers").elements()) finalizers.push_back(entry);
  finalizers.push_back(state.declaration().finalizer);
  json::Draft patched = json::Draft::object();
  patched["finalizers"] = std::move(finalizers);
  // Without the version two writers of this list would undo each other.
  patched["resourceVersion"] = metadata.get("resourceVersion");
  patched["uid"] = metadata.get("uid");
  return json::Draft::object({
                                 {"metadata", std::move(patched)}
  })
      .freeze();
}

// Null when it is not on any more.
json::Value release_patch(const PassState& state) {
  const std::string& finalizer = state.declaration().finalizer;
  const json::View metadata = state.primary.get("metadata");
  std::size_t at = 0;
  for (const json::View entry : metadata.get("finalizers").elements()) {
    if (entry.as_string() == finalizer) break;
    ++at;
  }
  if (at == metadata.get("finalizers").size()) return {};
  const std::string path = fmt::format("/metadata/finalizers/{}", at);
  json::Draft patch = json::Draft::array();
  patch.push_back(json_operation("replace", "/metadata/uid", metadata.get("uid")));
  // Others may have taken theirs off meanwhile, and then the place is another's.
  patch.push_back(json_operation("test", path, finalizer));
  patch.push_back(json::Draft::object({
      {"op",   "remove"},
      {"path", path    }
  }));
  return patch.freeze();
}

// The path is missing, and nothing is said about the object: the status subresource, or the kind.
bool not_served(const client::CallError& error) {
  return error.not_found() && (!error.status.details || error.status.details->name.empty());
}

// What does not pass by itself; a quota, too, waits for somebody.
bool is_for_people(const Outcome& outcome) {
  return outcome.error_class == ErrorClass::Permanent ||
         outcome.error_class == ErrorClass::Invalid || outcome.reason == kQuotaExceeded;
}

// "apply Service ns/a: no", and "Service ns/a exists": a message that names the object is enough.
std::string told(const Outcome& outcome) {
  const auto object = std::string_view{outcome.what}.substr(outcome.what.find(' ') + 1);
  if (outcome.what.empty() || outcome.message.starts_with(object)) return outcome.message;
  return outcome.what + ": " + outcome.message;
}

void say_failures(PassState& state) {
  for (const Outcome& outcome : state.result.outcomes.steps) {
    if (!is_for_people(outcome)) continue;
    say(state, {.type = EventType::Warning, .reason = outcome.reason, .note = told(outcome)});
  }
}

// A transient failure that may be over in a moment changes nothing in the status.
bool passes_by(const PassState& state) {
  return state.on(Rule::ErrorClasses) && state.start.memory.transients < kTransientsUnsaid &&
         std::ranges::any_of(
             state.result.outcomes.steps,
             [](const Outcome& outcome) { return outcome.error_class == ErrorClass::Transient; });
}

void conclude(PassState& state) {
  if (state.conclusion) return;
  const json::View status = state.primary.get("status");
  const json::View metadata = state.primary.get("metadata");
  if (!state.on(Rule::StatusFromFacts) &&
      status.get("observedGeneration") == metadata.get("generation")) {
    state.conclusion.emplace();  // believes the old status
    return;
  }
  state.conclusion = state.reconciler().conclude(state.facts, state.result.outcomes);
}

// An edit came in between, and nobody but us speaks of what was done: what is said of the older
// spec is still true of it, and says so by its observedGeneration.
bool may_speak_late(PassState& state, json::View there) {
  return state.start.overdue && !state.superseded() &&
         there.get("status") == state.primary.get("status");
}

Hash128 hash_of_conclusion(const PassState& state) {
  return wanted_status(json::View{}, *state.conclusion, Instant{}).hash();
}

}  // namespace

void begin_with_snapshot(PassState& state) {
  const Contents* contents = state.primaries();
  const json::View there = contents == nullptr ? json::View{} : contents->get(state.start.key);
  if (there.is_null()) {
    state.result.absent = true;
    return state.finish();
  }
  state.primary = json::Value(there);
  const bool stamped = !there.get("metadata", "deletionTimestamp").is_null();
  if (stamped && state.on(Rule::DeletionWins)) {
    const std::string& finalizer = state.declaration().finalizer;
    if (finalizer.empty() || !carries(there, finalizer)) return state.finish();
    // An object that is wrong must still be able to go: no check here.
    state.deleting = true;
    fill_owner(state);
    return state.next_phase(state.on(Rule::LiveBeforeDelete) ? Phase::Confirm : Phase::Observe);
  }
  if (state.on(Rule::InvalidCreatesNothing)) {
    auto checked = state.reconciler().inspect(there);
    if (!checked.errors.empty()) return reject(state, checked.errors);
    state.decoded = std::move(checked.decoded);
  }
  state.phase = Phase::Observe;
}

// A cache that lags may show the end of an object whose successor of the same name is alive, and
// what cleanup does outside the API knows no uid.
void run_confirm(PassState& state) {
  const client::Reply* reply =
      state.call(get_call(state.declaration().primary().collection.resource, state.start.key));
  if (reply == nullptr) return;
  if (!*reply && !reply->error().not_found()) return state.fail_pass(classify(reply->error()));
  if (!*reply || owner_changed(state, (*reply)->body)) return state.supersede();
  const json::View known = state.primaries()->get(state.start.key);
  state.primary = known.is_null() ? (*reply)->body : json::Value(known);
  state.next_phase(Phase::Observe);
}

bool wants_finalizer(const PassState& state) {
  const std::string& finalizer = state.declaration().finalizer;
  return !state.deleting && !finalizer.empty() && !carries(state.primary, finalizer) &&
         needs_cleanup(state.result.plan);
}

void run_finalizer(PassState& state) {
  if (!std::exchange(state.script.begun, true)) {
    if (state.superseded()) return state.supersede();
    // The answer changes the primary: what is sent is made once.
    state.script.current = finalizer_patch(state);
  }
  const client::Reply* reply =
      state.call(primary_call(state, client::PatchType::Merge, state.script.current));
  if (reply == nullptr) return;
  const bool acted = state.branch == state.order.size();
  if (!*reply) {
    StepFailure failure = classify(reply->error());
    failure.message = "adding the finalizer: " + failure.message;
    if (acted) {
      state.note(std::move(failure));
    } else {
      refuse_plan(state, std::move(failure));
    }
    return state.next_phase(Phase::Status);
  }
  state.result.changed = true;
  state.next_phase(acted ? Phase::Status : Phase::Act);
}

void after_plan(PassState& state) {
  if (state.deleting) {
    if (!state.on(Rule::FinalizerUntilGone)) return state.next_phase(Phase::Release);
    return state.next_phase(state.result.outcomes.all_succeeded() ? Phase::Leftovers
                                                                  : Phase::Status);
  }
  const bool late = !state.on(Rule::FinalizerFirst) && wants_finalizer(state);
  state.next_phase(late ? Phase::Finalizer : Phase::Status);
}

void run_release(PassState& state) {
  if (!std::exchange(state.script.begun, true)) state.script.current = release_patch(state);
  if (state.script.current.is_null()) return state.finish();
  const client::Reply* reply =
      state.call(primary_call(state, client::PatchType::Json, state.script.current));
  if (reply == nullptr) return;
  // Only that the object is gone is good news. When its kind is not served for a moment, nobody
  // would come back to an object that is still there.
  if (!*reply && (!reply->error().not_found() || not_served(reply->error()))) {
    StepFailure failure = classify(reply->error());
    failure.message = "removing the finalizer: " + failure.message;
    if (reply->error().status.code == 422) {
      // The test of its place failed: somebody else changed the list. Look again, live.
      failure.error_class = ErrorClass::Transient;
      state.start.memory.doubt(state.primary_ref());
    }
    return state.fail_pass(std::move(failure));
  }
  state.finish();
}

void run_status(PassState& state) {
  if (!std::exchange(state.script.begun, true)) {
    say_failures(state);
    if (passes_by(state)) return state.finish();
    conclude(state);
    const bool quiet = state.on(Rule::QuietFixpoint);
    if (quiet && says(state.primary, *state.conclusion)) return state.finish();
    const auto version = state.primary.get("metadata", "resourceVersion").as_string();
    if (quiet &&
        state.start.memory.fulfilled(state.primary_ref(), hash_of_conclusion(state), version)) {
      return state.finish();
    }
    // Somebody wrote it meanwhile: this write would be refused, and what it says may be outdated.
    const json::View there = state.primaries()->get(state.start.key);
    const bool changed = state.on(Rule::BoundToSnapshot) &&
                         there.get("metadata", "resourceVersion").as_string() != version;
    if (changed && !may_speak_late(state, there)) return state.supersede();
    // Once it is sure that the status will be said: of a reject() it was said already.
    if (state.conclusion->event) say(state, *state.conclusion->event);
    const json::Value wanted = wanted_status(state.primary, *state.conclusion, state.now);
    state.script.current =
        status_patch(changed ? there : state.primary.view(), wanted, state.settings->rules);
  }
  if (state.script.current.is_null()) return state.finish();
  client::Call call = primary_call(state, client::PatchType::Merge, state.script.current);
  call.subresource = "status";
  const client::Reply* reply = state.call(std::move(call));
  if (reply == nullptr) return;
  if (*reply) {
    const json::Value& body = (*reply)->body;
    if (says(body, *state.conclusion)) {
      state.start.memory.forget(state.primary_ref());
    } else {
      state.start.memory.remember(state.primary_ref(), hash_of_conclusion(state),
                                  std::string{body.get("metadata", "resourceVersion").as_string()});
    }
  } else if (not_served(reply->error())) {
    // Either the definition has no status, and nobody would ever see what went wrong, or the server
    // has not heard of the kind yet: so it says what a person must do, and tries again.
    state.note({.error_class = ErrorClass::Transient,
                .reason = "NoStatus",
                .message = "the kind serves no status; enable the status subresource in its "
                           "definition"});
  } else if (!reply->error().not_found()) {
    state.note(classify(reply->error()));
  }
  state.finish();
}

}  // namespace fixpoint::runtime
