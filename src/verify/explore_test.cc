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

}  // namespace
}  // namespace fixpoint::verify
