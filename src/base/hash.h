// SPDX-License-Identifier: Apache-2.0
//
// Hash128 and XXH3: fingerprints for states and contents. Not for anything an attacker gains from;
// secrets and tokens use net/crypto.h.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Hash128&) const = default;
  // An order-independent sum: adding and taking away a member is O(1), which is how a whole store
  // keeps one fingerprint up to date.
  Hash128& operator+=(const Hash128& other);
  Hash128& operator-=(const Hash128& other);
  std::string hex() const;
};

Hash128 hash128(std::string_view bytes, std::uint64_t seed = 0);
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

// For unordered containers keyed by string with std::string_view look-ups.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash64(text); }
};

}  // namespace fixpoint
