// SPDX-License-Identifier: Apache-2.0
//
// KeySlots: object keys as small numbers, so that a queue can link them without hashing or
// allocating again. A freed slot keeps its strings' memory for the next key.
//
// Invariant: every used slot is in the table exactly once; a slot's number stays good until free().
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "kube/meta/gvk.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

using SlotNumber = std::uint32_t;
inline constexpr SlotNumber kNoSlot = std::numeric_limits<SlotNumber>::max();

inline std::uint64_t hash_of(const kube::Key& key) {
  return hash64(key.name, hash64(key.ns));
}

// `Entry` is default-constructed for each new key.
template <class Entry>
class KeySlots {
 public:
  SlotNumber find(const kube::Key& key, std::uint64_t hash) const {
    if (table_.empty()) return kNoSlot;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Place& place = table_[at];
      if (place.slot == kNoSlot) return kNoSlot;
      if (place.hash == lower_half(hash) && slots_[place.slot].key == key) return place.slot;
    }
  }

  // The key must not be there yet.
  SlotNumber insert(const kube::Key& key, std::uint64_t hash) {
    if ((used_ + 1) * 2 > table_.size()) grow();
    SlotNumber slot = free_;
    if (slot == kNoSlot) {
      slot = static_cast<SlotNumber>(slots_.size());
      slots_.emplace_back();
    } else {
      free_ = slots_[slot].next_free;
    }
    slots_[slot].key = key;
    slots_[slot].hash = hash;
    slots_[slot].entry = Entry{};
    put({lower_half(hash), slot});
    ++used_;
    return slot;
  }

  void free(SlotNumber slot) {
    std::size_t hole = place_of(slot);
    // Backward shift instead of tombstones: look-ups stay short however long the process runs.
    for (std::size_t at = (hole + 1) & mask(); table_[at].slot != kNoSlot; at = (at + 1) & mask()) {
      const std::size_t home = table_[at].hash & mask();
      if (((at - home) & mask()) >= ((at - hole) & mask())) {
        table_[hole] = table_[at];
        hole = at;
      }
    }
    table_[hole] = {};
    slots_[slot].next_free = free_;
    free_ = slot;
    --used_;
  }

  Entry& operator[](SlotNumber slot) { return slots_[slot].entry; }
  const Entry& operator[](SlotNumber slot) const { return slots_[slot].entry; }
  const kube::Key& key(SlotNumber slot) const { return slots_[slot].key; }
  std::size_t size() const { return used_; }

  // Every used slot, in no particular order that matters.
  template <class Visit>
  void each(Visit visit) const {
    for (const Place& place : table_) {
      if (place.slot != kNoSlot) visit(place.slot);
    }
  }

 private:
  struct Slot {
    kube::Key key;
    std::uint64_t hash = 0;
    SlotNumber next_free = kNoSlot;
    Entry entry;
  };

  // With the hash at hand, neither looking nor moving touches the slots of other keys, which lie
  // anywhere in memory.
  struct Place {
    std::uint32_t hash = 0;
    SlotNumber slot = kNoSlot;
  };

  static std::uint32_t lower_half(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

  static constexpr std::size_t kSmallest = 16;

  std::size_t mask() const { return table_.size() - 1; }
  std::size_t place_of(SlotNumber slot) const {
    std::size_t at = slots_[slot].hash & mask();
    while (table_[at].slot != slot) {
      FP_CHECK(table_[at].slot != kNoSlot);
      at = (at + 1) & mask();
    }
    return at;
  }
  void put(Place place) {
    std::size_t at = place.hash & mask();
    while (table_[at].slot != kNoSlot) at = (at + 1) & mask();
    table_[at] = place;
  }
  void grow() {
    const std::vector<Place> old = std::move(table_);
    table_.assign(old.empty() ? kSmallest : old.size() * 2, {});
    for (const Place& place : old) {
      if (place.slot != kNoSlot) put(place);
    }
  }

  std::vector<Slot> slots_;
  std::vector<Place> table_;  // a power of two, at most half full
  SlotNumber free_ = kNoSlot;
  std::size_t used_ = 0;
};

}  // namespace fixpoint::runtime
