// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/visited.h"

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
constexpr double kGrowth = 1.125;
constexpr double kFirstHomes = 256;
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

// The new places of a run of full slots. Runs stay apart when there are more homes: whoever began
// a run lay at home, with room in front of it, and homes only move away from each other.
std::uint64_t Visited::settle(const Shard& shard, const std::vector<Slot>& run,
                              std::vector<std::uint64_t>& places) {
  places.clear();
  std::uint64_t next = 0;
  for (const Slot& slot : run) {
    places.push_back(std::max(next, shard.home(slot.high)));
    next = places.back() + 1;
  }
  return next;
}

// From the last run to the first: nothing moves towards the front, so a run never meets another
// that has not moved yet. One pass over the memory, which is what growing costs.
void Visited::grow(Shard& shard, std::uint64_t homes, std::uint64_t tail) {
  std::vector<Slot> run;
  std::vector<std::uint64_t> places;
  std::uint64_t end = shard.total;
  shard.homes = homes;
  shard.used_max = static_cast<std::uint64_t>(static_cast<double>(homes) * kLoadMax);
  shard.total = std::max(shard.total, homes + tail);
  while (end > 0) {
    while (end > 0 && shard.slots[end - 1].note == 0) --end;
    std::uint64_t begin = end;
    while (begin > 0 && shard.slots[begin - 1].note != 0) --begin;
    run.assign(shard.slots + begin, shard.slots + end);
    const std::uint64_t past = settle(shard, run, places);
    // Only the last run can reach so far. What lies behind the old end was never written: it is 0.
    while (past >= shard.total) shard.total += tail;
    FP_CHECK(shard.total * sizeof(Slot) <= kShardReserve);
    for (std::uint64_t at = begin; at < end; ++at) shard.slots[at].note = 0;
    for (std::size_t i = 0; i < run.size(); ++i) shard.slots[places[i]] = run[i];
    end = begin;
  }
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
