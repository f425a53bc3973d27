// SPDX-License-Identifier: Apache-2.0
#include "verify/visited.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace fixpoint::verify {
namespace {

// Full enough for 24 bytes a state (20 / 0.86 on average), empty enough for short walks.
constexpr double kLoadMax = 0.9;
constexpr double kGrowth = 1.1;
constexpr double kFirstHomes = 32;
// For what is pushed past the last home. Long runs of full slots are rare: it is doubled when
// needed.
constexpr std::uint64_t kFirstTail = 16;
// Addresses, not memory: room for all states that can be numbered.
constexpr std::size_t kShardReserve = std::size_t{1} << 30;
// Small tables are better off with small pages; large ones with huge ones, since a look-up is a
// cache miss anyway and need not be a miss of the page table too.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Visited::Visited() {
  reserved_ = ::mmap(nullptr, kShards * kShardReserve, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved_ == MAP_FAILED) throw std::bad_alloc();
  for (unsigned i = 0; i < kShards; ++i) {
    char* begin = static_cast<char*>(reserved_) + i * kShardReserve;
    // Only a wish: without huge pages it is slower.
    (void)::madvise(begin + kHugePage, kShardReserve - kHugePage, MADV_HUGEPAGE);
    shards_[i].slots = reinterpret_cast<Slot*>(begin);
    const double homes = kFirstHomes * std::pow(kGrowth, static_cast<double>(i) / kShards);
    grow(shards_[i], static_cast<std::uint64_t>(homes), kFirstTail);
  }
}

Visited::~Visited() {
  ::munmap(reserved_, kShards * kShardReserve);
}

// With all that is used lying at the end of the slots, in order: puts each where it belongs. A slot
// is read before it is written, since what comes later needs as many slots as it has entries; if
// not, the tail is too short, and the answer is false.
bool Visited::spread(Shard& shard) {
  std::uint64_t next = 0;
  for (std::uint64_t from = shard.total - shard.used; from < shard.total; ++from) {
    const Slot slot = shard.slots[from];
    const std::uint64_t place = std::max(next, shard.home(slot.high));
    const bool fits = place < from || (place == from && place + 1 < shard.total);
    for (; next < (fits ? place : from); ++next) shard.slots[next].note = 0;
    if (!fits) return false;
    shard.slots[place] = slot;
    next = place + 1;
  }
  for (; next < shard.total; ++next) shard.slots[next].note = 0;
  return true;
}

void Visited::grow(Shard& shard, std::uint64_t homes, std::uint64_t tail) {
  do {
    const std::uint64_t end = shard.total;
    shard.homes = homes;
    shard.total = homes + tail;
    shard.used_max = static_cast<std::uint64_t>(static_cast<double>(homes) * kLoadMax);
    FP_CHECK(shard.total * sizeof(Slot) <= kShardReserve);
    std::uint64_t to = shard.total;
    for (std::uint64_t from = end; from-- > 0;) {
      if (shard.slots[from].note != 0) shard.slots[--to] = shard.slots[from];
    }
    tail *= 2;
  } while (!spread(shard));
}

bool Visited::insert(Hash128 fingerprint, std::uint32_t note) {
  Shard& shard = shards_[shard_of(fingerprint)];
  while (true) {
    Slot* slot = place(shard, fingerprint);
    if (slot->note != 0 && slot->high == fingerprint.high && slot->low == fingerprint.low) {
      return false;
    }
    Slot* empty = slot;
    while (empty->note != 0) ++empty;
    const std::uint64_t tail = shard.total - shard.homes;
    if (empty + 1 == shard.slots + shard.total) {
      grow(shard, shard.homes, tail * 2);
    } else if (shard.used == shard.used_max) {
      grow(shard, static_cast<std::uint64_t>(static_cast<double>(shard.homes) * kGrowth) + 1, tail);
    } else {
      std::memmove(slot + 1, slot, static_cast<std::size_t>(empty - slot) * sizeof(Slot));
      *slot = Slot{.high = fingerprint.high, .low = fingerprint.low, .note = note};
      ++shard.used;
      return true;
    }
  }
}

void Visited::set_note(Hash128 fingerprint, std::uint32_t note) {
  Slot* slot = place(shards_[shard_of(fingerprint)], fingerprint);
  FP_CHECK(slot->note != 0 && slot->high == fingerprint.high && slot->low == fingerprint.low);
  slot->note = note;
}

std::vector<Visited::Entry> Visited::with_prefix(std::uint32_t prefix) const {
  const Hash128 first{.high = std::uint64_t{prefix} << (64 - kPrefixBits), .low = 0};
  const Shard& shard = shards_[shard_of(first)];
  std::vector<Entry> found;
  // Gaps may lie between them: look until something larger, or past the home of the largest.
  const std::uint64_t last_home = shard.home(first.high | (~std::uint64_t{0} >> kPrefixBits));
  const Slot* begin = shard.slots;
  for (const Slot* slot = begin + shard.home(first.high); slot < begin + shard.total; ++slot) {
    if (slot->note == 0) {
      if (slot >= begin + last_home) break;
      continue;
    }
    const Hash128 here{.high = slot->high, .low = slot->low};
    if (prefix_of(here) == prefix) found.push_back({here, slot->note});
    if (prefix_of(here) > prefix) break;
  }
  return found;
}

std::uint64_t Visited::size() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.used;
  return sum;
}

std::uint64_t Visited::bytes() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.total * sizeof(Slot);
  return sum;
}

}  // namespace fixpoint::verify
