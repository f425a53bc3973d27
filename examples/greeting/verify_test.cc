// SPDX-License-Identifier: Apache-2.0
//
// The example, explored: every reachable state under the budgets of each scenario.
#include "tests/shipped_program.h"
#include "verify/world/mutants.h"
#include "verify/world/search.h"
#include "verify/world/world.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
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
  EXPECT_EQ(world.result.distinct, 23U);
}

TEST(GreetingWorld, KeepsTheRulesThroughItsLifeWithCachesThatLag) {
  const auto world = explored("life", "edit=1,stale=1");

  expect_good(world);
  EXPECT_EQ(world.result.distinct, 5291U);
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

// Mistakes of the server that the greeting itself comes through, with the property that notices.
TEST(GreetingMutants, OfTheServerAreNoticedByWhoWatchesTheServer) {
  const Trial trial = greeting::trial();
  const auto all = mutations_of(trial);
  const std::map<std::string, std::string> expected{
      {"DELETE of what is not there succeeds", "server: only what is there can be deleted"},
      {"fields that the server resets are owned", "server: spec and status are owned apart"},
      {"apply to status is owned as apply to the object",
       "server: spec and status are owned apart"},
  };
  for (const auto& [name, property] : expected) {
    const auto weak = std::ranges::find(all, name, &Mutation::name);
    ASSERT_NE(weak, all.end()) << name;

    const auto mutant = MutantHunt{trial, {}}.hunt(*weak);

    EXPECT_EQ(mutant.property, property) << name << ": " << mutant.states;
  }
}

// The text between the first `open` of a line and the quote after it.
std::optional<std::string> quoted_after(const std::string& line, std::string_view open) {
  const auto at = line.find(open);
  if (at == std::string::npos) return std::nullopt;
  const auto from = at + open.size();
  return line.substr(from, line.find('"', from) - from);
}

// How often each source is compiled, by itself or in a batch (cmake/Batch.cmake).
std::map<std::string, int> compilations() {
  std::map<std::string, int> times;
  std::ifstream commands(shipped_program().parent_path() / "compile_commands.json");
  for (std::string line; std::getline(commands, line);) {
    const auto file = quoted_after(line, "\"file\": \"");
    if (!file) continue;
    if (!file->contains("/batch/")) {
      ++times[std::filesystem::relative(*file)];
      continue;
    }
    std::ifstream batch(*file);
    for (std::string include; std::getline(batch, include);) {
      if (const auto source = quoted_after(include, "#include \"")) ++times[*source];
    }
  }
  return times;
}

// What is verified is what ships: there is one object of each source, whoever links it. Were one of
// these compiled a second time, for the verifier, it would be in here twice.
TEST(WhatIsVerified, IsCompiledOnce) {
  auto times = compilations();
  std::erase_if(times, [](const auto& entry) {
    return !entry.first.starts_with("src/") && entry.first != "examples/greeting/greeting.cc";
  });

  EXPECT_GT(times.size(), 300U);
  EXPECT_TRUE(times.contains("examples/greeting/greeting.cc"));
  for (const auto& [source, count] : times) EXPECT_EQ(count, 1) << source;
}

// And one function of each, in the program that both runs and verifies an operator: what `verify`
// calls is what `operator` calls, at the same address.
TEST(WhatIsVerified, IsInTheProgramThatShips) {
  const auto names = run_line(fmt::format("nm --defined-only {}", shipped_program().string()));
  ASSERT_EQ(names.status, 0);
  std::map<std::string, int> found{
      {"_ZNK8fixpoint7runtime5TypedIN8greeting7GreeterEE6decideE", 0},
      {"_ZN8fixpoint7runtime14ControllerCore5startE", 0},
      {"_ZN8fixpoint7runtime14ControllerCore6answerE", 0},
      {"_ZN8fixpoint9apiserver4Core10open_watchE", 0},
      {"_ZNK8fixpoint6verify5world5World4nextE", 0},
      {"_ZN8fixpoint7runtime10Controller5driveE", 0},
  };
  std::istringstream lines(names.text);
  for (std::string line; std::getline(lines, line);) {
    for (auto& [name, count] : found) {
      if (line.contains(" " + name) && !line.contains('.')) ++count;
    }
  }

  for (const auto& [name, count] : found) EXPECT_EQ(count, 1) << name;
}

}  // namespace
}  // namespace fixpoint::verify::world
