// SPDX-License-Identifier: Apache-2.0
//
// What the guard remembers of one object. Most objects are never contested and cost little: their
// history is made only when there is one.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/guard/baseline.h"
#include "runtime/guard/ledger.h"
#include "runtime/guard/pause.h"
#include "runtime/guard/settings.h"
#include "runtime/guard/token_bucket.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::runtime {

// The version is left out: one object, however it is read. Several owners may each manage some
// fields of a shared object, as different managers: each has its own wars.
struct ManagedKey {
  kube::GroupKind kind;
  kube::Key key;
  std::string manager;  // the field manager of our writes

  auto operator<=>(const ManagedKey&) const = default;
  std::string to_string() const;  // "ConfigMap default/web"
};

// The same, borrowed.
struct ManagedKeyView {
  std::string_view group;
  std::string_view kind;
  std::string_view ns;
  std::string_view name;
  std::string_view manager;

  ManagedKeyView() = default;
  ManagedKeyView(const kube::GroupVersionKind& of, const kube::Key& key, std::string_view writer)
      : group(of.group), kind(of.kind), ns(key.ns), name(key.name), manager(writer) {}
  ManagedKeyView(const ManagedKey& key)  // NOLINT: lending is implicit
      : group(key.kind.group),
        kind(key.kind.kind),
        ns(key.key.ns),
        name(key.key.name),
        manager(key.manager) {}
  bool operator==(const ManagedKeyView&) const = default;
};

struct GuardTime {
  MonotonicInstant steady{};
  Instant wall{};
};

// An object that somebody else wrote to, or that is paused.
struct GuardWar {
  Ledger ledger;
  bool warned = false;  // the people were told of this episode
  Actor actor;          // of the newest contest
  std::string owner;    // whose object this is: "Web.example.com default/a"
  std::size_t unconverged = 0;

  std::optional<Pause> pause;
  std::uint64_t pause_print = 0;      // what was fought over, strict
  bool by_person = false;             // not our pause: never removed by us
  bool annotated = false;             // the object has carried the record
  bool announced = false;             // the event and the metric are out
  std::string announcement;           // what they will say
  bool missing = false;               // no object to annotate: the shadow is the record
  std::uint64_t paused_serial = 0;    // of the shadow that holds it
  std::optional<std::string> ending;  // the record is to be removed, and why
  std::vector<MonotonicInstant> strips;
  std::optional<MonotonicInstant> converged_since;
};

struct GuardEntry {
  GuardEntry() = default;
  GuardEntry(const GuardEntry& other) : GuardEntry() { *this = other; }
  GuardEntry(GuardEntry&&) = default;
  GuardEntry& operator=(const GuardEntry& other) {
    if (this == &other) return *this;
    uid = other.uid;
    owner_uid = other.owner_uid;
    desired = other.desired;
    baseline = other.baseline;
    own_version = other.own_version;
    judged = other.judged;
    bucket = other.bucket;
    throttled = other.throttled;
    used = other.used;
    war = other.war ? std::make_unique<GuardWar>(*other.war) : nullptr;
    return *this;
  }
  GuardEntry& operator=(GuardEntry&&) = default;

  GuardWar& history() {
    if (!war) war = std::make_unique<GuardWar>();
    return *war;
  }
  bool paused() const { return war && war->pause; }

  std::string uid;
  std::string owner_uid;           // of the primary whose passes write it
  std::optional<Hash128> desired;  // what we wanted when we last wrote
  Baseline baseline;
  std::string own_version;  // of our own last write
  std::string judged;       // what was counted last, so that it is not counted twice
  TokenBucket bucket;
  bool throttled = false;  // and the people were told
  MonotonicInstant used{};
  std::unique_ptr<GuardWar> war;
};

// "Web.example.com default/a", as GuardWar::owner has it; empty for null.
std::string owner_name(json::View primary);

// The shadow record of an object: {"key": …, "desired": …, "baseline": …, "ledger": […], …}. Times
// are wall times, because a steady clock ends with its process.
json::Value shadow_record(const ManagedKey& key, const GuardEntry& entry, const TokenRate& rate,
                          GuardTime now);
// Ages are clamped to [0, longest window]: a wall clock that jumped makes nothing older than that,
// and nothing newer than now.
std::optional<std::pair<ManagedKey, GuardEntry>> read_shadow_record(json::View record,
                                                                    PathTables& tables,
                                                                    Duration age_max,
                                                                    GuardTime now);
// A name that a ConfigMap takes as a key.
std::string shadow_name(const ManagedKey& key);

}  // namespace fixpoint::runtime
