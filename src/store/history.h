// SPDX-License-Identifier: Apache-2.0
//
// History: the recent events of a Store, for watches and for reads of the past.
//
// Events form singly linked lists from new to old, so that appending to one of two forks leaves the
// other as it was. A list cannot give up its old end while forks share it, so the history is a row
// of at most a few dozen lists, the segments; the oldest is let go as a whole when a limit is
// passed. Every event carries a second link that skips ahead such that any revision is found in
// logarithmic time.
// The state at a past revision is that at the end of its segment, or the present, with the events
// in between undone. Holding the tree of every event instead would keep each changed node of each
// of them alive: more memory than the objects' own nodes take.
// Nothing here is for users of store: store.h is the door.
#pragma once

#include "base/error.h"
#include "base/ref.h"
#include "store/store.h"
#include "store/tree.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fixpoint::store {

struct EventNode final : RefCounted {
  std::uint32_t bytes = 0;  // what it counts against the limit
  Event event;
  const EventNode* prev = nullptr;  // one share of it is ours
  const EventNode* jump =
      nullptr;           // further back in the same list, kept alive by the chain of prev
  Ref<const Tree> tree;  // the state after the event; on checkpoints only
};
void destroy(const EventNode* node);

class History final : public RefCounted {
 public:
  // More segments make reads of the past cheaper (at most so many events are undone) and follow
  // the limits more closely; each one more keeps another version of the tree's nodes.
  static constexpr std::size_t kSegments = 16;

  explicit History(Revision start) : oldest_(start), newest_(start) {}

  // `tree` is the state after the event. Events after `keep_after` are exempt from the limits.
  void append(const Event& event, const Ref<const Tree>& tree, const HistoryLimits& limits,
              Revision keep_after);
  void compact(Revision revision);
  // Forgets the events after `revision`, which must be kept: the other end of compact.
  void rewind(Revision revision);

  Revision oldest() const { return oldest_; }
  // The events after `after`, oldest first; all of them must be kept.
  std::vector<Event> events_after(Revision after) const;
  // The tree at a kept revision; `latest` is the newest one.
  Ref<const Tree> tree_at(Revision revision, const Ref<const Tree>& latest) const;

 private:
  struct Segment {
    Revision first;             // of its events
    Ref<const EventNode> last;  // its newest event; empty when it has none
    Ref<const Tree> tree;       // the state after it; set when the segment is sealed
    std::size_t bytes = 0;
  };
  struct Sealed final : RefCounted {
    std::vector<Segment> segments;
  };

  // The segment that holds an event of this revision, and the event.
  const Segment& segment_of(Revision revision) const;
  const EventNode* node_at(Revision revision) const;
  const EventNode* older(const EventNode* node) const;
  void seal_open(const Ref<const Tree>& tree, const HistoryLimits& limits);
  void let_go(const HistoryLimits& limits, Revision keep_after);
  // The revision before the first event of a segment, and after that of the one before it.
  Revision start_of(std::size_t segment) const;
  void drop_sealed(std::size_t segments);
  Revision first_kept() const;

  Ref<const Sealed> sealed_;  // oldest first
  Segment open_;
  std::size_t sealed_bytes_ = 0;
  Revision oldest_;
  Revision newest_;
};

}  // namespace fixpoint::store
