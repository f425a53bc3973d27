// SPDX-License-Identifier: Apache-2.0
//
// Small worlds, explored to the end: exact counts, so that a lost state is noticed, and the same
// verdicts whatever is reduced and however many work on it.
#include "verify/world/world.h"

#include "base/thoroughness_for_tests.h"
#include "verify/world/boats_for_tests.h"
#include "verify/world/search.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

struct Explored {
  Exploration result;
  std::size_t missed = 0;
  std::string coverage;

  std::string verdicts() const {
    std::string text;
    for (const auto& verdict : result.verdicts) {
      text += verdict.name + ": " + std::string{to_string(verdict.outcome)} + "\n";
    }
    return text;
  }
};

Explored explored(std::string_view scenario, WorldOptions options = {}, unsigned workers = 1) {
  const Trial trial = boat_trial();
  const auto found = std::ranges::find(trial.scenarios, scenario, &Scenario::name);
  if (options.budget == Budget{}) options.budget = found->budget;
  const World world{trial, *found, options};
  Explored made{explore(world, {.workers = workers, .execute_twice_one_in = 8}), 0, {}};
  made.missed = world.coverage().missed();
  made.coverage = world.coverage().to_string();
  return made;
}

struct Row {
  const char* scenario;
  std::uint64_t states;
};

class WorldBoats : public testing::TestWithParam<Row> {};

TEST_P(WorldBoats, KeepTheRules) {
  const auto world = explored(GetParam().scenario);

  EXPECT_TRUE(world.result.complete()) << world.result.incomplete;
  EXPECT_EQ(world.result.distinct, GetParam().states);
  EXPECT_EQ(world.missed, 0U) << world.coverage;
  for (const auto& verdict : world.result.verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::Holds) << verdict.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, WorldBoats,
                         testing::Values(Row{"life", 318}, Row{"namesake", 34},
                                         Row{"two leaders", 190}, Row{"invalid", 37},
                                         Row{"errors", 156}, Row{"shrinks", 127}, Row{"past", 842},
                                         Row{"war", 168}, Row{"many", 5}),
                         [](const auto& row) {
                           std::string name = row.param.scenario;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST(World, IsTheSameForTwoWorkers) {
  const auto one = explored("past", {}, 1);
  const auto two = explored("past", {}, 2);

  EXPECT_EQ(one.result.distinct, two.result.distinct);
  EXPECT_EQ(one.result.transitions, two.result.transitions);
  EXPECT_EQ(one.result.depth, two.result.depth);
  EXPECT_EQ(one.coverage, two.coverage);
}

// What a key remembers of what it said decides about nothing, so neither does whose memory it is.
TEST(World, HasAsManyStatesWhateverIsRememberedOfThem) {
  const auto budget = Budget{}.with(kSanitized ? "error=1" : "edit=1,error=2").value();
  const auto one = explored("life", {.budget = budget}, 1);
  const auto two = explored("life", {.budget = budget}, 2);

  EXPECT_EQ(one.result.distinct, two.result.distinct);
  EXPECT_EQ(one.result.transitions, two.result.transitions);
}

struct Reduction {
  const char* name;
  bool Reductions::* which;
  const char* budget = "edit=1,stale=1";
};

class WorldReductions : public testing::TestWithParam<Reduction> {};

// Each on a world that is right and on one that is not.
TEST_P(WorldReductions, ChangeNoVerdict) {
  for (const auto rules :
       {runtime::Rules::all(), runtime::Rules::without(runtime::Rule::FinalizerUntilGone)}) {
    WorldOptions reduced{.budget = Budget{}.with(GetParam().budget).value(), .rules = rules};
    WorldOptions whole = reduced;
    whole.reductions.*GetParam().which = false;

    const auto few = explored("life", reduced);
    const auto many = explored("life", whole);

    EXPECT_EQ(few.verdicts(), many.verdicts());
    EXPECT_LE(few.result.distinct, many.result.distinct);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, WorldReductions,
                         testing::Values(Reduction{"versions", &Reductions::versions},
                                         Reduction{"uids", &Reductions::uids},
                                         Reduction{"times", &Reductions::times},
                                         Reduction{"deadlines", &Reductions::deadlines},
                                         Reduction{"echoes", &Reductions::echoes},
                                         Reduction{"in_flight", &Reductions::in_flight, "late=2"}),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(World, LetsEveryFaultHappenAtEveryEffectThatIsReached) {
  std::string coverage;
  for (const auto* budget : {"edit=1,error=1", "edit=1,late=1", "edit=1,crash=1"}) {
    const auto world = explored("life", {.budget = Budget{}.with(budget).value()});
    EXPECT_TRUE(world.result.complete());
    EXPECT_EQ(world.missed, 0U) << world.coverage;
    coverage += world.coverage;
  }

  for (const auto* fault : {"500", "lost after", "crash before", "crash after", "delayed", "409",
                            "404", "410", "422", "403 quota", "429", "deadline"}) {
    EXPECT_NE(coverage.find(fault), std::string::npos) << fault;
  }
}

// Among them 404 to the last patch of a deletion: its kind was not served, the object is still
// there.
TEST(World, SeesADeletionThroughWhateverCallFails) {
  const auto world = explored("life", {.budget = Budget{}.with("edit=1,error=1").value()});

  for (const auto& verdict : world.result.verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::Holds) << verdict.name;
  }
}

// A map that was made and not noted is turned over before it is changed: a step of three calls, and
// the deletion is heard of between two of them.
TEST(World, LooksAtTheObjectAgainBeforeEveryWriteOfAStep) {
  const auto budget = kSanitized ? "edit=1,crash=1,stale=1" : "edit=2,crash=1,stale=1";
  const auto world = explored("life", {.budget = Budget{}.with(budget).value()});

  EXPECT_TRUE(world.result.complete());
  for (const auto& verdict : world.result.verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::Holds) << verdict.name;
  }
}

// What it asked for comes when the other has seen everything gone and let the boat go.
TEST(World, BlamesNobodyForWhatALeaderAskedForInTime) {
  Trial trial = boat_trial();
  auto& leaders = *std::ranges::find(trial.scenarios, "two leaders", &Scenario::name);
  leaders.deeds = {sinks()};
  const World world{trial, leaders, {.budget = Budget{}.with("edit=1,lease=1").value()}};

  const auto result = explore(world, {.execute_twice_one_in = 8});

  EXPECT_TRUE(result.complete());
  for (const auto& verdict : result.verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::Holds) << verdict.name;
  }
}

TEST(World, NoticesWhatIsLeftOfTheGone) {
  Trial trial = boat_trial();
  auto& life = trial.scenarios.front();
  life.deeds.push_back({.who = "somebody",
                        .what = "holds on to the map",
                        .price = Trouble::Foreign,
                        .fair = false,
                        .act =
                            [](Stage& stage) {
                              stage.patch(runtime::kMaps, kMap,
                                          R"({"metadata":{"finalizers":["some.body/else"]}})");
                            },
                        .possible = {}});
  const auto outcome = [&](runtime::Rules rules) {
    const World world{
        trial, life, {.budget = Budget{}.with("edit=1,foreign=1").value(), .rules = rules}
    };
    const auto result = explore(world);
    return std::ranges::find(result.verdicts, "nothing is left of what is gone", &Verdict::name)
        ->outcome;
  };

  EXPECT_EQ(outcome(runtime::Rules::all()), Outcome::Holds);
  EXPECT_EQ(outcome(runtime::Rules::without(runtime::Rule::FinalizerUntilGone)), Outcome::Violated);
}

TEST(World, BoundsTheWorkOfAnOperator) {
  Trial trial = boat_trial();
  auto& life = trial.scenarios.front();
  const auto outcome = [&](WorkBound bound) {
    life.bound = bound;
    const World world{trial, life, {.budget = life.budget}};
    const auto result = explore(world);
    return std::ranges::find(result.verdicts, "9 the work is bounded", &Verdict::name)->outcome;
  };

  EXPECT_EQ(outcome({.passes = 20, .writes = 20}), Outcome::Holds);
  EXPECT_EQ(outcome({.passes = 1, .writes = 20}), Outcome::Violated);
  EXPECT_EQ(outcome({.passes = 20, .writes = 1}), Outcome::Violated);
}

TEST(World, HoldsAnAuthorToWhatWasPromised) {
  Trial trial = boat_trial();
  auto& life = trial.scenarios.front();
  life.promises = {
      {"no map",
       [](const Glance&, const Glance& is) { return is.look.list(runtime::kMaps).empty(); }}
  };
  const World world{trial, life, {.budget = life.budget}};

  const auto result = explore(world);

  const auto found = std::ranges::find(result.verdicts, "promise: no map", &Verdict::name);
  EXPECT_EQ(found->outcome, Outcome::Violated);
  EXPECT_EQ(found->trace->steps.size(), 4U);
}

TEST(World, TellsItsStepsInPlainWords) {
  const Trial trial = boat_trial();
  const World world{trial, trial.scenarios.front(), {.budget = trial.scenarios.front().budget}};
  auto state = world.initial().front();
  std::string story;

  for (int step = 0; step < 4; ++step) {
    std::vector<Action> actions;
    world.actions(state, actions);
    const auto after = world.next(state, actions.front()).value();
    const auto telling = world.tell(state, actions.front(), after);
    story += telling.from + " → " + telling.to + ": " + telling.asks + " " + telling.answer + "\n";
    for (const auto& line : telling.changes) story += "  " + line + "\n";
    state = after;
  }

  EXPECT_EQ(story,
            "API server → operator: operator lists everything \n"
            "operator → : operator begins a pass \n"
            "operator → API server: patch boats a 200\n"
            "  Boat default/a + metadata.finalizers: [\"fixpoint.dev/boats\"]\n"
            "operator → API server: create configmaps a-map 201\n"
            "  + ConfigMap default/a-map\n");
}

}  // namespace
}  // namespace fixpoint::verify::world
