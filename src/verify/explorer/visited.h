// SPDX-License-Identifier: Apache-2.0
//
// Visited: the fingerprints seen so far, each with 32 bits of the explorer's own, in 20 bytes and
// as little slack as open addressing bears.
//
// The fingerprints lie in the order of their values, with gaps: a look-up begins where the value
// says it should be and ends at the first larger one, so tables can be 90 % full; growing by a
// tenth is one pass from front to back; and all fingerprints with one prefix are neighbours. There
// are kShards tables, which grow at different moments, so the sum of their slack stays the same.
//
// Threads: any number may look up while nobody writes; writers may work at once on different
// shards.
#pragma once

#include "base/hash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fixpoint::verify {

class Visited {
 public:
  static constexpr unsigned kShardBits = 6;
  static constexpr unsigned kShards = 1U << kShardBits;

  struct Entry {
    Hash128 fingerprint;
    std::uint32_t note;
  };

  Visited();
  ~Visited();
  Visited(const Visited&) = delete;
  Visited& operator=(const Visited&) = delete;

  static unsigned shard_of(Hash128 fingerprint) {
    return static_cast<unsigned>(fingerprint.high >> (64 - kShardBits));
  }

  // What was noted with it; 0 when it was never seen.
  std::uint32_t find(Hash128 fingerprint) const;
  // Brings it near, for a look-up a little later. Inlined early: g++ takes the function for one
  // without effect and would drop calls of it.
  [[gnu::always_inline]] void prefetch(Hash128 fingerprint) const;
  // True when it was not there. The note must not be 0.
  bool insert(Hash128 fingerprint, std::uint32_t note);
  // Of one that is there.
  void set_note(Hash128 fingerprint, std::uint32_t note);

  // The first bits of a fingerprint, few enough to be a note together with "none".
  static std::uint32_t prefix_of(Hash128 fingerprint) {
    return static_cast<std::uint32_t>(fingerprint.high >> (64 - kPrefixBits));
  }
  std::vector<Entry> with_prefix(std::uint32_t prefix) const;

  std::uint64_t size() const;
  std::uint64_t bytes() const;

 private:
  static constexpr unsigned kPrefixBits = 31;

#pragma pack(push, 4)
  struct Slot {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t note;  // 0: empty
  };
#pragma pack(pop)
  static_assert(sizeof(Slot) == 20);

  struct Shard {
    Slot* slots = nullptr;    // at the beginning of its share of the reserved addresses
    std::uint64_t homes = 0;  // slots at which a look-up may begin
    std::uint64_t total = 0;  // and some more at the end for what is pushed back; the last is empty
    std::uint64_t used = 0;
    std::uint64_t used_max = 0;  // with more it grows

    std::uint64_t home(std::uint64_t high) const {
      __extension__ using Wide = unsigned __int128;
      return static_cast<std::uint64_t>((Wide{high << kShardBits} * homes) >> 64);
    }
  };

  // The slot that holds it, or the one in front of which it belongs.
  static Slot* place(const Shard& shard, Hash128 fingerprint);
  static void grow(Shard& shard, std::uint64_t homes, std::uint64_t tail);
  static std::uint64_t settle(const Shard& shard, const std::vector<Slot>& run,
                              std::vector<std::uint64_t>& places);

  void* reserved_ = nullptr;
  std::array<Shard, kShards> shards_;
};

inline void Visited::prefetch(Hash128 fingerprint) const {
  const Shard& shard = shards_[shard_of(fingerprint)];
  // The walk is some slots long: two cache lines hold most of them.
  const char* slot = reinterpret_cast<const char*>(shard.slots + shard.home(fingerprint.high));
  __builtin_prefetch(slot);
  __builtin_prefetch(slot + 64);
}

inline Visited::Slot* Visited::place(const Shard& shard, Hash128 fingerprint) {
  Slot* slot = shard.slots + shard.home(fingerprint.high);
  while (slot->note != 0 && slot->high < fingerprint.high) ++slot;
  while (slot->note != 0 && slot->high == fingerprint.high && slot->low < fingerprint.low) ++slot;
  return slot;
}

inline std::uint32_t Visited::find(Hash128 fingerprint) const {
  const Slot* slot = place(shards_[shard_of(fingerprint)], fingerprint);
  return slot->high == fingerprint.high && slot->low == fingerprint.low ? slot->note : 0;
}

}  // namespace fixpoint::verify
