// SPDX-License-Identifier: Apache-2.0
//
// The table's three structures and how they are kept alike: hash, order, postings.
#include "runtime/cache/object_table.h"

#include "base/error.h"
#include "base/hash.h"
#include "kube/meta/metadata.h"
#include "runtime/ownership.h"

#include <algorithm>
#include <utility>

namespace fixpoint::runtime {
namespace {

constexpr std::size_t kHashSlotsMin = 16;
// Below this many free places nobody minds them.
constexpr std::size_t kFreeSlotsKept = 1'024;
// What the allocator adds to a block, on average.
constexpr std::size_t kAllocationBytes = 16;

std::uint32_t short_hash(std::string_view text, std::uint64_t seed = 0) {
  return static_cast<std::uint32_t>(hash64(text, seed) >> 32U);
}

std::uint32_t short_hash_of_key(KeyView key) {
  return short_hash(key.name, hash64(key.ns));
}

std::uint64_t posting(std::uint32_t value, Slot slot) {
  return std::uint64_t{value} << 32U | slot;
}

std::vector<std::uint32_t> hashes_of(const Index& index, json::View object) {
  std::vector<std::uint32_t> hashes;
  index.values(object, [&](std::string_view value) { hashes.push_back(short_hash(value)); });
  return hashes;
}

bool has_value(const Index& index, json::View object, std::string_view wanted) {
  bool found = false;
  index.values(object, [&](std::string_view value) { found = found || value == wanted; });
  return found;
}

}  // namespace

KeyView ObjectTable::Entry::key() const {
  const auto* block = object.view().block();
  return {
      ns_node == 0 ? std::string_view{}
          : json::View{block, ns_node}
          .as_string(),
      json::View{block, name_node}
          .as_string()
  };
}

ObjectTable::ObjectTable(std::shared_ptr<const std::vector<Index>> indexes)
    : indexes_(std::move(indexes)), hashed_(kHashSlotsMin), postings_(indexes_->size()) {}

void ObjectTable::add_index(Index index) {
  auto& postings = postings_.emplace_back();
  for (Slot slot = 0; slot < entries_.size(); ++slot) {
    if (entries_[slot].object.is_null()) continue;
    for (const auto hash : hashes_of(index, entries_[slot].object)) {
      postings.insert(posting(hash, slot), std::less<>{});
    }
  }
  auto indexes = *indexes_;
  indexes.push_back(std::move(index));
  indexes_ = std::make_shared<const std::vector<Index>>(std::move(indexes));
}

ObjectTable::Entry ObjectTable::entry_of(json::Value object, std::uint64_t version,
                                         std::uint32_t epoch) {
  const auto metadata = object.get("metadata");
  const auto name = metadata.find("name");
  FP_CHECK(name && !name->as_string().empty());
  const auto ns = metadata.find("namespace");
  Entry entry{.object = std::move(object), .version = version, .epoch = epoch};
  entry.name_node = name->node();
  entry.ns_node = ns && ns->is_string() ? ns->node() : 0;
  entry.hash = short_hash_of_key(entry.key());
  return entry;
}

Slot ObjectTable::find(KeyView key) const {
  const auto hash = short_hash_of_key(key);
  for (auto at = home(hash); hashed_[at].slot != kNoEntry; at = (at + 1) & (hashed_.size() - 1)) {
    if (hashed_[at].hash == hash && entries_[hashed_[at].slot].key() == key) {
      return hashed_[at].slot;
    }
  }
  return kNoEntry;
}

Slot ObjectTable::insert(json::Value object, std::uint64_t version, std::uint32_t epoch) {
  auto entry = entry_of(std::move(object), version, epoch);
  object_bytes_ += entry.object.block_bytes() + kAllocationBytes;
  const auto hash = entry.hash;
  Slot slot = 0;
  if (free_.empty()) {
    FP_CHECK(entries_.size() < kNoEntry);
    slot = static_cast<Slot>(entries_.size());
    entries_.push_back(std::move(entry));
  } else {
    slot = free_.back();
    free_.pop_back();
    entries_[slot] = std::move(entry);
  }
  ++size_;
  grow_hash();
  hash_in(hash, slot);
  order_.insert(slot, by_key());
  index_in(slot, entries_[slot].object);
  return slot;
}

json::Value ObjectTable::replace(Slot slot, json::Value object, std::uint64_t version,
                                 std::uint32_t epoch) {
  auto entry = entry_of(std::move(object), version, epoch);
  FP_CHECK(entry.key() == entries_[slot].key());
  reindex(slot, entries_[slot].object, entry.object);
  object_bytes_ += entry.object.block_bytes();
  std::swap(entries_[slot], entry);
  object_bytes_ -= entry.object.block_bytes();
  return std::move(entry.object);
}

json::Value ObjectTable::erase(Slot slot) {
  index_out(slot, entries_[slot].object);
  order_.erase(slot, by_key());
  hash_out(slot);
  auto object = std::exchange(entries_[slot], Entry{}).object;
  object_bytes_ -= object.block_bytes() + kAllocationBytes;
  free_.push_back(slot);
  --size_;
  shrink_when_sparse();
  return object;
}

void ObjectTable::hash_in(std::uint32_t hash, Slot slot) {
  auto at = home(hash);
  while (hashed_[at].slot != kNoEntry) at = (at + 1) & (hashed_.size() - 1);
  hashed_[at] = {hash, slot};
}

// Pulls back what probing had pushed past the hole, so that no probe ends too early.
void ObjectTable::hash_out(Slot slot) {
  const auto mask = hashed_.size() - 1;
  auto hole = home(entries_[slot].hash);
  while (hashed_[hole].slot != slot) hole = (hole + 1) & mask;
  for (auto at = (hole + 1) & mask; hashed_[at].slot != kNoEntry; at = (at + 1) & mask) {
    const auto wanted = home(hashed_[at].hash);
    if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
    hashed_[hole] = hashed_[at];
    hole = at;
  }
  hashed_[hole] = {};
}

void ObjectTable::grow_hash() {
  if (size_ * 4 <= hashed_.size() * 3) return;
  const auto old = std::exchange(hashed_, std::vector<HashSlot>(hashed_.size() * 2));
  for (const auto& filled : old) {
    if (filled.slot != kNoEntry) hash_in(filled.hash, filled.slot);
  }
}

void ObjectTable::index_in(Slot slot, json::View object) {
  if (const auto owner = owner_uid_of(object); !owner.empty()) {
    owners_.insert(posting(short_hash(owner), slot), std::less<>{});
  }
  for (std::size_t i = 0; i < postings_.size(); ++i) {
    for (const auto hash : hashes_of((*indexes_)[i], object)) {
      postings_[i].insert(posting(hash, slot), std::less<>{});
    }
  }
}

void ObjectTable::index_out(Slot slot, json::View object) {
  if (const auto owner = owner_uid_of(object); !owner.empty()) {
    owners_.erase(posting(short_hash(owner), slot), std::less<>{});
  }
  for (std::size_t i = 0; i < postings_.size(); ++i) {
    for (const auto hash : hashes_of((*indexes_)[i], object)) {
      postings_[i].erase(posting(hash, slot), std::less<>{});
    }
  }
}

// Most changes change no indexed value; then nothing moves.
void ObjectTable::reindex(Slot slot, json::View before, json::View after) {
  bool same = owner_uid_of(before) == owner_uid_of(after);
  for (std::size_t i = 0; same && i < postings_.size(); ++i) {
    same = hashes_of((*indexes_)[i], before) == hashes_of((*indexes_)[i], after);
  }
  if (same) return;
  index_out(slot, before);
  index_in(slot, after);
}

std::vector<json::View> ObjectTable::list(std::string_view ns) const {
  std::vector<json::View> found;
  if (ns.empty()) found.reserve(size_);
  order_.scan([&](Slot slot) { return entries_[slot].key().ns < ns; },
              [&](Slot slot) {
                const auto& entry = entries_[slot];
                if (!ns.empty() && entry.key().ns != ns) return false;
                found.push_back(entry.object);
                return true;
              });
  return found;
}

std::vector<json::View> ObjectTable::in_order(std::vector<Slot> slots) const {
  std::ranges::sort(slots, by_key());
  std::vector<json::View> found;
  found.reserve(slots.size());
  for (const auto slot : slots) found.push_back(entries_[slot].object);
  return found;
}

template <class Has>
std::vector<json::View> ObjectTable::posted(const Postings& postings, std::string_view value,
                                            Has has) const {
  const auto first = posting(short_hash(value), 0);
  const auto last = posting(short_hash(value), kNoEntry);
  std::vector<Slot> slots;
  postings.scan([&](Posting at) { return at < first; },
                [&](Posting at) {
                  if (at > last) return false;
                  const auto slot = static_cast<Slot>(at);
                  if (has(entries_[slot].object.view())) slots.push_back(slot);
                  return true;
                });
  return in_order(std::move(slots));
}

std::vector<json::View> ObjectTable::indexed(std::string_view index, std::string_view value) const {
  for (std::size_t i = 0; i < postings_.size(); ++i) {
    const auto& declared = (*indexes_)[i];
    if (declared.name != index) continue;
    return posted(postings_[i], value,
                  [&](json::View object) { return has_value(declared, object, value); });
  }
  return {};
}

std::vector<json::View> ObjectTable::owned_by(std::string_view uid) const {
  if (uid.empty()) return {};
  return posted(owners_, uid, [&](json::View object) { return owner_uid_of(object) == uid; });
}

std::size_t ObjectTable::bytes() const {
  auto sum = object_bytes_ + entries_.capacity() * sizeof(Entry) + free_.capacity() * sizeof(Slot) +
             hashed_.capacity() * sizeof(HashSlot) + order_.bytes() + owners_.bytes();
  for (const auto& postings : postings_) sum += postings.bytes();
  return sum;
}

// A crowd that has left must not be remembered by the room it took.
void ObjectTable::shrink_when_sparse() {
  if (free_.size() <= kFreeSlotsKept || free_.size() < size_ * 3) return;
  auto old = std::move(*this);
  *this = ObjectTable{old.indexes_};
  entries_.reserve(old.size_);
  old.order_.scan([](Slot) { return false; },
                  [&](Slot slot) {
                    auto& entry = old.entries_[slot];
                    insert(entry.object, entry.version, entry.epoch);
                    return true;
                  });
}

}  // namespace fixpoint::runtime
