// SPDX-License-Identifier: Apache-2.0
//
// The numbers are xoshiro256**'s, seeded by splitmix64, as its authors publish them: names and uids
// of recorded runs depend on them, so they may never change.
#include "base/rng.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

TEST(Rng, GivesThePublishedNumbers) {
  Rng zero{0};
  for (const auto expected : {0x99ec5f36cb75f2b4ULL, 0xbf6e1f784956452aULL, 0x1a5f849d4933e6e0ULL,
                              0x6aa594f1262d2d2cULL}) {
    EXPECT_EQ(zero.next(), expected);
  }
  Rng other{42};
  EXPECT_EQ(other.next(), 0x15780b2e0c2ec716ULL);
  EXPECT_EQ(other.next(), 0x6104d9866d113a7eULL);
}

TEST(Rng, StaysBelowTheBoundAndReachesEveryValue) {
  Rng rng{1};
  std::array<int, 7> seen{};

  for (int i = 0; i < 7000; ++i) ++seen.at(rng.below(7));

  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, IsFairForABoundThatHardlyFitsTwice) {
  // Five eighths of 2^64: taking the remainder without rejecting would make the lower half twice as
  // likely as the upper.
  const std::uint64_t bound = (std::uint64_t{1} << 63U) + (std::uint64_t{1} << 61U);
  Rng rng{3};
  int lower = 0;

  for (int i = 0; i < 4000; ++i) lower += rng.below(bound) < bound / 2 ? 1 : 0;

  EXPECT_NEAR(lower, 2000, 150);
}

TEST(RngDeathTest, HasNoNumberBelowZero) {
  Rng rng{1};
  EXPECT_DEATH(static_cast<void>(rng.below(0)), "broken invariant");
}

TEST(Rng, MakesTheSameUuidOfTheSameNumbers) {
  EXPECT_EQ(Rng{42}.uuid(), "15780b2e-0c2e-4716-a104-d9866d113a7e");
}

TEST(Rng, MakesVersion4Uuids) {
  Rng rng{9};
  std::set<std::string> seen;

  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = rng.uuid();
    ASSERT_EQ(uuid.size(), 36U);
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) ASSERT_EQ(uuid[dash], '-') << uuid;
    ASSERT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos) << uuid;
    ASSERT_EQ(uuid[14], '4') << uuid;
    ASSERT_NE(std::string_view{"89ab"}.find(uuid[19]), std::string_view::npos) << uuid;
    ASSERT_TRUE(seen.insert(uuid).second) << uuid;
  }
}

TEST(Rng, MakesSuffixesOfKubernetesAlphabet) {
  Rng rng{9};
  std::set<char> letters;

  for (int i = 0; i < 1000; ++i) {
    const std::string suffix = rng.name_suffix();
    ASSERT_EQ(suffix.size(), 5U);
    letters.insert(suffix.begin(), suffix.end());
  }

  EXPECT_EQ(std::string(letters.begin(), letters.end()), "2456789bcdfghjklmnpqrstvwxz");
  EXPECT_EQ(rng.name_suffix(10).size(), 10U);
  EXPECT_EQ(rng.name_suffix(0), "");
}

TEST(Rng, FromTheKernelDiffersEachTime) {
  EXPECT_NE(Rng::from_kernel().next(), Rng::from_kernel().next());
}

}  // namespace
}  // namespace fixpoint
