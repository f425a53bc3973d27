// SPDX-License-Identifier: Apache-2.0
//
// WorkQueue: the keys that still need a pass.
//
// Invariants: a key is handed to at most one pass at a time; added meanwhile, it is remembered and
// handed out once more afterwards, never dropped, never doubled. Of equal priority the first added
// is the first taken. A key that failed waits 5 ms, then twice as long each time, at most 1000 s,
// less some jitter; only a failed pass makes that longer, events in between do not. A plain value
// without a clock of its own: copies go their own ways.
// Read next: controller_core.h, which drains this queue.
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "kube/meta/gvk.h"
#include "runtime/controller/key_slots.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fixpoint::runtime {

using Priority = std::int32_t;
inline constexpr Priority kFreshPriority = 0;
// The initial list and resyncs: everything that changed just now goes before them.
inline constexpr Priority kBulkPriority = -100;

struct QueueSettings {
  Duration backoff_first = std::chrono::milliseconds(5);
  Duration backoff_max = std::chrono::seconds(1000);
  // More objects of one kind than any cluster is built for. A full queue refuses, and whoever adds
  // looks at everything again later.
  std::size_t keys_max = 2'000'000;
  bool one_pass_per_key = true;  // rule 2; off only as a mutant
  bool jitter = true;            // off where time is only an order of things: in the verifier
};

class WorkQueue {
 public:
  explicit WorkQueue(QueueSettings settings, Rng rng) : settings_(settings), rng_(rng) {}

  // Something about the key changed. False, and nothing is remembered, when the queue is full.
  bool add(const kube::Key& key, Priority priority, MonotonicInstant now);
  // The key wants a look at that time even if nothing changes; of two times the earlier wins.
  bool add_at(const kube::Key& key, Priority priority, MonotonicInstant at);

  struct Taken {
    SlotNumber slot = kNoSlot;  // the pass's, until finish()
    Priority priority = 0;
    Duration waited{};
  };
  // The next key that is due. What `slot` names stays as it is until then.
  std::optional<Taken> take(MonotonicInstant now);
  const kube::Key& key(SlotNumber slot) const { return slots_.key(slot); }

  // What the pass wants next. Without an error earlier failures are forgotten.
  struct Finish {
    bool failed = false;            // come back after the backoff
    bool gone = false;              // nothing is left to look at: earlier times do not count
    std::optional<Duration> again;  // come back after this
    std::optional<Duration> soon;   // the same, unless it was added meanwhile anyway
  };
  // How long the pass took.
  Duration finish(SlotNumber slot, const Finish& finish, MonotonicInstant now);

  // When take() gives something: now or earlier when it would at once, nothing when it never will.
  std::optional<MonotonicInstant> next_due() const;

  std::size_t size() const { return slots_.size(); }  // of all keys known here
  std::size_t ready() const;
  std::size_t running() const { return running_.size(); }
  std::size_t waiting() const;  // for a time
  std::uint32_t failures(const kube::Key& key) const;
  bool queued(const kube::Key& key) const;

  struct Depth {
    Priority priority = 0;
    std::size_t keys = 0;
  };
  std::vector<Depth> depths() const;
  struct Statistics {
    std::uint64_t adds = 0;
    std::uint64_t retries = 0;
  };
  const Statistics& statistics() const { return statistics_; }
  struct Running {
    Duration all{};
    Duration longest{};
  };
  Running running_for(MonotonicInstant now) const;

  // What a key waits for.
  static constexpr MonotonicInstant kNever = MonotonicInstant::max();
  struct Waiting {
    const kube::Key& key;
    Priority priority = 0;
    bool queued = false;
    bool again = false;
    std::uint16_t running = 0;
    MonotonicInstant requeue_at;  // kNever: not
    MonotonicInstant retry_at;
  };
  // Every key, the queued ones first and in order of their turns. For the verifier.
  template <class Visit>
  void each(Visit visit) const {
    const auto tell = [&](SlotNumber slot) {
      const Entry& entry = slots_[slot];
      visit(Waiting{slots_.key(slot), entry.priority, entry.queued, entry.again, entry.running,
                    entry.requeue_at, entry.retry_at});
    };
    for (const Level& level : levels_) {
      for (auto at = level.first; at != kNoSlot; at = slots_[at].after) tell(at);
    }
    slots_.each([&](SlotNumber slot) {
      if (!slots_[slot].queued) tell(slot);
    });
  }

 private:
  struct Entry {
    SlotNumber before = kNoSlot;  // in its level
    SlotNumber after = kNoSlot;
    Priority priority = kBulkPriority;  // of the queued key, or of its next turn
    bool queued = false;
    bool again = false;  // added while it ran
    std::uint16_t running = 0;
    std::uint32_t failures = 0;
    MonotonicInstant requeue_at = kNever;
    MonotonicInstant retry_at = kNever;
    MonotonicInstant timed_at = kNever;  // of its entry among the timers that counts
    MonotonicInstant added_at{};
    MonotonicInstant taken_at{};
  };
  struct Level {
    Priority priority = 0;
    SlotNumber first = kNoSlot;
    SlotNumber last = kNoSlot;
    std::size_t keys = 0;
  };
  struct Timer {
    MonotonicInstant at;
    std::uint64_t order = 0;  // of setting: equal times fire in that order
    SlotNumber slot = kNoSlot;
    bool operator>(const Timer& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  SlotNumber slot_of(const kube::Key& key);  // kNoSlot when full
  Level& level(Priority priority);
  void enqueue(SlotNumber slot, MonotonicInstant now);
  void unlink(SlotNumber slot);
  void set_timer(SlotNumber slot);
  void fire_timers(MonotonicInstant now);
  bool current(const Timer& timer) const;
  void drop_first_timer();
  void drop_stale_timers();
  void release(SlotNumber slot);
  Duration backoff(std::uint32_t failures);

  QueueSettings settings_;
  Rng rng_;
  KeySlots<Entry> slots_;
  std::vector<Level> levels_;  // highest priority first
  std::vector<Timer> timers_;  // a heap, the earliest on top; stale ones are skipped
  std::uint64_t timer_order_ = 0;
  std::vector<SlotNumber> running_;
  Statistics statistics_;
};

}  // namespace fixpoint::runtime
