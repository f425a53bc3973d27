// SPDX-License-Identifier: Apache-2.0
//
// The rules of the runtime, one by one taken away: each is missed, by a property that says why.
#include "verify/world/mutants.h"

#include "verify/world/boats_for_tests.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

class WorldMutants : public testing::TestWithParam<std::size_t> {};

TEST_P(WorldMutants, AMissingRuleIsNoticed) {
  const auto mutant = without(static_cast<runtime::Rule>(GetParam()), boat_trial(), {});

  EXPECT_TRUE(mutant.killed()) << to_text({mutant});
}

INSTANTIATE_TEST_SUITE_P(EachRule, WorldMutants,
                         testing::Range<std::size_t>(0, runtime::kRuleCount), [](const auto& row) {
                           return to_string(static_cast<runtime::Rule>(row.param));
                         });

TEST(WorldMutantsTable, SaysWhoWasNoticedWhere) {
  Mutant killed{.name = "without A"};
  killed.scenario = "life";
  killed.property = "2 b";
  killed.steps = 3;

  EXPECT_EQ(to_text({
                killed, {.name = "without C", .states = 7}
  }),
            "without A                      killed in 3 steps by life: 2 b\n"
            "without C                      SURVIVED 7 states\n"
            "1 of 2 killed\n");
}

}  // namespace
}  // namespace fixpoint::verify::world
