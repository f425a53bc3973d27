// SPDX-License-Identifier: Apache-2.0
//
// The example, explored: every reachable state under the budgets of each scenario.
#include "verify/explore.h"
#include "verify/world/mutants.h"
#include "verify/world/world.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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
  EXPECT_EQ(explored.missed, 0U) << explored.coverage;
}

TEST(GreetingWorld, HasTheseStatesWhenNothingGoesWrong) {
  const auto world = explored("life", "");

  expect_good(world);
  EXPECT_EQ(world.result.distinct, 24U);
}

TEST(GreetingWorld, KeepsTheRulesThroughItsLifeWithCachesThatLag) {
  const auto world = explored("life", "edit=1,stale=1");

  expect_good(world);
  EXPECT_EQ(world.result.distinct, 5590U);
}

TEST(GreetingWorld, KeepsTheRulesThroughCrashes) {
  const auto world = explored("again", "edit=2,crash=1");

  expect_good(world);
}

TEST(GreetingWorld, KeepsTheRulesWhenTheLeaseChangesHands) {
  const auto world = explored("leaders", "lease=1");

  expect_good(world);
}

TEST(GreetingWorld, KeepsTheRulesAmongOthers) {
  const auto world = explored("others", "foreign=1,flap=1,stale=1");

  expect_good(world);
}

TEST(GreetingWorld, KeepsTheRulesWhateverCallFails) {
  const auto world = explored("errors", "error=1");

  expect_good(world);
}

// A sample of `fixpoint verify greeting --mutants`: mistakes in every field of what it makes, in
// what it says and in the runtime's rules, in the smallest worlds.
TEST(GreetingMutants, AreNoticed) {
  Trial trial = greeting::trial();
  for (auto& scenario : trial.scenarios) {
    for (const auto trouble : {Trouble::Error, Trouble::Crash, Trouble::Late, Trouble::Watch}) {
      scenario.budget[trouble] = 0;
    }
    scenario.budget.stale = 0;
  }
  MutantHunt hunt{trial, {}};
  std::vector<Mutant> mutants;
  for (const auto& mutation : mutations_of(trial)) {
    if (mutation.weakness == apiserver::Weakness::None) mutants.push_back(hunt.hunt(mutation));
  }

  const auto score = score_of(mutants);
  EXPECT_GE(score.killed, 100U) << summary_of(mutants);
  EXPECT_LE(score.open, 4U) << summary_of(mutants);
}

// What is verified is what ships: there is one object of each source, whoever links it.
TEST(GreetingWorld, IsTheCodeThatShips) {
  const std::filesystem::path program{std::getenv("FIXPOINT_BINARY")};
  std::ifstream file(program.parent_path() / "compile_commands.json");
  const std::string commands{std::istreambuf_iterator<char>(file), {}};
  const auto times = [&](std::string_view source) {
    const auto line = fmt::format("/{}\",\n", source);
    std::size_t count = 0;
    for (auto at = commands.find(line); at != std::string::npos; at = commands.find(line, at + 1)) {
      ++count;
    }
    return count;
  };

  EXPECT_EQ(times("examples/greeting/greeting.cc"), 1U);
  EXPECT_EQ(times("src/runtime/controller/pass.cc"), 1U);
  EXPECT_EQ(times("src/runtime/controller/controller_core.cc"), 1U);
  EXPECT_EQ(times("src/apiserver/core.cc"), 1U);
}

}  // namespace
}  // namespace fixpoint::verify::world
