// SPDX-License-Identifier: Apache-2.0
//
// mix128: the fingerprint of a state that is one word.
#pragma once

#include "base/hash.h"

#include <cstdint>

namespace fixpoint::verify {

// Different words have different fingerprints: every step of `stir` can be undone.
[[gnu::always_inline]] inline Hash128 mix128(std::uint64_t word) {
  const auto stir = [](std::uint64_t bits) {
    bits ^= bits >> 32;
    bits *= 0xd6e8feb86659fd93ULL;
    bits ^= bits >> 32;
    bits *= 0xd6e8feb86659fd93ULL;
    return bits ^ (bits >> 32);
  };
  const auto high = stir(word + 0x9e3779b97f4a7c15ULL);
  return {.high = high, .low = stir(high ^ word)};
}

}  // namespace fixpoint::verify
