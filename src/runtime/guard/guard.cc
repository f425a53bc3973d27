// SPDX-License-Identifier: Apache-2.0
//
// The guard's decisions: what a drift is, and what follows from it. pausing.cc has the life of a
// pause.
#include "runtime/guard/guard.h"

#include "base/rfc3339.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/containment.h"
#include "runtime/guard/drift.h"
#include "runtime/plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// Ages of stored entries beyond the longest window say nothing more.
Duration age_max(const GuardSettings& settings) {
  return std::max({settings.quiet, settings.strict_day.window, settings.loose_day.window});
}

// Every object is looked at when the process starts and when anything about it changes.
constexpr Duration kUnusedMax = std::chrono::hours(24 * 7);

}  // namespace

Guard::Guard(GuardSettings settings) : settings_(std::move(settings)) {}

std::size_t Guard::KeyHash::operator()(const ManagedKeyView& key) const {
  // The manager is left out: it hardly ever tells two keys apart.
  return hash64(key.name, hash64(key.ns, hash64(key.kind, hash64(key.group))));
}

bool Guard::is_expensive(const ManagedKey& key) const {
  return std::ranges::find(settings_.expensive, key.kind) != settings_.expensive.end();
}

const TokenRate& Guard::rate_of(const ManagedKey& key) const {
  return is_expensive(key) ? settings_.expensive_tokens : settings_.tokens;
}

Guard::Entry& Guard::entry_of(const ManagedKey& key, GuardTime now) {
  if (const auto found = entries_.find(key); found != entries_.end()) {
    found->second.used = now.steady;
    return found->second;
  }
  if (entries_.size() >= settings_.objects_max) make_room();
  auto& entry = entries_[key];
  entry.used = now.steady;
  return entry;
}

Guard::Entry& Guard::entry_of(const Sight& sight, GuardTime now) {
  auto& entry = entry_of(sight.key, now);
  const auto owner = kube::uid_of(sight.primary);
  if (entry.owner_uid == owner) return entry;
  // Deleted and made again together with its owner: nobody fights.
  if (!entry.owner_uid.empty()) {
    if (entry.war) changed(true);
    entry = {};
    entry.used = now.steady;
  }
  entry.owner_uid = owner;
  return entry;
}

// A tenth of what has no history, the longest unused first: what is lost is only the knowledge that
// the next drift is contested.
void Guard::make_room() {
  std::vector<std::pair<MonotonicInstant, ManagedKey>> calm;
  for (const auto& [key, entry] : entries_) {
    if (!entry.war) calm.emplace_back(entry.used, key);
  }
  const auto count = std::min(calm.size(), std::max<std::size_t>(1, settings_.objects_max / 10));
  std::ranges::partial_sort(calm, calm.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) entries_.erase(calm[i].second);
}

GuardVerdict Guard::judge(const Sight& sight, GuardTime now) {
  auto& entry = entry_of(sight, now);
  if (entry.war) {
    entry.war->ledger.settle(settings_, now.steady);
    entry.war->converged_since.reset();
  }
  if (auto verdict = while_paused(entry, sight, now)) return *std::move(verdict);

  const bool own_wish = entry.desired != sight.desired_hash || !entry.baseline.known();
  if (own_wish) {
    if (entry.war) entry.war->unconverged = 0;
    return limited(entry, sight, Why::OwnWish, now);
  }
  const bool gone = sight.live.is_null();
  const bool replaced = !gone && kube::uid_of(sight.live) != entry.uid;
  if (gone || replaced) {
    return contested(entry, sight, deleted_drift(sight.live, entry.own_version), now);
  }
  // Who wrote what is in the managedFields, and a projection may hide that nobody did.
  if (sight.sighting != Sighting::Fresh) return {.kind = GuardVerdict::Kind::Look};
  const auto drift =
      drift_between(entry.baseline, sight.live, sight.desired, sight.key, sight.key.manager);
  if (drift.paths.empty()) return unconverged(entry, sight, now);
  return contested(entry, sight, drift, now);
}

GuardVerdict Guard::contested(Entry& entry, const Sight& sight, const Drift& drift, GuardTime now) {
  if (entry.judged == drift.version) return limited(entry, sight, Why::Contested, now);
  entry.judged = drift.version;
  auto& war = entry.history();
  war.unconverged = 0;
  war.actor = drift.actor;
  war.owner = owner_name(sight.primary);
  war.ledger.add({.at = now.steady, .print = drift.print});
  count_contest(sight.key, entry);
  const auto cost = is_expensive(sight.key) ? Ledger::Cost::Expensive : Ledger::Cost::Normal;
  const bool warn = !war.warned && war.ledger.worth_a_warning(settings_, now.steady);
  changed(warn);
  if (warn) {
    war.warned = true;
    notice(sight.key, entry, "DriftContested", contested_note(sight.key, drift, war.ledger));
  }
  if (const auto hit = war.ledger.judge(settings_, cost, now.steady)) {
    return pause(entry, sight, drift, hit, now);
  }
  return limited(entry, sight, Why::Contested, now);
}

// Our own last write is still there, and yet it is not what we want: the template is not stable, or
// an admission plugin changes what we send.
GuardVerdict Guard::unconverged(Entry& entry, const Sight& sight, GuardTime now) {
  const auto version = "own:" + entry.own_version;
  if (entry.judged != version) {
    entry.judged = version;
    ++entry.history().unconverged;
    changed(false);
  }
  const auto times = entry.war ? entry.war->unconverged : 0;
  if (times < settings_.unconverged_max) return limited(entry, sight, Why::OwnWish, now);
  const GuardHit hit{.rule = GuardRule::NonConvergent, .count = times, .span = {}};
  return pause(entry, sight, Drift{}, hit, now);
}

GuardVerdict Guard::limited(Entry& entry, const Sight& sight, Why why, GuardTime now) {
  const auto& rate = rate_of(sight.key);
  Duration wait = entry.bucket.wait(rate, now.steady);
  if (why == Why::Contested) {
    wait = std::max(wait, global_.wait(settings_.global_tokens, now.steady));
  }
  if (wait == Duration::zero()) {
    FP_CHECK(entry.bucket.try_take(rate, now.steady));
    if (why == Why::Contested) FP_CHECK(global_.try_take(settings_.global_tokens, now.steady));
    entry.throttled = false;
    return {};
  }
  auto message = fmt::format("{} was written {} times in a short time; the next write waits",
                             sight.key.to_string(), rate.capacity);
  if (!std::exchange(entry.throttled, true)) notice(sight.key, entry, "Throttled", message);
  return {.kind = GuardVerdict::Kind::Throttled,
          .wait = wait,
          .reason = "Throttled",
          .message = std::move(message)};
}

bool Guard::is_calm(const ManagedKeyView& key, json::View primary, json::View live,
                    const Hash128& desired_hash) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  const auto& entry = found->second;
  return !entry.war && entry.desired == desired_hash && entry.owner_uid == kube::uid_of(primary) &&
         kube::annotation_of(live, settings_.names.paused).empty();
}

GuardVerdict Guard::unchanged(const Sight& sight, GuardTime now) {
  auto& entry = entry_of(sight, now);
  // The annotations are looked at even of objects nothing is known of: a pause may be older than
  // this process.
  if (auto verdict = while_paused(entry, sight, now)) {
    if (verdict->kind == GuardVerdict::Kind::Paused && entry.paused()) {
      verdict = clear_when_converged(entry, sight, *std::move(verdict), now);
    }
    if (verdict) return *std::move(verdict);
  }
  if (entry.desired != sight.desired_hash) {
    // It became what we want without us, or before our time: nothing is contested any more. What
    // our write would have returned is not known, so the next drift is none either.
    entry.desired = sight.desired_hash;
    entry.uid = kube::uid_of(sight.live);
    entry.baseline = {};
    if (entry.war) entry.war->ledger.clear();
  }
  if (entry.war) {
    entry.war->unconverged = 0;
    entry.war->ledger.settle(settings_, now.steady);
    const bool on_probation = now.steady < entry.war->ledger.probation_until();
    if (entry.war->ledger.contests().empty() && !on_probation) {
      entry.war.reset();
      changed(true);
    }
  }
  return {};
}

void Guard::applied(const Sight& sight, json::View returned, GuardTime now) {
  auto& entry = entry_of(sight, now);
  // The server had nothing to change: it has what we sent, in its own words.
  const bool settled = !sight.live.is_null() &&
                       echo_of(sight.live, sight.desired) == echo_of(returned, sight.desired);
  if (entry.war && settled) entry.war->unconverged = 0;
  entry.desired = sight.desired_hash;
  entry.uid = kube::uid_of(returned);
  entry.own_version = kube::resource_version_of(returned);
  entry.baseline = Baseline(tables_.of(returned, sight.desired, sight.key.manager), returned);
  if (entry.war) changed(false);
}

void Guard::not_applied(const ManagedKey& key, GuardTime now) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) found->second.bucket.give_back(rate_of(key), now.steady);
}

void Guard::forget(const kube::GroupKind& kind, const kube::Key& key) {
  bool had_history = false;
  std::erase_if(entries_, [&](const auto& item) {
    const bool it = item.first.kind == kind && item.first.key == key;
    had_history |= it && item.second.war;
    return it;
  });
  if (had_history) changed(true);
}

void Guard::forget_owner(std::string_view owner) {
  const auto forgotten = std::erase_if(entries_, [&](const auto& item) {
    return item.second.war && item.second.war->owner == owner;
  });
  if (forgotten > 0) changed(true);
}

// Histories that are over, and pauses of objects whose owner nobody asks about any more.
void Guard::sweep(GuardTime now) {
  std::erase_if(entries_, [&](auto& item) {
    if (!item.second.war) return false;
    item.second.war->ledger.settle(settings_, now.steady);
    const bool over = !item.second.paused() && item.second.war->ledger.contests().empty() &&
                      item.second.war->ledger.probation_until() <= now.steady;
    return over || now.steady - item.second.used > kUnusedMax;
  });
}

void Guard::changed(bool urgently) {
  ++serial_;
  if (urgently) urgent_ = serial_;
}

void Guard::notice(const ManagedKey& key, const Entry& entry, std::string_view reason,
                   std::string note, bool warning) {
  if (notices_.size() >= kNoticesMax) notices_.erase(notices_.begin());
  if (note.size() > kNoteBytesMax) note.resize(kNoteBytesMax);
  notices_.push_back({.key = key,
                      .uid = entry.uid,
                      .warning = warning,
                      .reason = std::string{reason},
                      .note = std::move(note),
                      .actor = entry.war ? entry.war->actor.manager : std::string{}});
}

void Guard::count_contest(const ManagedKey& key, const Entry& entry) {
  notice(key, entry, "Contested", {});
  notices_.back().only_counted = true;
}

std::vector<GuardNotice> Guard::take_notices() {
  return std::exchange(notices_, {});
}

std::vector<std::pair<std::string, json::Value>> Guard::shadow(GuardTime now) {
  sweep(now);
  std::vector<std::pair<std::string, json::Value>> records;
  for (const auto& [key, entry] : entries_) {
    if (!entry.war) continue;
    records.emplace_back(shadow_name(key), shadow_record(key, entry, rate_of(key), now));
  }
  std::ranges::sort(records, {}, &std::pair<std::string, json::Value>::first);
  return records;
}

void Guard::load(const std::vector<json::Value>& records, GuardTime now) {
  for (const auto& record : records) {
    auto read = read_shadow_record(record, tables_, age_max(settings_), now);
    if (!read || entries_.size() >= settings_.objects_max) continue;
    entries_[std::move(read->first)] = std::move(read->second);
  }
}

std::vector<GuardState> Guard::states(GuardTime now) const {
  std::vector<GuardState> states;
  for (const auto& [key, entry] : entries_) {
    if (!entry.war) continue;
    states.push_back({.key = &key,
                      .contested = entry.war->warned,
                      .pause = entry.war->pause ? &*entry.war->pause : nullptr,
                      .contests = entry.war->ledger.contests().size(),
                      .tokens = entry.bucket.tokens(rate_of(key), now.steady),
                      .actor = entry.war->actor.manager});
  }
  std::ranges::sort(states, [](const auto& a, const auto& b) { return *a.key < *b.key; });
  return states;
}

}  // namespace fixpoint::runtime
