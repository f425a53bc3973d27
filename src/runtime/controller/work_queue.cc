// SPDX-License-Identifier: Apache-2.0
//
// Levels are linked lists through the slots; times are a heap whose outdated entries are skipped.
#include "runtime/controller/work_queue.h"

#include "base/error.h"

#include <algorithm>
#include <functional>

namespace fixpoint::runtime {
namespace {

// Doubling 5 ms this often passes 1000 s; beyond it only the cap counts.
constexpr std::uint32_t kDoublingsMax = 40;
// Up to a quarter earlier, so that what failed together does not come back together.
constexpr std::int64_t kJitterParts = 4;

}  // namespace

SlotNumber WorkQueue::slot_of(const kube::Key& key) {
  const std::uint64_t hash = hash_of(key);
  const SlotNumber slot = slots_.find(key, hash);
  if (slot != kNoSlot) return slot;
  if (slots_.size() >= settings_.keys_max) return kNoSlot;
  return slots_.insert(key, hash);
}

bool WorkQueue::add(const kube::Key& key, Priority priority, MonotonicInstant now) {
  const SlotNumber slot = slot_of(key);
  if (slot == kNoSlot) return false;
  Entry& entry = slots_[slot];
  if (entry.running > 0 && settings_.one_pass_per_key) {
    entry.priority = entry.again ? std::max(entry.priority, priority) : priority;
    entry.again = true;
    return true;
  }
  if (entry.queued) {
    if (priority <= entry.priority) return true;
    const auto added_at = entry.added_at;
    unlink(slot);
    entry.priority = priority;
    enqueue(slot, added_at);
    --statistics_.adds;
    return true;
  }
  entry.priority = priority;
  enqueue(slot, now);
  return true;
}

bool WorkQueue::add_at(const kube::Key& key, Priority priority, MonotonicInstant at) {
  const SlotNumber slot = slot_of(key);
  if (slot == kNoSlot) return false;
  Entry& entry = slots_[slot];
  if (!entry.queued && entry.running == 0) entry.priority = std::max(entry.priority, priority);
  entry.requeue_at = std::min(entry.requeue_at, at);
  set_timer(slot);
  return true;
}

std::optional<WorkQueue::Taken> WorkQueue::take(MonotonicInstant now) {
  fire_timers(now);
  for (Level& level : levels_) {
    if (level.first == kNoSlot) continue;
    const SlotNumber slot = level.first;
    unlink(slot);
    Entry& entry = slots_[slot];
    entry.taken_at = now;
    ++entry.running;
    running_.push_back(slot);
    return Taken{slot, entry.priority, now - entry.added_at};
  }
  return std::nullopt;
}

Duration WorkQueue::finish(SlotNumber slot, const Finish& finish, MonotonicInstant now) {
  const auto place = std::ranges::find(running_, slot);
  FP_CHECK(place != running_.end());
  *place = running_.back();
  running_.pop_back();
  Entry& entry = slots_[slot];
  --entry.running;
  const Duration took = now - entry.taken_at;

  if (!finish.failed) {
    entry.failures = 0;
    entry.retry_at = kNever;
  } else if (entry.retry_at == kNever) {
    // An event started this pass while a retry was due later: that retry still counts, and a storm
    // of events does not push it further and further away.
    ++statistics_.retries;
    entry.retry_at = now + backoff(entry.failures++);
  }
  if (finish.gone) entry.requeue_at = kNever;
  if (finish.soon && !entry.again) {
    entry.requeue_at = std::min(entry.requeue_at, now + *finish.soon);
  }
  if (finish.again) entry.requeue_at = std::min(entry.requeue_at, now + *finish.again);
  if (entry.again) {
    entry.again = false;
    enqueue(slot, now);
  }
  set_timer(slot);
  while (!timers_.empty() && !current(timers_.front())) drop_first_timer();
  release(slot);
  return took;
}

std::optional<MonotonicInstant> WorkQueue::next_due() const {
  for (const Level& level : levels_) {
    if (level.first != kNoSlot) return slots_[level.first].added_at;
  }
  if (timers_.empty()) return std::nullopt;
  return timers_.front().at;
}

std::size_t WorkQueue::ready() const {
  std::size_t keys = 0;
  for (const Level& level : levels_) keys += level.keys;
  return keys;
}

std::size_t WorkQueue::waiting() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(timers_, [&](const Timer& timer) { return current(timer); }));
}

std::uint32_t WorkQueue::failures(const kube::Key& key) const {
  const SlotNumber slot = slots_.find(key, hash_of(key));
  return slot == kNoSlot ? 0 : slots_[slot].failures;
}

bool WorkQueue::queued(const kube::Key& key) const {
  const SlotNumber slot = slots_.find(key, hash_of(key));
  return slot != kNoSlot && slots_[slot].queued;
}

std::vector<WorkQueue::Depth> WorkQueue::depths() const {
  std::vector<Depth> depths;
  depths.reserve(levels_.size());
  for (const Level& level : levels_) depths.push_back({level.priority, level.keys});
  return depths;
}

WorkQueue::Running WorkQueue::running_for(MonotonicInstant now) const {
  Running running;
  for (const SlotNumber slot : running_) {
    const Duration took = now - slots_[slot].taken_at;
    running.all += took;
    running.longest = std::max(running.longest, took);
  }
  return running;
}

WorkQueue::Level& WorkQueue::level(Priority priority) {
  const auto place = std::ranges::lower_bound(levels_, priority, std::greater{}, &Level::priority);
  if (place != levels_.end() && place->priority == priority) return *place;
  return *levels_.insert(place, Level{.priority = priority});
}

void WorkQueue::enqueue(SlotNumber slot, MonotonicInstant now) {
  Entry& entry = slots_[slot];
  Level& target = level(entry.priority);
  entry.queued = true;
  entry.added_at = now;
  entry.before = target.last;
  entry.after = kNoSlot;
  (target.last == kNoSlot ? target.first : slots_[target.last].after) = slot;
  target.last = slot;
  ++target.keys;
  ++statistics_.adds;
}

void WorkQueue::unlink(SlotNumber slot) {
  Entry& entry = slots_[slot];
  Level& source = level(entry.priority);
  (entry.before == kNoSlot ? source.first : slots_[entry.before].after) = entry.after;
  (entry.after == kNoSlot ? source.last : slots_[entry.after].before) = entry.before;
  entry.queued = false;
  --source.keys;
}

void WorkQueue::set_timer(SlotNumber slot) {
  Entry& entry = slots_[slot];
  const auto at = std::min(entry.requeue_at, entry.retry_at);
  if (at == entry.timed_at) return;
  entry.timed_at = at;
  if (at == kNever) return;
  timers_.push_back({at, timer_order_++, slot});
  std::ranges::push_heap(timers_, std::greater{});
  if (timers_.size() > 2 * slots_.size() + 64) drop_stale_timers();
}

bool WorkQueue::current(const Timer& timer) const {
  return slots_[timer.slot].timed_at == timer.at;
}

void WorkQueue::drop_stale_timers() {
  std::erase_if(timers_, [&](const Timer& timer) { return !current(timer); });
  std::ranges::make_heap(timers_, std::greater{});
}

void WorkQueue::drop_first_timer() {
  std::ranges::pop_heap(timers_, std::greater{});
  timers_.pop_back();
}

void WorkQueue::fire_timers(MonotonicInstant now) {
  while (!timers_.empty() && (timers_.front().at <= now || !current(timers_.front()))) {
    const Timer timer = timers_.front();
    drop_first_timer();
    if (!current(timer)) continue;
    Entry& entry = slots_[timer.slot];
    entry.timed_at = kNever;
    if (entry.requeue_at <= timer.at) entry.requeue_at = kNever;
    if (entry.retry_at <= timer.at) entry.retry_at = kNever;
    set_timer(timer.slot);
    if (entry.queued) continue;
    if (entry.running > 0) {
      entry.again = true;
    } else {
      enqueue(timer.slot, timer.at);
    }
  }
}

void WorkQueue::release(SlotNumber slot) {
  const Entry& entry = slots_[slot];
  if (entry.queued || entry.running > 0 || entry.timed_at != kNever || entry.failures > 0) return;
  slots_.free(slot);
}

Duration WorkQueue::backoff(std::uint32_t failures) {
  Duration delay = settings_.backoff_max;
  if (failures < kDoublingsMax) {
    delay = std::min(delay, settings_.backoff_first * (std::int64_t{1} << failures));
  }
  if (!settings_.jitter) return delay;
  const auto spread = static_cast<std::uint64_t>((delay / kJitterParts).count()) + 1;
  return delay - Duration(static_cast<std::int64_t>(rng_.below(spread)));
}

}  // namespace fixpoint::runtime
