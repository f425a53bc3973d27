// SPDX-License-Identifier: Apache-2.0
//
// Guard: keeps two writers from changing one object back and forth for ever (rule 12).
//
// A copyable value without I/O; time comes in. It is asked before each write of a managed object
// and answers with one thing to do: write, wait, look closer, leave it alone, or first put the
// pause record on the object. What it counts is a *contested drift*: we want what we wanted, and
// somebody else wrote one of our fields since our own last write came back. A first creation, a new
// wish of ours, an adoption and a fresh start without memory are never contested.
// Invariants:
// - Each version of an object is counted once, however many passes look at it.
// - The record is written first; the event and the metric follow when it is stored. Between the
//   decision and that moment nothing else is written.
// - Paused means no writes, across restarts: the annotation says so, or the shadow record does.
// - What is remembered is bounded, and forgetting errs towards writing once more, never towards
//   pausing.
// Read next: settings.h for the rules, pause.h for the record, shadow.h for what survives.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/guard/baseline.h"
#include "runtime/guard/entry.h"
#include "runtime/guard/ledger.h"
#include "runtime/guard/pause.h"
#include "runtime/guard/settings.h"
#include "runtime/guard/token_bucket.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixpoint::runtime {

struct GuardDrift;

// Notices that nobody took; the oldest are dropped.
inline constexpr std::size_t kNoticesMax = 1'000;

// What is known of the live object.
enum class Sighting : std::uint8_t {
  Cached,  // without managedFields, perhaps without more
  Fresh,   // whole, from the server, just now
};

struct Sight {
  const ManagedKey& key;
  json::View primary;
  json::View live;  // null: it is not there
  json::View desired;
  Hash128 desired_hash;
  Sighting sighting = Sighting::Cached;
};

struct GuardVerdict {
  enum class Kind : std::uint8_t {
    Allowed,    // go on
    Look,       // read the live object and ask again
    Throttled,  // ask again after `wait`
    Paused,     // leave it alone; ask again after `wait` at the latest, if that is not zero
    Mark,       // patch the object with `patch` (merge patch, names.manager), report, ask again
  };
  Kind kind = Kind::Allowed;
  Duration wait{};
  std::string reason;   // CamelCase
  std::string message;  // with the way out
  json::Value patch;
};

// Something to tell people, exactly once.
struct GuardNotice {
  ManagedKey key;
  std::string uid;
  bool warning = true;
  std::string reason;         // DriftContested, Throttled, ThrashingDetected, NonConvergent,
                              // PauseStripped, Resumed
  std::string note;           // at most a kilobyte
  bool only_counted = false;  // for the metrics: one contested drift, reason Contested
  std::string actor;
};

// For gauges, the debug page and the shadow record.
struct GuardState {
  const ManagedKey* key = nullptr;
  bool contested = false;
  const Pause* pause = nullptr;
  std::size_t contests = 0;
  double tokens = 0;
  std::string actor;
};

class Guard {
 public:
  explicit Guard(GuardSettings settings);

  // Before a write that would change something.
  GuardVerdict judge(const Sight& sight, GuardTime now);
  // Nothing was ever amiss with the object, and nothing is: what `unchanged` would find out, at a
  // fraction of its price. Most passes end here.
  bool is_calm(const ManagedKeyView& key, json::View primary, json::View live,
               const Hash128& desired_hash) const;
  // The object is as wanted. Allowed: there is nothing to do.
  GuardVerdict unchanged(const Sight& sight, GuardTime now);
  // Our write came back with this.
  void applied(const Sight& sight, json::View returned, GuardTime now);
  // It was refused or never left: the token was not used.
  void not_applied(const ManagedKey& key, GuardTime now);
  void marked(const ManagedKey& key, json::View returned, GuardTime now);
  // We removed it ourselves, or it is not ours any more, whoever managed which of its fields.
  void forget(const kube::GroupKind& kind, const kube::Key& key);
  // The owner (as GuardWar::owner names it) is gone, and with it what there is to fight over.
  void forget_owner(std::string_view owner);

  std::vector<GuardNotice> take_notices();

  // What must survive a restart: goes up with each change; `urgent` is the newest that should not
  // wait for the next regular flush.
  std::uint64_t shadow_serial() const { return serial_; }
  std::uint64_t urgent_serial() const { return urgent_; }
  // The record of each object that has a history, by a name that a ConfigMap takes as key.
  std::vector<std::pair<std::string, json::Value>> shadow(GuardTime now);
  void shadow_stored(std::uint64_t serial);
  // At the start, before the first pass. Records that do not parse are left out.
  void load(const std::vector<json::Value>& records, GuardTime now);

  std::vector<GuardState> states(GuardTime now) const;  // of objects with a history, by key
  std::size_t size() const { return entries_.size(); }
  const GuardSettings& settings() const { return settings_; }
  // What is remembered of each object, in no particular order. For the verifier.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, entry] : entries_) visit(key, entry);
  }

 private:
  using Entry = GuardEntry;
  using Drift = GuardDrift;
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(const ManagedKeyView& key) const;
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const ManagedKeyView& a, const ManagedKeyView& b) const { return a == b; }
  };

  Entry& entry_of(const ManagedKey& key, GuardTime now);
  // The same, started afresh when another owner than before asks.
  Entry& entry_of(const Sight& sight, GuardTime now);
  void make_room();
  void sweep(GuardTime now);
  // Everything about pauses; nothing when the object is not paused.
  std::optional<GuardVerdict> while_paused(Entry& entry, const Sight& sight, GuardTime now);
  void heed_marks(Entry& entry, json::View primary, const PauseMarks& marks);
  // Nothing when the record is gone already: go on as with any other object.
  std::optional<GuardVerdict> end_pause(Entry& entry, const Sight& sight, std::string why,
                                        GuardTime now);
  GuardVerdict stripped(Entry& entry, const Sight& sight, GuardTime now);
  GuardVerdict still_paused(const Entry& entry, const ManagedKey& key, Duration wait = {}) const;
  GuardVerdict put_mark(const Entry& entry, json::View live) const;
  std::optional<GuardVerdict> clear_when_converged(Entry& entry, const Sight& sight,
                                                   GuardVerdict verdict, GuardTime now);

  GuardVerdict contested(Entry& entry, const Sight& sight, const Drift& drift, GuardTime now);
  GuardVerdict unconverged(Entry& entry, const Sight& sight, GuardTime now);
  GuardVerdict pause(Entry& entry, const Sight& sight, const Drift& drift, GuardHit hit,
                     GuardTime now);
  enum class Why : std::uint8_t { OwnWish, Contested };
  GuardVerdict limited(Entry& entry, const Sight& sight, Why why, GuardTime now);
  void announce(const ManagedKey& key, Entry& entry);
  void notice(const ManagedKey& key, const Entry& entry, std::string_view reason, std::string note,
              bool warning = true);
  void count_contest(const ManagedKey& key, const Entry& entry);
  void changed(bool urgently);

  const TokenRate& rate_of(const ManagedKey& key) const;
  bool is_expensive(const ManagedKey& key) const;

  GuardSettings settings_;
  PathTables tables_;
  std::unordered_map<ManagedKey, Entry, KeyHash, KeyEqual> entries_;
  TokenBucket global_;
  std::vector<GuardNotice> notices_;
  std::uint64_t serial_ = 0;
  std::uint64_t urgent_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace fixpoint::runtime
