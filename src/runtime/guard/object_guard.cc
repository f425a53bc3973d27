// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/object_guard.h"

#include <utility>

namespace fixpoint::runtime {
namespace {

ManagedKey managed_key_of(const WriteAttempt& attempt) {
  return {.kind = attempt.object.kind.group_kind(),
          .key = attempt.object.key,
          .manager = std::string{attempt.field_manager}};
}

Sight sight_of(const ManagedKey& key, const WriteAttempt& attempt) {
  return {.key = key,
          .primary = attempt.primary,
          .live = attempt.live,
          .desired = attempt.desired,
          .desired_hash = attempt.desired_hash,
          .sighting = attempt.fresh ? Sighting::Fresh : Sighting::Cached};
}

WriteVerdict::Kind verdict_kind_of(GuardVerdict::Kind kind) {
  switch (kind) {
    case GuardVerdict::Kind::Allowed: return WriteVerdict::Kind::Allowed;
    case GuardVerdict::Kind::Look: return WriteVerdict::Kind::Look;
    case GuardVerdict::Kind::Mark: return WriteVerdict::Kind::Mark;
    case GuardVerdict::Kind::Throttled: return WriteVerdict::Kind::Throttled;
    case GuardVerdict::Kind::Paused: return WriteVerdict::Kind::Paused;
  }
  std::unreachable();
}

}  // namespace

ObjectGuard::ObjectGuard(GuardSettings settings, const Scheduler& scheduler, Listener listener)
    : scheduler_(scheduler), listener_(std::move(listener)), core_(std::move(settings)) {}

GuardTime ObjectGuard::time() const {
  return {.steady = scheduler_.now(), .wall = scheduler_.wall()};
}

void ObjectGuard::tell() {
  for (const auto& notice : core_.take_notices()) listener_(notice);
  if (std::exchange(told_serial_, core_.shadow_serial()) == told_serial_) return;
  if (on_change_) on_change_();
}

WriteVerdict ObjectGuard::may_write(const WriteAttempt& attempt, Instant) {
  if (attempt.cause == WriteCause::None &&
      core_.is_calm({attempt.object.kind, attempt.object.key, attempt.field_manager},
                    attempt.primary, attempt.live, attempt.desired_hash)) {
    return {};
  }
  const auto key = managed_key_of(attempt);
  const auto sight = sight_of(key, attempt);
  auto verdict = attempt.cause == WriteCause::None ? core_.unchanged(sight, time())
                                                   : core_.judge(sight, time());
  tell();
  return {.kind = verdict_kind_of(verdict.kind),
          .wait = verdict.wait,
          .reason = std::move(verdict.reason),
          .message = std::move(verdict.message),
          .mark = std::move(verdict.patch),
          .mark_manager = core_.settings().names.manager};
}

void ObjectGuard::wrote(const WriteAttempt& attempt, const client::Reply& reply, Instant) {
  const auto key = managed_key_of(attempt);
  if (reply) {
    core_.applied(sight_of(key, attempt), reply->body, time());
  } else if (reply.error().fate != client::Fate::Unknown) {
    core_.not_applied(key, time());
  }
  tell();
}

void ObjectGuard::marked(const WriteAttempt& attempt, json::View object, Instant) {
  core_.marked(managed_key_of(attempt), object, time());
  tell();
}

void ObjectGuard::removed(const ObjectRef& object, Instant) {
  core_.forget(object.kind.group_kind(), object.key);
  tell();
}

}  // namespace fixpoint::runtime
