// SPDX-License-Identifier: Apache-2.0
//
// From changes to keys, from keys to passes, and what their ends mean for the queue.
#include "runtime/controller/controller_core.h"

#include "base/error.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/event_map.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace fixpoint::runtime {
namespace {

// Kinds beyond the declared ones that one operator meets; far more than any does.
constexpr std::size_t kResolvedMax = 1'024;
// Of the resync period, so that not everything is looked at in one moment.
constexpr std::int64_t kResyncSpread = 10;
// Versions whose news may still be on its way through the process: a handful; forgetting one costs
// a pass that changes nothing.
constexpr std::size_t kOwnWritesMax = 1'024;

}  // namespace

ControllerCore::ControllerCore(Setup setup)
    : settings_(std::make_shared<const Pass::Settings>(std::move(setup.settings))),
      queue_(setup.queue, setup.rng),
      events_(std::move(setup.source)),
      rng_(setup.rng),
      steady_waits_(setup.steady_waits),
      never_overdue_(setup.never_overdue) {
  FP_CHECK(settings_->reconciler != nullptr);
}

void ControllerCore::add(const kube::Key& key, Priority priority, MonotonicInstant now) {
  if (!queue_.add(key, priority, now)) overflowed_ = true;
}

void ControllerCore::changed(const Watch& watch, const Change& change, const CacheView& cache,
                             MonotonicInstant now) {
  if (!worth_a_pass(watch, change.before, change.after)) {
    if (!status_differs(watch, change.before, change.after)) return;
    return keys_of(declaration(), watch, change, cache, [&](const kube::Key& key) {
      if (!is_own_write(key, change)) status_changed(key, change.after, now);
    });
  }
  const auto priority = change.origin == Origin::InitialList ? kBulkPriority : kFreshPriority;
  keys_of(declaration(), watch, change, cache, [&](const kube::Key& key) {
    if (!is_own_write(key, change)) add(key, priority, now);
  });
}

void ControllerCore::note_own_write(const kube::Key& key, const EffectReply& reply) {
  const auto* answer = std::get_if<client::Reply>(&reply);
  if (answer == nullptr || !*answer) return;
  std::string version{kube::resource_version_of((*answer)->body)};
  if (version.empty() || !own_writes_.insert_or_assign(version, key).second) return;
  own_order_.push_back(std::move(version));
  if (own_order_.size() <= kOwnWritesMax) return;
  own_writes_.erase(own_order_.front());
  own_order_.pop_front();
}

bool ControllerCore::is_own_write(const kube::Key& key, const Change& change) const {
  return change.origin == Origin::OwnWrite && !change.after.is_null() &&
         wrote(key, kube::resource_version_of(change.after));
}

bool ControllerCore::wrote(const kube::Key& key, std::string_view version) const {
  const auto found = own_writes_.find(std::string{version});
  return found != own_writes_.end() && found->second == key;
}

void ControllerCore::status_changed(const kube::Key& key, json::View object, MonotonicInstant now) {
  for (Running& running : running_) {
    if (running.pass.key() != key) continue;
    running.status_heard = kube::resource_version_of(object);
    return;
  }
  look_at_status(key, now);
}

void ControllerCore::look_at_status(const kube::Key& key, MonotonicInstant now) {
  if (queue_.queued(key)) return;  // it is looked at anyway; of one who does not lead, all are
  if (!queue_.add_at(key, kFreshPriority, now + kStatusAgain)) overflowed_ = true;
}

void ControllerCore::forget_versions() {
  for (auto& [key, memory] : memories_) memory.stored.clear();
  own_writes_.clear();
  own_order_.clear();
}

void ControllerCore::add_all(const CacheView& cache, MonotonicInstant now) {
  const Contents* primaries = cache.find(declaration().primary().collection.resource.kind);
  if (primaries == nullptr) return;
  for (const json::View object : primaries->list("")) {
    const json::View metadata = object.get("metadata");
    add({std::string{metadata.get("namespace").as_string()},
         std::string{metadata.get("name").as_string()}},
        kBulkPriority, now);
  }
}

std::optional<ControllerCore::Started> ControllerCore::start(CacheView& cache, const Times& now) {
  if (running_.size() >= static_cast<std::size_t>(std::max(declaration().concurrency, 1))) {
    return std::nullopt;
  }
  if (overflowed_ && queue_.ready() == 0) {
    overflowed_ = false;
    add_all(cache, now.monotonic);
  }
  const auto taken = queue_.take(now.monotonic);
  if (!taken) return std::nullopt;
  const kube::Key& key = queue_.key(taken->slot);
  running_.push_back({++last_id_, taken->slot,
                      Pass({.settings = settings_.get(),
                            .key = key,
                            .id = last_id_,
                            .memory = memory_of(key),
                            .resolved = resolved_,
                            .overdue = times_overtaken(key) >= kOvertakenMax},
                           cache, now.wall)});
  return Started{last_id_, taken->waited};
}

std::vector<Effect> ControllerCore::take_effects(PassId id) {
  Running* running = find(id);
  return running == nullptr ? std::vector<Effect>{} : running->pass.take_effects();
}

void ControllerCore::answer(PassId id, EffectId effect, EffectReply reply, CacheView& cache,
                            const Times& now) {
  Running* running = find(id);
  if (running == nullptr) return;
  if (running->pass.writes(effect)) note_own_write(running->pass.key(), reply);
  running->pass.answer(effect, std::move(reply), cache, now.wall);
}

void ControllerCore::abort(PassId id, StepFailure why) {
  if (Running* running = find(id)) running->pass.abort(std::move(why));
}

std::optional<ControllerCore::Ended> ControllerCore::settle(PassId id, const Times& now) {
  Running* running = find(id);
  if (running == nullptr || !running->pass.end()) return std::nullopt;
  std::optional<Ended> over;
  Ended& ended =
      over.emplace(id, queue_.key(running->slot), Duration::zero(), running->pass.take_end());
  for (const EmitStep& event : ended.end.events) {
    events_.say(ended.end.regarding, event, now.wall);
  }
  learn(ended.end.resolved);
  const auto finish = finish_of(ended.end);
  remember(ended.key, ended.end);
  count_overtaken(ended);
  if (!running->status_heard.empty() && !wrote(ended.key, running->status_heard)) {
    look_at_status(ended.key, now.monotonic);
  }
  ended.took = queue_.finish(running->slot, finish, now.monotonic);
  if (running != &running_.back()) *running = std::move(running_.back());
  running_.pop_back();
  return over;
}

WorkQueue::Finish ControllerCore::finish_of(PassEnd& end) {
  WorkQueue::Finish finish{
      .failed = end.backoff, .gone = end.absent, .again = end.requeue_after, .soon = {}};
  auto& progress = end.memory.progress;
  if (end.changed && !end.backoff) {
    const unsigned doublings = steady_waits_ ? 0U : std::min(progress, 16U);
    finish.soon = std::min<Duration>(kProgressFirst * (1 << doublings), kProgressMax);
    ++progress;
  } else if (!end.changed) {
    progress = 0;
  }
  const Duration resync = declaration().resync;
  if (resync > Duration::zero() && !end.absent) {
    const auto most = static_cast<std::uint64_t>(resync.count() / kResyncSpread);
    const auto spread = steady_waits_ ? 1U : most + 1;
    const Duration later = resync + Duration(static_cast<std::int64_t>(rng_.below(spread)));
    finish.again = finish.again ? std::min(*finish.again, later) : later;
  }
  return finish;
}

std::optional<MonotonicInstant> ControllerCore::next_due() const {
  if (overflowed_ && queue_.ready() == 0) return MonotonicInstant{};
  return queue_.next_due();
}

std::vector<ControllerCore::PassId> ControllerCore::running_ids() const {
  std::vector<PassId> ids;
  ids.reserve(running_.size());
  for (const Running& running : running_) ids.push_back(running.id);
  return ids;
}

const kube::Key& ControllerCore::key_of(PassId id) const {
  const Running* running = find(id);
  FP_CHECK(running != nullptr);
  return running->pass.key();
}

const ControllerCore::Running* ControllerCore::find(PassId id) const {
  const auto found = std::ranges::find(running_, id, &Running::id);
  return found == running_.end() ? nullptr : &*found;
}

ControllerCore::Running* ControllerCore::find(PassId id) {
  const auto found = std::ranges::find(running_, id, &Running::id);
  return found == running_.end() ? nullptr : &*found;
}

KeyMemory ControllerCore::memory_of(const kube::Key& key) {
  if (memories_.empty()) return {};
  const auto found = memories_.find(key);
  return found == memories_.end() ? KeyMemory{} : found->second;
}

void ControllerCore::remember(const kube::Key& key, PassEnd& end) {
  if (end.absent || end.memory.empty()) {
    if (!memories_.empty()) memories_.erase(key);
    return;
  }
  if (memories_.size() >= kMemoriesMax && !memories_.contains(key)) {
    memories_.erase(memories_.begin());
  }
  memories_.insert_or_assign(key, std::move(end.memory));
}

std::uint32_t ControllerCore::times_overtaken(const kube::Key& key) const {
  const auto found = overtaken_.find(key);
  return found == overtaken_.end() ? 0 : found->second;
}

void ControllerCore::count_overtaken(const Ended& ended) {
  if (never_overdue_) return;
  if (ended.end.overtaken) {
    ++overtaken_[ended.key];
  } else if (!overtaken_.empty()) {
    overtaken_.erase(ended.key);
  }
}

void ControllerCore::learn(std::vector<client::Resource>& resolved) {
  if (resolved.empty()) return;
  auto known = resolved_ == nullptr ? std::vector<client::Resource>{} : *resolved_;
  if (known.size() >= kResolvedMax) known.clear();
  for (client::Resource& resource : resolved) {
    const auto found = std::ranges::find(known, resource.kind, &client::Resource::kind);
    if (found == known.end()) {
      known.push_back(std::move(resource));
    } else {
      *found = std::move(resource);
    }
  }
  resolved_ = std::make_shared<const std::vector<client::Resource>>(std::move(known));
}

}  // namespace fixpoint::runtime
