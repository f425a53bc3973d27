// SPDX-License-Identifier: Apache-2.0
//
// How mutants are counted and told.
#include "verify/mutant.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

std::vector<Mutant> some() {
  return {
      {.group = "plan",
       .name = "drop a",
       .scenario = "life",
       .property = "2 b",
       .steps = 3,
       .states = 7},
      {.group = "plan", .name = "drop c", .states = 9, .same = true},
      {.group = "rules", .name = "d", .states = 9, .explained = "nobody asks"},
      {.group = "rules", .name = "e", .states = 9, .complete = false},
  };
}

TEST(Mutants, AreCountedByWhatBecameOfThem) {
  const auto score = score_of(some());

  EXPECT_EQ(score.killed, 1U);
  EXPECT_EQ(score.same, 1U);
  EXPECT_EQ(score.explained, 1U);
  EXPECT_EQ(score.open, 1U);
  EXPECT_NEAR(score.percent(), 33.3, 0.1);
}

TEST(Mutants, WhatMakesNoDifferenceDoesNotCount) {
  EXPECT_EQ(score_of({
                         {.name = "a", .same = true}
  })
                .percent(),
            0);
}

TEST(Mutants, AreToldOneByOne) {
  const auto mutants = some();

  EXPECT_THAT(to_text(mutants[0]), testing::HasSubstr("killed in 3 steps by life: 2 b"));
  EXPECT_THAT(to_text(mutants[1]), testing::HasSubstr("the same states are reached"));
  EXPECT_THAT(to_text(mutants[2]), testing::HasSubstr("survives: nobody asks"));
  EXPECT_THAT(to_text(mutants[3]), testing::HasSubstr("SURVIVED 9 states, not all of them"));
}

TEST(Mutants, AreSummedUpByGroupWithTheSurvivors) {
  const auto text = summary_of(some());

  EXPECT_THAT(text, testing::HasSubstr("killed 1 of 3 that reach other states: 33.3 %"));
  EXPECT_THAT(text, testing::HasSubstr("rules: e"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("drop a")));
}

TEST(Mutants, AreWrittenForPrograms) {
  const auto list = to_json(some());

  EXPECT_EQ(list.size(), 4U);
  EXPECT_EQ(list.view()[0].get("steps").as_int(), 3);
  EXPECT_TRUE(list.view()[1].get("same").as_bool());
}

}  // namespace
}  // namespace fixpoint::verify
