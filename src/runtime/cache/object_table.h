// SPDX-License-Identifier: Apache-2.0
//
// ObjectTable: the objects of a cache, found by key, in order of key, and by indexed values.
//
// Nothing is stored twice: keys and indexed values are read in the objects themselves. An object
// costs its packed tree, 48 bytes of entry and hash slot, 4 of order and 8 for each indexed value,
// and the slack of growing arrays. What may be stored and when is Contents' business (contents.h).
#pragma once

#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/cache/sorted_chunks.h"
#include "runtime/operator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// A place in the table; good until the next erase.
using Slot = std::uint32_t;
inline constexpr Slot kNoEntry = ~Slot{0};

struct KeyView {
  std::string_view ns;
  std::string_view name;

  auto operator<=>(const KeyView&) const = default;
};

class ObjectTable {
 public:
  explicit ObjectTable(std::shared_ptr<const std::vector<Index>> indexes);

  void add_index(Index index);

  struct Entry {
    json::Value object;         // null: a free slot
    std::uint64_t version = 0;  // the resourceVersion as a number; 0: it is none
    std::uint32_t epoch = 0;    // the list that last confirmed it
    std::uint32_t hash = 0;
    std::uint32_t name_node = 0;
    std::uint32_t ns_node = 0;  // 0: no namespace

    KeyView key() const;
  };

  Slot find(KeyView key) const;
  const Entry& at(Slot slot) const { return entries_[slot]; }
  // The key must not be there; the object has a name.
  Slot insert(json::Value object, std::uint64_t version, std::uint32_t epoch);
  // The same key with another state; returns the old one.
  json::Value replace(Slot slot, json::Value object, std::uint64_t version, std::uint32_t epoch);
  void confirm(Slot slot, std::uint32_t epoch) { entries_[slot].epoch = epoch; }
  // Slots found before are worthless afterwards.
  json::Value erase(Slot slot);

  std::vector<json::View> list(std::string_view ns) const;
  std::vector<json::View> indexed(std::string_view index, std::string_view value) const;
  std::vector<json::View> owned_by(std::string_view uid) const;

  // In no particular order.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& entry : entries_) {
      if (!entry.object.is_null()) visit(entry);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  struct HashSlot {
    std::uint32_t hash = 0;
    Slot slot = kNoEntry;
  };
  // The hash of a value above, the slot below: collisions are told apart by asking the object.
  using Posting = std::uint64_t;
  using Postings = SortedChunks<Posting>;

  static Entry entry_of(json::Value object, std::uint64_t version, std::uint32_t epoch);
  auto by_key() const {
    return [this](Slot a, Slot b) { return entries_[a].key() < entries_[b].key(); };
  }
  std::size_t home(std::uint32_t hash) const { return hash & (hashed_.size() - 1); }
  void hash_in(std::uint32_t hash, Slot slot);
  void hash_out(Slot slot);
  void grow_hash();
  void index_in(Slot slot, json::View object);
  void index_out(Slot slot, json::View object);
  void reindex(Slot slot, json::View before, json::View after);
  template <class Has>
  std::vector<json::View> posted(const Postings& postings, std::string_view value, Has has) const;
  std::vector<json::View> in_order(std::vector<Slot> slots) const;
  void shrink_when_sparse();

  std::shared_ptr<const std::vector<Index>> indexes_;
  std::vector<Entry> entries_;
  std::vector<Slot> free_;
  std::vector<HashSlot> hashed_;  // open addressing, a power of two, never full
  SortedChunks<Slot> order_;
  Postings owners_;
  std::vector<Postings> postings_;  // one for each index
  std::size_t size_ = 0;
  std::size_t object_bytes_ = 0;
};

}  // namespace fixpoint::runtime
