// SPDX-License-Identifier: Apache-2.0
//
// The example, explored: every reachable state under the budgets of each scenario.
#include "verify/explore.h"
#include "verify/world/world.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace greeting {
fixpoint::verify::world::Trial trial();
}

namespace fixpoint::verify::world {
namespace {

std::string story_of(const Verdict& verdict) {
  std::string text = verdict.name + ": " + std::string{to_string(verdict.outcome)} + "\n";
  if (!verdict.trace) return text;
  for (const auto& step : verdict.trace->steps) {
    const auto& telling = step.telling;
    text +=
        fmt::format("  {} → {}: {} {}\n", telling.from, telling.to, telling.asks, telling.answer);
    for (const auto& line : telling.changes) text += "      " + line + "\n";
  }
  return text;
}

struct Explored {
  Exploration result;
  std::size_t missed = 0;
  std::string coverage;
};

Explored explored(std::string_view scenario, std::string_view budget, WorldOptions options = {}) {
  const Trial trial = greeting::trial();
  const auto found = std::ranges::find(trial.scenarios, scenario, &Scenario::name);
  options.budget = Budget{}.with(budget).value();
  const World world{trial, *found, options};
  Explored made{explore(world), 0, {}};
  made.missed = world.coverage().missed();
  made.coverage = world.coverage().to_string();
  return made;
}

void expect_good(const Explored& explored) {
  for (const auto& verdict : explored.result.verdicts) {
    const bool good = verdict.outcome == Outcome::Holds ||
                      (needs_graph(verdict.kind) && verdict.outcome == Outcome::Unknown);
    EXPECT_TRUE(good) << story_of(verdict);
  }
  EXPECT_TRUE(explored.result.complete());
}

TEST(GreetingWorld, HasTheseStatesWhenNothingGoesWrong) {
  const auto world = explored("life", "");

  expect_good(world);
  EXPECT_EQ(world.result.distinct, 24U);
}

TEST(GreetingWorld, KeepsTheRulesThroughItsLifeWithCachesThatLag) {
  const auto world = explored("life", "edit=1,stale=2");

  expect_good(world);
}

TEST(GreetingWorld, KeepsTheRulesThroughCrashes) {
  const auto world = explored("again", "edit=2,crash=1");

  expect_good(world);
  EXPECT_EQ(world.missed, 0U) << world.coverage;
}

TEST(GreetingWorld, ByHand) {
  const char* budget = std::getenv("BUDGET");
  const char* scenario = std::getenv("SCENARIO");
  if (budget == nullptr) GTEST_SKIP();
  const auto clock = std::clock();
  const auto world = explored(scenario == nullptr ? "life" : scenario, budget);
  const auto seconds = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
  fmt::print("{} distinct {} transitions depth {} {:.2f} s {:.0f}/s\n{}", world.result.distinct,
             world.result.transitions, world.result.depth, seconds,
             static_cast<double>(world.result.distinct) / seconds, world.coverage);
  for (const auto& verdict : world.result.verdicts) fmt::print("{}", story_of(verdict));
}

}  // namespace
}  // namespace fixpoint::verify::world
