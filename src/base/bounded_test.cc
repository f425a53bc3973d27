// SPDX-License-Identifier: Apache-2.0
#include "base/bounded.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

TEST(BoundedDeque, HandsOutInTheOrderOfArrival) {
  BoundedDeque<int> queue{3};
  for (const int item : {1, 2, 3}) ASSERT_TRUE(queue.try_push(item));

  EXPECT_EQ(std::vector<int>(queue.begin(), queue.end()), (std::vector{1, 2, 3}));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.front(), 2);
}

TEST(BoundedDeque, RefusesAtItsBoundAndKeepsWhatItHas) {
  BoundedDeque<int> queue{2};
  ASSERT_TRUE(queue.try_push(1));
  EXPECT_FALSE(queue.full());
  ASSERT_TRUE(queue.try_push(2));

  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_TRUE(queue.try_push(3));
}

TEST(BoundedDeque, HoldsWhatCanOnlyBeMoved) {
  BoundedDeque<std::unique_ptr<int>> queue{1};
  ASSERT_TRUE(queue.try_push(std::make_unique<int>(4)));

  EXPECT_EQ(*queue.pop(), 4);
  EXPECT_TRUE(queue.empty());
}

TEST(BoundedDequeDeathTest, HasABoundAndNeverPopsNothing) {
  EXPECT_DEATH(BoundedDeque<int>{0}, "broken invariant");
  BoundedDeque<int> queue{1};
  EXPECT_DEATH(queue.pop(), "broken invariant");
}

}  // namespace
}  // namespace fixpoint
