// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <cstdio>

#include <xxhash.h>

namespace fixpoint {

Hash128& Hash128::operator+=(const Hash128& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1U : 0U);
  return *this;
}

Hash128& Hash128::operator-=(const Hash128& other) {
  const bool borrow = low < other.low;
  low -= other.low;
  high -= other.high + (borrow ? 1U : 0U);
  return *this;
}

std::string Hash128::hex() const {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

Hash128 hash128(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {.high = hash.high64, .low = hash.low64};
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace fixpoint
