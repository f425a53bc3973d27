// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include "base/error.h"

#include <bit>

#include <sys/random.h>

namespace fixpoint {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix(seed);
}

Rng Rng::from_kernel() {
  std::uint64_t seed = 0;
  FP_CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  return Rng{seed};
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  FP_CHECK(bound > 0);
  // Reject the tail that would make small values likelier.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  for (;;) {
    const std::uint64_t value = next();
    if (value < limit) return value % bound;
  }
}

std::string Rng::uuid() {
  const std::uint64_t high = (next() & ~0xf000ULL) | 0x4000ULL;
  const std::uint64_t low = (next() & ~(0xc000ULL << 48U)) | (0x8000ULL << 48U);
  std::string text(36, '-');
  std::size_t at = 0;
  for (const auto half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (at == 8 || at == 13 || at == 18 || at == 23) ++at;
      text[at++] = "0123456789abcdef"[(half >> static_cast<unsigned>(shift)) & 0xfU];
    }
  }
  return text;
}

std::string Rng::name_suffix(int length) {
  static constexpr char kAlphabet[] = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < length; ++i) suffix += kAlphabet[below(sizeof kAlphabet - 1)];
  return suffix;
}

}  // namespace fixpoint
