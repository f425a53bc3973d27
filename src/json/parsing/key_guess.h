// SPDX-License-Identifier: Apache-2.0
//
// KeyGuess: which key comes next? Objects of one kind have their members in the same order, so the
// answer is nearly always "what came next last time", and a guess costs one comparison instead of a
// hash and two look-ups. A pair seen before also needs no second check of its order.
#pragma once

#include "json/block.h"
#include "json/intern.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fixpoint::json {

// Equal sizes, equal bytes; without a call for the short texts that keys are.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
  const auto same = [&]<class Word>(Word, std::size_t at) {
    Word x;
    Word y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    return x == y;
  };
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) return same(std::uint64_t{}, 0) && same(std::uint64_t{}, size - 8);
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

class KeyGuess {
 public:
  struct Answer {
    std::uint32_t key = kNoKey;  // kNoKey: no idea
    bool ascending = false;      // it sorts after the key before it
  };

  // Where a key stands: in the object with this key of its own, after that member.
  struct Place {
    std::uint32_t object;
    std::uint32_t before;  // kNoKey for the first
    bool operator==(const Place&) const = default;
  };

  Answer ask(Place place, std::string_view name) const {
    const auto& pair = pairs_[slot(place)];
    if (pair.place != place) return {};
    const auto& known = interned_keys[pair.next.key];
    if (known.size != name.size() || !equal_bytes(known.text, name.data(), name.size())) return {};
    return pair.next;
  }

  // A key local to its block is another key in the next one: nothing about it is remembered.
  void learn(Place place, Answer next) {
    const bool local = (place.before & kLocalKey) != 0 && place.before != kNoKey;
    if (!local && (next.key & kLocalKey) == 0) pairs_[slot(place)] = {place, next};
  }

 private:
  static constexpr std::size_t kPairs = 2048;  // 32 KB a thread, touched as far as needed
  static std::size_t slot(Place place) { return (place.object * 61 + place.before * 7) % kPairs; }

  struct Pair {
    Place place{~0U, ~0U};  // no key is that large
    Answer next;
  };
  std::array<Pair, kPairs> pairs_;
};

}  // namespace fixpoint::json
