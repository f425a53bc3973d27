// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

TEST(Hash, IsXxh3OnEveryMachine) {
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2ULL);
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, DependsOnEveryByteAndOnTheSeed) {
  EXPECT_NE(hash128("pod-a"), hash128("pod-b"));
  EXPECT_NE(hash128(std::string_view{"a\0", 2}), hash128("a"));
  EXPECT_NE(hash128("a", 1), hash128("a", 2));
  EXPECT_NE(hash64("a", 1), hash64("a", 2));
}

TEST(Hash128, SumsInAnyOrderAndTakesAwayAgain) {
  Hash128 forth;
  Hash128 back;
  for (const auto* word : {"a", "b", "c"}) forth += hash128(word);
  for (const auto* word : {"c", "a", "b"}) back += hash128(word);
  EXPECT_EQ(forth, back);

  forth -= hash128("b");

  Hash128 without;
  for (const auto* word : {"a", "c"}) without += hash128(word);
  EXPECT_EQ(forth, without);
}

TEST(Hash128, CarriesAndBorrowsAcrossTheHalves) {
  Hash128 sum{.high = 1, .low = UINT64_MAX};

  sum += Hash128{.high = 0, .low = 1};
  EXPECT_EQ(sum, (Hash128{.high = 2, .low = 0}));

  sum -= Hash128{.high = 0, .low = 1};
  EXPECT_EQ(sum, (Hash128{.high = 1, .low = UINT64_MAX}));
}

TEST(Hash128, OrdersByTheHighHalfFirst) {
  EXPECT_LT((Hash128{.high = 1, .low = 9}), (Hash128{.high = 2, .low = 0}));
  EXPECT_EQ((Hash128{.high = 0xab, .low = 1}).hex(), "00000000000000ab0000000000000001");
}

TEST(StringHash, LooksUpAViewInAMapOfStrings) {
  std::unordered_map<std::string, int, StringHash, std::equal_to<>> map{
      {"one", 1}
  };

  EXPECT_EQ(map.find(std::string_view{"one"})->second, 1);
  EXPECT_EQ(map.find(std::string_view{"two"}), map.end());
}

}  // namespace
}  // namespace fixpoint
