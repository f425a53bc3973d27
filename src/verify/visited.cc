// SPDX-License-Identifier: Apache-2.0
#include "verify/visited.h"

#include "base/error.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace fixpoint::verify {
namespace {

// Full enough for 24 bytes a state (20 / 0.86 on average), empty enough for short walks.
constexpr double kLoadMax = 0.9;
constexpr double kGrowth = 1.1;
constexpr double kFirstHomes = 32;
// What is pushed past the last home: long runs of full slots are rare, and grow the table.
constexpr std::uint64_t kTailMax = 1'024;
// From here on pages come from the kernel, as huge ones: a look-up is a cache miss anyway, it need
// not be a miss of the page table too.
constexpr std::size_t kMappedBytesMin = std::size_t{1} << 18;

}  // namespace

void Visited::Free::operator()(Slot* slots) const {
  if (mapped_bytes == 0) {
    std::free(slots);
  } else {
    ::munmap(slots, mapped_bytes);
  }
}

Visited::Slots Visited::allocate(std::uint64_t count) {
  const std::size_t bytes = count * sizeof(Slot);
  if (bytes < kMappedBytesMin) {
    auto* slots = static_cast<Slot*>(std::calloc(count, sizeof(Slot)));
    if (slots == nullptr) throw std::bad_alloc();
    return Slots(slots, Free{});
  }
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // Only a wish: without huge pages it is slower.
  (void)::madvise(pages, bytes, MADV_HUGEPAGE);
  return Slots(static_cast<Slot*>(pages), Free{bytes});
}

Visited::Visited() {
  for (unsigned i = 0; i < kShards; ++i) {
    const double homes = kFirstHomes * std::pow(kGrowth, static_cast<double>(i) / kShards);
    grow(shards_[i], static_cast<std::uint64_t>(homes));
  }
}

// Both lie in order, so this is one pass. False when the tail is too short.
bool Visited::refill(const Shard& from, Shard& into) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < from.total; ++i) {
    const Slot& slot = from.slots[i];
    if (slot.note == 0) continue;
    at = std::max(at, into.home(slot.high));
    if (at + 1 >= into.total) return false;
    into.slots[at++] = slot;
  }
  into.used = from.used;
  return true;
}

void Visited::grow(Shard& shard, std::uint64_t homes) {
  Shard larger;
  do {
    larger.homes = homes;
    larger.total = homes + std::min(kTailMax, homes / 4 + 8);
    larger.slots = allocate(larger.total);
    homes = static_cast<std::uint64_t>(static_cast<double>(homes) * kGrowth) + 1;
  } while (!refill(shard, larger));
  shard = std::move(larger);
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
    const bool last = empty + 1 == shard.slots.get() + shard.total;
    if (!last &&
        static_cast<double>(shard.used + 1) <= kLoadMax * static_cast<double>(shard.homes)) {
      std::memmove(slot + 1, slot, static_cast<std::size_t>(empty - slot) * sizeof(Slot));
      *slot = Slot{.high = fingerprint.high, .low = fingerprint.low, .note = note};
      ++shard.used;
      return true;
    }
    grow(shard, static_cast<std::uint64_t>(static_cast<double>(shard.homes) * kGrowth) + 1);
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
  const Slot* begin = shard.slots.get();
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
