// SPDX-License-Identifier: Apache-2.0
//
// Store: every object of a cluster, versioned, in memory, with its recent history.
//
// One counter numbers all changes; an object's resourceVersion is the number of its last change.
// Everything is immutable underneath: a Snapshot is one pointer, keeping an old one costs nothing,
// and fork() of the whole store (history included) is O(1) and shares structure. Invariants:
// a Revision is never used twice; a Snapshot never changes; events are dense and in order.
// No I/O, no threads, no clock. Read next: durable.h, which puts the same changes on disk.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/ref.h"
#include "base/strong_id.h"
#include "json/value.h"
#include "store/lazy_hash.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::store {

using Revision = StrongId<struct RevisionTag, std::uint64_t>;

// One version of one object. The key is "<resource>[.<group>]/<namespace>/<name>" with an empty
// namespace for cluster-scoped objects; keys order as bytes, which is how Kubernetes lists.
struct Record final : RefCounted {
  std::string key;
  Revision created;
  Revision modified;
  json::Value body;  // complete, metadata.resourceVersion included

  Hash128 fingerprint() const;  // of key and body; computed once, when first asked for

 private:
  LazyHash hash_;
};
using RecordRef = Ref<const Record>;

class Tree;  // the persistent ordered map behind a Snapshot

class Snapshot {
 public:
  Snapshot();
  Snapshot(const Snapshot&);
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot) noexcept;
  ~Snapshot();

  Revision revision() const { return revision_; }
  std::size_t size() const;
  RecordRef find(std::string_view key) const;  // empty Ref when absent
  // Calls `visit` in key order for keys that start with `prefix` and come after `after`
  // (exclusive; empty = from the start), until it returns false.
  void scan(std::string_view prefix, std::string_view after,
            const std::function<bool(const RecordRef&)>& visit) const;
  std::size_t count(std::string_view prefix) const;
  // Equal contents have equal fingerprints whatever the path that led there: keys and bodies only.
  Hash128 fingerprint() const;
  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.fingerprint() == b.fingerprint();
  }

 private:
  friend class Store;
  Ref<const Tree> tree_;
  Revision revision_;
};

// One committed change. `before` is empty for a creation; `after` is empty for a removal, and then
// `last` is the final body with the removal's own resourceVersion, as watchers are told.
struct Event {
  Revision revision;
  RecordRef before;
  RecordRef after;
  RecordRef last;

  const std::string& key() const { return after ? after->key : before->key; }
};

// Bounds of the history kept for watches and for lists at old revisions.
struct HistoryLimits {
  std::size_t events_max = 100'000;
  std::size_t bytes_max = std::size_t{64} << 20U;
};

class History;  // persistent, O(1) to fork

class Store {
 public:
  explicit Store(HistoryLimits limits = {});
  // Starts from recovered contents; history before `revision` is not kept.
  Store(std::vector<RecordRef> records, Revision revision, HistoryLimits limits = {});
  Store(const Store&);  // same as fork()
  Store(Store&&) noexcept;
  Store& operator=(Store) noexcept;
  ~Store();

  Store fork() const { return *this; }
  const Snapshot& latest() const;
  Revision revision() const { return latest().revision(); }
  Revision next_revision() const { return Revision{revision().value + 1}; }

  // The only two writes. The body passed to put must already carry next_revision() as its
  // resourceVersion; to erase, the final body likewise. Each takes exactly one revision.
  Event put(std::string key, json::Value body);
  Event erase(std::string_view key, json::Value last_body);

  // The snapshot as it was at `revision`: Gone when it is older than the history,
  // Unavailable when it is in the future.
  Result<Snapshot> at(Revision revision) const;
  // Events with revision > after, oldest first. Gone when some of them are no longer kept,
  // Unavailable when `after` is in the future.
  Result<std::vector<Event>> events_after(Revision after) const;
  // The oldest revision from which a watch can start, and the oldest that at() answers.
  Revision oldest() const;
  // Forgets history up to and including `revision`.
  void compact(Revision revision);
  // From now on the events after `revision` are kept whatever the limits and compact() say. The
  // server holds on to what is not yet durable: it may have to be rewound, and has not been told.
  void keep_after(Revision revision) { keep_after_ = revision; }
  // Takes back every change after `revision`, as if it had never been made: for changes that could
  // not be made durable (durable.h) and that nobody was shown. Gone or Unavailable as for at().
  Result<void> rewind(Revision revision);

 private:
  History& own_history();
  void commit(const Event& event);
  Result<void> check_kept(Revision wanted) const;

  Snapshot latest_;
  Ref<History> history_;
  HistoryLimits limits_;
  Revision keep_after_{std::numeric_limits<std::uint64_t>::max()};
};

}  // namespace fixpoint::store
