// SPDX-License-Identifier: Apache-2.0
#include "verify/explore.h"

#include "verify/models/two_phase.h"

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

TEST(Explore, FindsThePublishedNumbersOfTwoPhaseCommit) {
  const auto three = explore(TwoPhase{3});
  const auto five = explore(TwoPhase{5});

  EXPECT_EQ(three.distinct, 288U);
  EXPECT_EQ(three.transitions + 1, 1'146U);
  EXPECT_EQ(three.depth, 11U);
  EXPECT_EQ(five.distinct, 8'832U);
  EXPECT_EQ(five.transitions + 1, 58'146U);
  EXPECT_EQ(five.depth, 17U);
}

TEST(Explore, FindsTheSameWithAnyNumberOfWorkers) {
  const auto one = explore(TwoPhase{7}, {.workers = 1});
  const auto two = explore(TwoPhase{7}, {.workers = 2});
  const auto five = explore(TwoPhase{7}, {.workers = 5});

  EXPECT_EQ(one.distinct, 296'448U);
  for (const auto* other : {&two, &five}) {
    EXPECT_EQ(one.distinct, other->distinct);
    EXPECT_EQ(one.transitions, other->transitions);
    EXPECT_EQ(one.depth, other->depth);
    EXPECT_EQ(one.executed_twice, other->executed_twice);
  }
  EXPECT_GT(one.executed_twice, 1'000U);
  EXPECT_EQ(one.nondeterminism, "");
}

}  // namespace
}  // namespace fixpoint::verify
