// SPDX-License-Identifier: Apache-2.0
//
// What all parts of a pass share: wanting effects, knowing kinds, ending.
#include "runtime/controller/pass_state.h"

#include "kinds/kind.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/executor.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fixpoint::runtime {
namespace {

const client::Resource* find_in(const std::vector<client::Resource>& resources,
                                const kube::GroupVersionKind& kind) {
  const auto found = std::ranges::find(resources, kind, &client::Resource::kind);
  return found == resources.end() ? nullptr : &*found;
}

// The class that asks to come back soonest decides about the retry, so that an isolated branch is
// retried on every pass whatever became of the others.
int urgency(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::Transient: return 4;
    case ErrorClass::Throttled: return 3;
    case ErrorClass::Permanent: return 2;
    case ErrorClass::Invalid: return 1;
    case ErrorClass::None: return 0;
  }
  return 0;
}

}  // namespace

const Contents* PassState::primaries() const {
  return cache->find(declaration().primary().collection.resource.kind);
}

void PassState::put(const ObjectRef& object, json::Value body) {
  if (!on(Rule::ReadOwnWrites)) return;
  // The change is the cache's to tell, which keeps it (Contents::take_own_changes).
  if (Contents* contents = cache->find_to_change(object.kind)) {
    (void)contents->put(std::move(body), Origin::OwnWrite);
  }
}

void PassState::gone(const ObjectRef& object, std::string_view uid) {
  if (!on(Rule::ReadOwnWrites) || uid.empty()) return;
  if (Contents* contents = cache->find_to_change(object.kind)) {
    (void)contents->gone(object.key, uid);
  }
}

ObjectRef PassState::primary_ref() const {
  return {declaration().primary().collection.resource.kind, start.key};
}

const EffectReply* PassState::ask(decltype(Effect::what) what) {
  if (script.next < script.replies.size()) return &script.replies[script.next++];
  want(std::move(what));
  return nullptr;
}

const client::Reply* PassState::call(client::Call request) {
  const EffectReply* reply = ask(ApiEffect{std::move(request)});
  return reply == nullptr ? nullptr : &std::get<client::Reply>(*reply);
}

EffectId PassState::want(decltype(Effect::what) what, std::size_t ask_index) {
  Effect effect{++last_id, std::move(what)};
  outstanding.push_back({effect.id, ask_index, effect});
  wanted.push_back(std::move(effect));
  return last_id;
}

void PassState::next_phase(Phase next) {
  phase = next;
  if (script.begun || !script.replies.empty()) script = {};
}

std::optional<client::Resource> PassState::known_resource(
    const kube::GroupVersionKind& kind) const {
  if (const Watch* watch = declaration().find(kind)) return watch->collection.resource;
  for (const Permission& permission : declaration().permissions) {
    if (permission.resource.kind == kind && !permission.resource.plural.empty()) {
      return permission.resource;
    }
  }
  if (const auto* found = find_in(result.resolved, kind)) return *found;
  if (start.resolved != nullptr) {
    if (const auto* found = find_in(*start.resolved, kind)) return *found;
  }
  const kinds::Kind* builtin = kinds::find(kind);
  if (builtin == nullptr) return std::nullopt;
  return client::Resource{kind, builtin->resource,
                          builtin->namespaced ? client::Scope::Namespaced : client::Scope::Cluster};
}

std::optional<std::expected<client::Resource, StepFailure>> PassState::resource(
    const kube::GroupVersionKind& kind) {
  // What discovery was asked in this script comes first: the order of answers must not depend on
  // what was learned meanwhile.
  if (script.next < script.replies.size()) {
    if (const auto* resolved = std::get_if<std::expected<client::Resource, client::CallError>>(
            &script.replies[script.next])) {
      ++script.next;
      if (*resolved) return **resolved;
      return std::unexpected(classify(resolved->error()));
    }
  }
  if (auto known = known_resource(kind)) return *std::move(known);
  want(ResolveEffect{kind});
  return std::nullopt;
}

void PassState::look_again(Duration delay) {
  again = again ? std::min(*again, delay) : delay;
}

bool PassState::superseded() {
  const Contents* contents = primaries();
  if (contents == nullptr) return true;
  const json::View now_there = contents->get(start.key);
  if (now_there.same_as(primary)) return false;
  const json::View before = primary.get("metadata");
  const json::View metadata = now_there.get("metadata");
  if (on(Rule::BoundToSnapshot)) {
    if (metadata.get("uid") != before.get("uid")) return true;
    if (!start.overdue && metadata.get("generation") != before.get("generation")) return true;
  }
  return on(Rule::DeletionWins) && !deleting && metadata.contains("deletionTimestamp");
}

void PassState::supersede() {
  const ErrorClass worst = take_stock();
  // An edit is a reason to look again, but none to press a server that failed or asked for time.
  const bool wait = worst == ErrorClass::Transient || worst == ErrorClass::Throttled;
  result.overtaken = true;
  result.result = wait ? PassEnd::Result::Error : PassEnd::Result::Success;
  result.requeue_after = wait ? again : Duration::zero();
  // What else was wrong was wrong with what the object was.
  if (!wait) result.failure = {};
  result.memory = start.memory;
  if (result.backoff) ++result.memory.transients;
  phase = Phase::Over;
}

void PassState::note(StepFailure failure) {
  if (failure.retry_after) look_again(*failure.retry_after);
  const auto known = result.failure.reason.empty() ? ErrorClass::None : result.failure.error_class;
  if (urgency(failure.error_class) > urgency(known)) result.failure = std::move(failure);
}

void PassState::fail_pass(StepFailure failure) {
  const bool for_people =
      failure.error_class == ErrorClass::Permanent || failure.error_class == ErrorClass::Invalid;
  if (for_people && !primary.is_null()) {
    say(*this, {.type = EventType::Warning, .reason = failure.reason, .note = failure.message});
  }
  note(std::move(failure));
  // What was not reached may still be true: its events are not said again.
  saying.insert(saying.end(), start.memory.said.begin(), start.memory.said.end());
  finish();
}

ErrorClass PassState::take_stock() {
  for (const Outcome& outcome : result.outcomes.steps) {
    if (outcome.error_class == ErrorClass::None) continue;
    note({outcome.error_class, outcome.reason, outcome.message, std::nullopt});
  }
  auto worst = result.failure.reason.empty() ? ErrorClass::None : result.failure.error_class;
  if (worst != ErrorClass::None && !on(Rule::ErrorClasses)) worst = ErrorClass::Transient;
  result.backoff = worst == ErrorClass::Transient;
  return worst;
}

void PassState::finish() {
  const ErrorClass worst = take_stock();
  if (worst == ErrorClass::Permanent) look_again(kPermanentAgain);
  result.requeue_after = again;
  switch (worst) {
    case ErrorClass::Transient:
    case ErrorClass::Throttled: result.result = PassEnd::Result::Error; break;
    case ErrorClass::Permanent:
    case ErrorClass::Invalid: result.result = PassEnd::Result::TerminalError; break;
    case ErrorClass::None:
      result.result = again ? PassEnd::Result::RequeueAfter : PassEnd::Result::Success;
      break;
  }
  result.memory = std::move(start.memory);
  result.memory.said = std::move(saying);
  result.memory.transients = result.backoff ? result.memory.transients + 1 : 0;
  if (!result.events.empty()) result.regarding = primary;
  phase = Phase::Over;
}

}  // namespace fixpoint::runtime
