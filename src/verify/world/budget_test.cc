// SPDX-License-Identifier: Apache-2.0
#include "verify/world/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

TEST(WorldBudget, IsReadAndPrinted) {
  const auto budget = Budget{}.with("crash=1,error=2,stale=2,edit=3");

  ASSERT_TRUE(budget.has_value());
  EXPECT_EQ((*budget)[Trouble::Crash], 1);
  EXPECT_EQ((*budget)[Trouble::Edit], 3);
  EXPECT_EQ(budget->stale, 2);
  EXPECT_EQ(budget->to_string(), "crash=1,error=2,edit=3,stale=2");
  EXPECT_EQ(Budget{}.to_string(), "none");
}

TEST(WorldBudget, ChangesWhatIsNamedAndNothingElse) {
  const auto budget = Budget{}.with("crash=1,late=1")->with("crash=0");

  EXPECT_EQ(budget->to_string(), "late=1");
}

TEST(WorldBudget, SaysWhatThereIsWhenAskedForSomethingElse) {
  const auto wrong = Budget{}.with("crsh=1");
  const auto many = Budget{}.with("crash=1000");
  const auto none = Budget{}.with("crash");

  EXPECT_THAT(wrong.error().message,
              testing::HasSubstr("no budget \"crsh\"; there are stale, crash"));
  EXPECT_THAT(many.error().message, testing::HasSubstr("a number up to 200"));
  EXPECT_FALSE(none.has_value());
}

TEST(WorldBudget, IsWithinOthersThatAllowAsMuch) {
  const auto large = Budget{}.with("edit=2,stale=1").value();

  EXPECT_TRUE(Budget{}.with("edit=1,stale=1").value().within(large));
  EXPECT_FALSE(Budget{}.with("edit=1,crash=1").value().within(large));
  EXPECT_FALSE(Budget{}.with("stale=2").value().within(large));
}

}  // namespace
}  // namespace fixpoint::verify::world
