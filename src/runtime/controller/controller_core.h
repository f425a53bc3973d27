// SPDX-License-Identifier: Apache-2.0
//
// ControllerCore: the queue, the passes that run and what is remembered between them, without I/O.
//
// A plain value: the verifier copies it and drives it exactly as Controller does. Whoever owns it
// hands in changes and answers, carries out the effects of each pass and sends the events.
// Read next: controller.h, the shell; pass.h.
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "client/call.h"
#include "kube/meta/gvk.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/event_log.h"
#include "runtime/controller/key_memory.h"
#include "runtime/controller/pass.h"
#include "runtime/controller/work_queue.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fixpoint::runtime {

struct Times {
  Instant wall;
  MonotonicInstant monotonic;
};

// A pass that changed something is followed by another, since the facts are others now; one that
// does so again and again is slowed down to one a second.
inline constexpr Duration kProgressFirst = std::chrono::milliseconds(5);
inline constexpr Duration kProgressMax = std::chrono::seconds(1);
// A status that somebody else wrote, or a write of our own that was given up and arrived, is
// corrected after this: two who disagree about it disagree once a second.
inline constexpr Duration kStatusAgain = std::chrono::seconds(1);

class ControllerCore {
 public:
  // Keys with something worth remembering; beyond it a memory is lost, which costs a read.
  static constexpr std::size_t kMemoriesMax = 100'000;

  struct Setup {
    Pass::Settings settings;
    QueueSettings queue;
    EventLog::Source source;
    Rng rng;
    // A wait for the same reason always has the same length. For the verifier, to whom time is only
    // an order: no length may depend on what happened before.
    bool steady_waits = false;
    // Nothing is finished because it is overdue (Pass::Start): in the verifier, where how often a
    // key was overtaken is no part of a state.
    bool never_overdue = false;
  };
  explicit ControllerCore(Setup setup);

  const Declaration& declaration() const { return settings_->reconciler->declaration(); }

  // What the cache noticed; the watch is one of the declaration's.
  void changed(const Watch& watch, const Change& change, const CacheView& cache,
               MonotonicInstant now);
  void add(const kube::Key& key, Priority priority, MonotonicInstant now);
  // Every object of the primary kind, at low priority.
  void add_all(const CacheView& cache, MonotonicInstant now);

  // The server's time went back: nothing that was remembered by version holds.
  void forget_versions();

  using PassId = std::uint64_t;
  struct Started {
    PassId id = 0;
    Duration waited{};  // in the queue
  };
  // Starts the next pass that is due, unless as many run as may.
  std::optional<Started> start(CacheView& cache, const Times& now);
  std::vector<Effect> take_effects(PassId id);
  void answer(PassId id, EffectId effect, EffectReply reply, CacheView& cache, const Times& now);
  void abort(PassId id, StepFailure why);

  struct Ended {
    PassId id = 0;
    kube::Key key;
    Duration took{};
    PassEnd end;
  };
  // The end of the pass if it is over: the queue and the memory are told, and it is no more.
  std::optional<Ended> settle(PassId id, const Times& now);

  // When start() would start something; nothing when it never will by itself.
  std::optional<MonotonicInstant> next_due() const;
  std::size_t running() const { return running_.size(); }
  bool is_running(PassId id) const { return find(id) != nullptr; }
  std::vector<PassId> running_ids() const;
  const WorkQueue& queue() const { return queue_; }
  EventLog& events() { return events_; }
  std::size_t memories() const { return memories_.size(); }
  const kube::Key& key_of(PassId id) const;
  // Somebody else wrote the status of its object since it began.
  bool status_heard(PassId id) const { return !find(id)->status_heard.empty(); }

  // For the verifier, which compares cores. `told` is the owner's word that everything written so
  // far has been through changed(): whose writes those were is not asked again.
  void told() {
    own_writes_.clear();
    own_order_.clear();
  }
  const std::map<kube::Key, KeyMemory>& remembered() const { return memories_; }
  template <class Visit>
  void each_running(Visit visit) const {
    for (const Running& running : running_) visit(running.id, running.pass);
  }

 private:
  struct Running {
    PassId id = 0;
    SlotNumber slot = kNoSlot;
    Pass pass;
    // The newest version of its object that has another status and may be somebody else's: news of
    // our own write may come before its answer. Empty: none.
    std::string status_heard{};
  };

  const Running* find(PassId id) const;
  Running* find(PassId id);
  KeyMemory memory_of(const kube::Key& key);
  void remember(const kube::Key& key, PassEnd& end);
  void learn(std::vector<client::Resource>& resolved);
  std::uint32_t times_overtaken(const kube::Key& key) const;
  void count_overtaken(const Ended& ended);
  void note_own_write(const kube::Key& key, const EffectReply& reply);
  bool is_own_write(const kube::Key& key, const Change& change) const;
  bool wrote(const kube::Key& key, std::string_view version) const;
  void status_changed(const kube::Key& key, json::View object, MonotonicInstant now);
  void look_at_status(const kube::Key& key, MonotonicInstant now);
  WorkQueue::Finish finish_of(PassEnd& end);

  std::shared_ptr<const Pass::Settings> settings_;
  WorkQueue queue_;
  EventLog events_;
  Rng rng_;
  bool steady_waits_ = false;
  bool never_overdue_ = false;
  PassId last_id_ = 0;
  std::vector<Running> running_;
  std::map<kube::Key, KeyMemory> memories_;
  std::shared_ptr<const std::vector<client::Resource>> resolved_;
  // How often in a row passes of a key were overtaken.
  std::map<kube::Key, std::uint32_t> overtaken_;
  bool overflowed_ = false;  // a full queue refused a key: look at everything when it is empty
  // Whose pass wrote which version: the news of it starts no pass of that key, which is followed by
  // another anyway. Other keys and other controllers are told.
  std::unordered_map<std::string, kube::Key> own_writes_;
  std::deque<std::string> own_order_;
};

}  // namespace fixpoint::runtime
