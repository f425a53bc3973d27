// SPDX-License-Identifier: Apache-2.0
//
// Each replanted bug is found, by a shortest counterexample of the length that the table says, and
// its corrected twin is right in the same world.
#include "tests/replanted/bug.h"
#include "verify/world/search.h"
#include "verify/world/world.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::replanted {
namespace {

using verify::Outcome;
using verify::world::World;

std::vector<Bug> all_bugs() {
  auto all = operator_bugs();
  std::ranges::move(outside_bugs(), std::back_inserter(all));
  std::ranges::move(runtime_bugs(), std::back_inserter(all));
  return all;
}

verify::Exploration explored(const Planted& planted) {
  const auto& scenario = planted.trial.scenarios.front();
  const World world{
      planted.trial, scenario, {.budget = scenario.budget, .rules = planted.rules}
  };
  return verify::explore(world);
}

const verify::Verdict* shortest(const verify::Exploration& exploration) {
  const verify::Verdict* found = nullptr;
  for (const auto& verdict : exploration.verdicts) {
    if (verdict.outcome != Outcome::Violated || !verdict.trace) continue;
    if (found == nullptr || verdict.trace->steps.size() < found->trace->steps.size()) {
      found = &verdict;
    }
  }
  return found;
}

class Replanted : public testing::TestWithParam<Bug> {};

TEST_P(Replanted, IsFound) {
  const auto wrong = explored(GetParam().wrong);

  const auto* found = shortest(wrong);
  ASSERT_NE(found, nullptr);
  RecordProperty("property", found->name);
  EXPECT_EQ(found->trace->steps.size(), GetParam().steps) << found->name;
}

TEST_P(Replanted, IsRightWhenCorrected) {
  const auto right = explored(GetParam().right);

  EXPECT_TRUE(right.complete());
  for (const auto& verdict : right.verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::Holds) << verdict.name;
  }
}

std::string name_of(const testing::TestParamInfo<Bug>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bugs, Replanted, testing::ValuesIn(all_bugs()), name_of);

}  // namespace
}  // namespace fixpoint::replanted
