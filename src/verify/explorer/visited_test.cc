// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/visited.h"

#include "base/rng.h"
#include "verify/explorer/mix.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

TEST(Visited, KnowsExactlyWhatWasPutIn) {
  Visited visited;
  constexpr std::uint32_t kCount = 200'000;
  for (std::uint32_t i = 1; i <= kCount; ++i) ASSERT_TRUE(visited.insert(mix128(i), i));

  EXPECT_EQ(visited.size(), kCount);
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    ASSERT_FALSE(visited.insert(mix128(i), 7));
    ASSERT_EQ(visited.find(mix128(i)), i);
    ASSERT_EQ(visited.find(mix128(i + kCount)), 0U);
  }
}

// Values that fall into one place of one shard: the tail has to take them all.
TEST(Visited, BearsValuesThatCrowdTogether) {
  Rng rng(3);
  Visited visited;
  std::map<Hash128, std::uint32_t> expected;
  for (std::uint32_t i = 1; i <= 5'000; ++i) {
    const bool last = rng.below(2) == 0;
    const Hash128 value{.high = (last ? ~std::uint64_t{0} : std::uint64_t{1} << 40) - rng.below(3),
                        .low = rng.below(4'000)};
    EXPECT_EQ(visited.insert(value, i), expected.emplace(value, i).second);
  }

  EXPECT_EQ(visited.size(), expected.size());
  for (const auto& [value, note] : expected) ASSERT_EQ(visited.find(value), note);
}

TEST(Visited, FindsAllWithOnePrefix) {
  Visited visited;
  std::multiset<std::uint32_t> prefixes;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    // Three of each prefix.
    const Hash128 value{.high = mix128(i / 3).high ^ (i % 3), .low = i};
    visited.insert(value, 1);
    prefixes.insert(Visited::prefix_of(value));
  }

  for (const std::uint32_t prefix : prefixes) {
    const auto found = visited.with_prefix(prefix);
    ASSERT_EQ(found.size(), prefixes.count(prefix));
    for (const auto& entry : found) ASSERT_EQ(Visited::prefix_of(entry.fingerprint), prefix);
  }
}

TEST(Visited, NeedsAtMost24BytesForAState) {
  Visited visited;
  std::uint32_t count = 0;
  for (const std::uint32_t until : {500'000U, 520'000U, 540'000U, 560'000U, 600'000U}) {
    while (count < until) visited.insert(mix128(count++), 1);

    EXPECT_LE(static_cast<double>(visited.bytes()) / count, 24.5);
  }
}

TEST(Visited, ChangesANote) {
  Visited visited;
  visited.insert(mix128(5), 1);

  visited.set_note(mix128(5), 9);

  EXPECT_EQ(visited.find(mix128(5)), 9U);
}

}  // namespace
}  // namespace fixpoint::verify
