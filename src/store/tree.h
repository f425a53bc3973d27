// SPDX-License-Identifier: Apache-2.0
//
// Tree: the persistent ordered map behind a Snapshot, a B-tree of reference-counted nodes.
//
// A node that has one holder is changed in place; a shared one is copied on the way down, so a fork
// costs one reference and the next change one path. Invariants: all leaves are at one depth; keys
// rise from left to right; no node of a finished tree is empty (the empty map is the empty Ref).
// Inner nodes hold no keys of their own: a child's least key is read from its leftmost record, so
// nothing keeps an old version of an object alive.
// Nothing here is for users of store: store.h is the door.
#pragma once

#include "base/hash.h"
#include "base/ref.h"
#include "store/lazy_hash.h"
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace fixpoint::store {

// A place between two keys, by which both scans and counts are expressed.
struct Bound {
  enum class Side : std::uint8_t { At, After, AfterPrefix };
  std::string_view key;
  Side side = Side::At;

  bool above(std::string_view other) const {
    switch (side) {
      case Side::At: return other < key;
      case Side::After: return other <= key;
      case Side::AfterPrefix: return other < key || other.starts_with(key);
    }
    return false;
  }
};

class Tree : public RefCounted {
 public:
  // Small, because a change copies one node per level: 16 keeps a path of a thousand objects
  // within three nodes and a copy within the price of a few dozen reference counts.
  static constexpr std::size_t kFanout = 16;

  bool leaf() const { return height == 0; }
  std::size_t size() const { return total; }
  const RecordRef* find(std::string_view key) const;
  // The number of keys below `bound`.
  std::size_t rank(Bound bound) const;
  // Visits records from `bound` on; false when the visitor said so.
  bool scan(Bound bound, const std::function<bool(const RecordRef&)>& visit) const;
  // The sum of the records' fingerprints.
  Hash128 fingerprint() const;

 protected:
  explicit Tree(std::uint8_t levels) : height(levels) {}
  Tree(const Tree&) = default;
  ~Tree() = default;

 public:
  // Written by tree.cc only, and only while the node has one holder.
  std::uint8_t height;      // 0 for a leaf
  std::uint8_t count = 0;   // slots in use
  std::uint32_t total = 0;  // records below
  LazyHash hash;
};

void destroy(const Tree* tree);

// The changes. Each takes the tree by its holder's own reference, so that a tree nobody shares is
// changed in place.

// Puts the record and returns the version it replaced, whose `created` it takes over.
RecordRef tree_put(Ref<const Tree>& root, Ref<Record> record);
// Puts this very version back, `created` and all.
void tree_restore(Ref<const Tree>& root, const RecordRef& record);
// Takes the record away and returns it; an empty Ref when there is none of that key.
RecordRef tree_erase(Ref<const Tree>& root, std::string_view key);
// Builds a tree of records already in key order, each key once.
Ref<const Tree> tree_build(std::span<const RecordRef> sorted);

}  // namespace fixpoint::store
