// SPDX-License-Identifier: Apache-2.0
#include "base/strong_id.h"

#include <cstdint>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using Apples = StrongId<struct AppleTag, std::uint64_t>;
using Pears = StrongId<struct PearTag, std::uint64_t>;

static_assert(!std::is_convertible_v<std::uint64_t, Apples>, "a bare number says what it counts");
static_assert(!std::is_constructible_v<Apples, Pears>, "apples are not pears");

TEST(StrongId, ComparesAndHashesLikeItsValue) {
  EXPECT_LT(Apples{1}, Apples{2});
  EXPECT_EQ(Apples{}, Apples{0});
  const std::unordered_set<Apples> set{Apples{1}, Apples{1}, Apples{2}};
  EXPECT_EQ(set.size(), 2U);
}

}  // namespace
}  // namespace fixpoint
