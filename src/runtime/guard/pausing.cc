// SPDX-License-Identifier: Apache-2.0
//
// The life of a pause: decided, marked on the object, announced, honoured, stripped, resumed.
#include "base/rfc3339.h"
#include "kube/meta/metadata.h"
#include "runtime/guard/drift.h"
#include "runtime/guard/guard.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

constexpr std::size_t kIdDigits = 12;

std::string pause_id(const ManagedKey& key, std::string_view by, Instant at) {
  const auto text = fmt::format("{}|{}|{}", key.to_string(), by, at.time_since_epoch().count());
  return hash128(text).hex().substr(0, kIdDigits);
}

Pause by_person() {
  return {.id = "manual",
          .by = "a person",
          .at = {},
          .reason = "Manual",
          .rule = {},
          .actor = {},
          .operation = {},
          .paths = {},
          .count = 0};
}

}  // namespace

GuardVerdict Guard::pause(Entry& entry, const Sight& sight, const Drift& drift, GuardHit hit,
                          GuardTime now) {
  auto& war = entry.history();
  const bool ours = hit.rule == GuardRule::NonConvergent;
  Pause record{.id = pause_id(sight.key, settings_.by, now.wall),
               .by = settings_.by,
               .at = format_seconds(now.wall),
               .reason = ours ? "NonConvergent" : "ThrashingDetected",
               .rule = std::string{to_string(hit.rule)},
               .actor = ours ? std::string{} : drift.actor.manager,
               .operation = drift.actor.operation,
               .paths = drift.paths,
               .count = hit.count};
  if (record.paths.size() > kPausePathsMax) record.paths.resize(kPausePathsMax);
  war.announcement = paused_note(sight.key, drift, hit, record, settings_.names);
  war.pause = std::move(record);
  war.pause_print = drift.print.strict;
  war.by_person = war.annotated = war.announced = false;
  war.missing = sight.live.is_null();
  war.owner = owner_name(sight.primary);
  war.strips.clear();
  changed(true);
  war.paused_serial = serial_;
  return *while_paused(entry, sight, now);
}

GuardVerdict Guard::still_paused(const Entry& entry, const ManagedKey& key, Duration wait) const {
  const auto& pause = *entry.war->pause;
  auto message =
      entry.war->by_person
          ? fmt::format("{} is paused by its annotation {}; nothing is written until it is removed",
                        key.to_string(), settings_.names.paused)
          : fmt::format("{} is paused (id {}, rule {}, {}): {} times changed by {}. Resume: {}",
                        key.to_string(), pause.id, pause.rule, pause.reason, pause.count,
                        pause.actor.empty() ? "nobody else" : pause.actor,
                        resume_command(key, settings_.names));
  return {.kind = GuardVerdict::Kind::Paused,
          .wait = wait,
          .reason = pause.reason,
          .message = std::move(message),
          .patch = {}};
}

GuardVerdict Guard::put_mark(const Entry& entry, json::View live) const {
  const auto uid = kube::uid_of(live);
  const auto& war = *entry.war;
  return {.kind = GuardVerdict::Kind::Mark,
          .wait = {},
          .reason = war.pause ? war.pause->reason : "Resumed",
          .message = war.announcement,
          .patch = war.ending ? unmark_patch(settings_.names, uid)
                              : mark_patch(*war.pause, settings_.names, uid)};
}

// What the object itself says counts, also when this process knows nothing of it.
void Guard::heed_marks(Entry& entry, json::View primary, const PauseMarks& marks) {
  auto& war = entry.history();
  war.owner = owner_name(primary);
  const bool ours = marks.info && marks.info->by == settings_.by;
  if (ours && (!war.pause || war.pause->id != marks.info->id)) {
    war.pause = marks.info;
    war.by_person = false;
    // Whoever wrote it announced it.
    war.announced = war.annotated = true;
    changed(true);
  } else if (!ours && !war.pause) {
    war.pause = marks.info ? *marks.info : by_person();
    war.by_person = war.announced = war.annotated = true;
    changed(true);
  }
  war.annotated = true;
}

std::optional<GuardVerdict> Guard::while_paused(Entry& entry, const Sight& sight, GuardTime now) {
  const bool there = !sight.live.is_null();
  if (!entry.war && (!there || kube::annotation_of(sight.live, settings_.names.paused).empty())) {
    return std::nullopt;
  }
  const auto marks = there ? pause_marks(sight.live, settings_.names) : PauseMarks{};
  // The record is being removed: nothing else is written before that is done.
  if (entry.war && entry.war->ending) {
    if (there && (marks.paused || marks.info)) return put_mark(entry, sight.live);
    entry.war->ending.reset();
  }
  if (marks.paused) heed_marks(entry, sight.primary, marks);
  if (!entry.paused()) return std::nullopt;
  auto& war = *entry.war;

  if (!war.by_person && resume_asked(sight.primary, settings_.names, war.pause->id)) {
    return end_pause(entry, sight, "asked for on the owner", now);
  }
  if (marks.paused) {
    announce(sight.key, entry);
    return still_paused(entry, sight.key);
  }
  if (!there && !war.by_person) return still_paused(entry, sight.key);
  if (there && sight.sighting != Sighting::Fresh)
    return GuardVerdict{.kind = GuardVerdict::Kind::Look};
  if (war.by_person) return end_pause(entry, sight, "by a person", now);
  if (marks.info && marks.info->id == war.pause->id) {
    return end_pause(entry, sight, "by a person", now);
  }
  if (!war.annotated) return put_mark(entry, sight.live);
  return stripped(entry, sight, now);
}

// Somebody replaced the whole object, and our marks with it: that is no wish to resume.
GuardVerdict Guard::stripped(Entry& entry, const Sight& sight, GuardTime now) {
  auto& war = *entry.war;
  const auto version = fmt::format("stripped:{}", kube::resource_version_of(sight.live));
  if (entry.judged != version) {
    entry.judged = version;
    std::erase_if(war.strips,
                  [&](MonotonicInstant at) { return now.steady - at >= settings_.strips.window; });
    if (war.strips.size() >= settings_.strips.count) return still_paused(entry, sight.key);
    war.strips.push_back(now.steady);
    changed(true);
    notice(sight.key, entry, "PauseStripped",
           fmt::format("{} lost its pause record to somebody who replaces the whole object. It "
                       "stays paused (id {}). To resume, remove only {}: {}",
                       sight.key.to_string(), war.pause->id, settings_.names.paused,
                       resume_command(sight.key, settings_.names)));
    return put_mark(entry, sight.live);
  }
  return still_paused(entry, sight.key);
}

std::optional<GuardVerdict> Guard::end_pause(Entry& entry, const Sight& sight, std::string why,
                                             GuardTime now) {
  auto& war = *entry.war;
  const auto id = war.pause->id;
  const auto print = war.pause_print;
  const bool by_person = war.by_person;
  war = GuardWar{};
  entry.bucket = {};
  entry.throttled = false;
  entry.judged.clear();
  // The next write is a trial, not an answer to what others did while we looked away.
  entry.baseline = {};
  // Whoever else manages fields of this object heeded the same record.
  for (auto& [key, other] : entries_) {
    const bool same = key.kind == sight.key.kind && key.key == sight.key.key && &other != &entry;
    if (!same || !other.paused() || other.war->pause->id != id) continue;
    other.war.reset();
    other.baseline = {};
  }
  if (print != 0) {
    war.ledger.put_on_probation(print, now.steady + settings_.probation.window);
  }
  changed(true);
  notice(sight.key, entry, "Resumed",
         fmt::format("{} is managed again: resumed {} (pause {})", sight.key.to_string(), why, id),
         false);
  const auto marks = sight.live.is_null() ? PauseMarks{} : pause_marks(sight.live, settings_.names);
  if (by_person || (!marks.paused && !marks.info)) return std::nullopt;
  war.ending = std::move(why);
  return put_mark(entry, sight.live);
}

// The other writer is gone and the object is what we want: nobody needs to act.
std::optional<GuardVerdict> Guard::clear_when_converged(Entry& entry, const Sight& sight,
                                                        GuardVerdict verdict, GuardTime now) {
  auto& war = *entry.war;
  if (war.by_person || sight.live.is_null() || !settings_.clear_when_converged) return verdict;
  if (!war.converged_since) war.converged_since = now.steady;
  const auto left = *war.converged_since + settings_.converged_for - now.steady;
  if (left <= Duration::zero()) return end_pause(entry, sight, "because it converged", now);
  verdict.wait = left;
  return verdict;
}

void Guard::marked(const ManagedKey& key, json::View returned, GuardTime now) {
  auto& entry = entry_of(key, now);
  if (!entry.war) return;
  auto& war = *entry.war;
  const auto marks = pause_marks(returned, settings_.names);
  if (war.ending && !marks.paused && !marks.info) {
    war.ending.reset();
    changed(true);
  }
  if (war.pause && marks.paused) {
    war.annotated = true;
    changed(true);
    announce(key, entry);
  }
}

// Once, and only when the record is stored: on the object, or for one that is not there in the
// shadow.
void Guard::announce(const ManagedKey& key, Entry& entry) {
  auto& war = *entry.war;
  if (!war.pause || std::exchange(war.announced, true)) return;
  changed(false);
  notice(key, entry, war.pause->reason, war.announcement);
}

void Guard::shadow_stored(std::uint64_t serial) {
  stored_ = std::max(stored_, serial);
  std::vector<const ManagedKey*> told;
  for (auto& [key, entry] : entries_) {
    if (!entry.paused() || entry.war->announced || !entry.war->missing) continue;
    if (entry.war->paused_serial <= stored_) told.push_back(&key);
  }
  std::ranges::sort(told, [](const auto* a, const auto* b) { return *a < *b; });
  for (const auto* key : told) announce(*key, entries_.at(*key));
}

}  // namespace fixpoint::runtime
