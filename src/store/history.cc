// SPDX-License-Identifier: Apache-2.0
#include "store/history.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fixpoint::store {

// Not by recursion: a list is thousands of events long.
void destroy(const EventNode* node) {
  while (node != nullptr) {
    const EventNode* prev = node->prev;
    delete node;
    node = prev != nullptr && prev->release() ? prev : nullptr;
  }
}

namespace {

// Nodes and keys that a change leaves behind besides the old body: one leaf, a share of a branch.
constexpr std::size_t kOverheadBytes = 384;

// Versions still current are shared with the snapshot and counted nevertheless: the bound then
// holds however the objects change later.
std::uint32_t charge(const Event& event) {
  const RecordRef& version = event.after ? event.after : event.last;
  const auto bytes = version->body.block_bytes() + version->key.size() + kOverheadBytes;
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

// Distances that double: n events back is reached in O(log n) steps over prev and jump.
const EventNode* jump_from(const EventNode* prev) {
  if (prev == nullptr || prev->jump == nullptr || prev->jump->jump == nullptr) return prev;
  const EventNode* jump = prev->jump;
  const auto near = prev->event.revision.value - jump->event.revision.value;
  const auto far = jump->event.revision.value - jump->jump->event.revision.value;
  return near == far ? jump->jump : prev;
}

const EventNode* walk_to(const EventNode* node, Revision revision) {
  while (node->event.revision > revision) {
    const bool leap = node->jump != nullptr && node->jump->event.revision >= revision;
    node = leap ? node->jump : node->prev;
  }
  return node;
}

void undo(Ref<const Tree>& tree, const Event& event) {
  if (event.before) {
    tree_restore(tree, event.before);
  } else {
    tree_erase(tree, event.key());
  }
}

std::size_t share(std::size_t limit) {
  return std::max<std::size_t>(1, limit / History::kSegments);
}

}  // namespace

void History::append(const Event& event, const Ref<const Tree>& tree, const HistoryLimits& limits,
                     Revision keep_after) {
  FP_CHECK(event.revision.value == newest_.value + 1);
  auto node = make_ref<EventNode>();
  node->bytes = charge(event);
  node->event = event;
  node->prev = open_.last.get();
  if (node->prev != nullptr) node->prev->retain();
  node->jump = jump_from(node->prev);

  if (!open_.last) open_.first = event.revision;
  open_.bytes += node->bytes;
  open_.last = node;
  newest_ = event.revision;
  seal_open(tree, limits);
  let_go(limits, keep_after);
}

void History::seal_open(const Ref<const Tree>& tree, const HistoryLimits& limits) {
  const auto events = newest_.value - open_.first.value + 1;
  if (events < share(limits.events_max) && open_.bytes < share(limits.bytes_max)) return;
  auto sealed = make_ref<Sealed>();
  if (sealed_) sealed->segments = sealed_->segments;
  sealed_bytes_ += open_.bytes;
  open_.tree = tree;
  sealed->segments.push_back(std::exchange(open_, {}));
  sealed_ = std::move(sealed);
}

Revision History::first_kept() const {
  if (sealed_ && !sealed_->segments.empty()) return sealed_->segments.front().first;
  return open_.last ? open_.first : Revision{newest_.value + 1};
}

Revision History::start_of(std::size_t segment) const {
  if (sealed_ && segment < sealed_->segments.size()) {
    return Revision{sealed_->segments[segment].first.value - 1};
  }
  return open_.last ? Revision{open_.first.value - 1} : newest_;
}

void History::let_go(const HistoryLimits& limits, Revision keep_after) {
  if (!sealed_) return;  // what is open is a fraction of any limit, or was sealed just now
  const auto& segments = sealed_->segments;
  std::size_t drop = 0;
  std::size_t bytes = sealed_bytes_ + open_.bytes;
  const auto over = [&] {
    return newest_.value - start_of(drop).value > limits.events_max || bytes > limits.bytes_max;
  };
  while (drop < segments.size() && over() && start_of(drop + 1) <= keep_after) {
    bytes -= segments[drop++].bytes;
  }
  if (drop > 0) drop_sealed(drop);
}

void History::drop_sealed(std::size_t segments) {
  auto rest = make_ref<Sealed>();
  for (std::size_t i = 0; i < sealed_->segments.size(); ++i) {
    const Segment& segment = sealed_->segments[i];
    if (i < segments) {
      sealed_bytes_ -= segment.bytes;
    } else {
      rest->segments.push_back(segment);
    }
  }
  sealed_ = std::move(rest);
  oldest_ = std::max(oldest_, Revision{first_kept().value - 1});
}

void History::compact(Revision revision) {
  revision = std::min(revision, newest_);
  if (revision <= oldest_) return;
  oldest_ = revision;
  if (revision == newest_) {
    sealed_ = {};
    sealed_bytes_ = 0;
    open_ = {};
    return;
  }
  if (!sealed_) return;
  std::size_t drop = 0;
  while (drop < sealed_->segments.size() && start_of(drop + 1) <= revision) ++drop;
  if (drop > 0) drop_sealed(drop);
}

void History::rewind(Revision revision) {
  FP_CHECK(revision >= oldest_ && revision <= newest_);
  newest_ = revision;
  if (open_.first > revision) open_ = {};
  if (!open_.last && sealed_) {
    auto rest = make_ref<Sealed>();
    for (const Segment& segment : sealed_->segments) {
      if (segment.first <= revision) rest->segments.push_back(segment);
    }
    if (!rest->segments.empty()) {
      open_ = std::move(rest->segments.back());
      rest->segments.pop_back();
    }
    sealed_bytes_ = 0;
    for (const Segment& segment : rest->segments) sealed_bytes_ += segment.bytes;
    sealed_ = std::move(rest);
  }
  if (!open_.last) return;
  open_.tree = {};
  open_.last = Ref<const EventNode>{walk_to(open_.last.get(), revision)};
  open_.bytes = 0;
  for (const EventNode* node = open_.last.get(); node != nullptr; node = node->prev) {
    open_.bytes += node->bytes;
  }
}

const History::Segment& History::segment_of(Revision revision) const {
  if (open_.last && revision >= open_.first) return open_;
  const auto& segments = sealed_->segments;
  const auto after = std::ranges::upper_bound(segments, revision, {}, &Segment::first);
  FP_CHECK(after != segments.begin());
  return *std::prev(after);
}

const EventNode* History::node_at(Revision revision) const {
  return walk_to(segment_of(revision).last.get(), revision);
}

const EventNode* History::older(const EventNode* node) const {
  if (node->prev != nullptr) return node->prev;
  return node_at(Revision{node->event.revision.value - 1});
}

std::vector<Event> History::events_after(Revision after) const {
  std::vector<Event> events(newest_.value - after.value);
  const EventNode* node = nullptr;
  for (auto slot = events.rbegin(); slot != events.rend(); ++slot) {
    node = node == nullptr ? node_at(newest_) : older(node);
    *slot = node->event;
  }
  return events;
}

Ref<const Tree> History::tree_at(Revision revision, const Ref<const Tree>& latest) const {
  if (revision == newest_) return latest;
  const Segment& segment = segment_of(Revision{revision.value + 1});
  const EventNode* node = segment.last.get();
  Ref<const Tree> tree = &segment == &open_ ? latest : segment.tree;
  for (; node != nullptr && node->event.revision > revision; node = node->prev) {
    undo(tree, node->event);
  }
  return tree;
}

}  // namespace fixpoint::store
