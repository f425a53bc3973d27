// SPDX-License-Identifier: Apache-2.0
//
// Recent: the fingerprints that one worker has seen lately. Most successors have been seen a moment
// ago, from a state nearby, and then the large table need not be asked: whoever came first is in
// there or on the way.
#pragma once

#include "base/hash.h"

#include <cstddef>
#include <vector>

namespace fixpoint::verify {

class Recent {
 public:
  // Brings its place near, for `add` a little later.
  [[gnu::always_inline]] void prefetch(Hash128 fingerprint) const {
    __builtin_prefetch(&places_[fingerprint.low & (kPlaces - 1)]);
  }
  // True when it was there; now it is.
  bool add(Hash128 fingerprint) {
    Hash128& place = places_[fingerprint.low & (kPlaces - 1)];
    if (place == fingerprint) return true;
    place = fingerprint;
    return false;
  }

 private:
  // 256 KiB: a part of a core's own cache.
  static constexpr std::size_t kPlaces = std::size_t{1} << 14;
  std::vector<Hash128> places_ = std::vector<Hash128>(kPlaces);
};

}  // namespace fixpoint::verify
