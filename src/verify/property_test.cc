// SPDX-License-Identifier: Apache-2.0
//
// Each kind of property, with a drawing that has it and one that has not.
#include "verify/property.h"

#include "verify/drawn_fixture.h"

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

std::function<bool(unsigned)> at(unsigned place) {
  return [place](unsigned state) { return state == place; };
}

TEST(Always, BreaksWithAShortestWay) {
  Drawn model({
      {0, 1},
      {1, 2},
      {2, 4},
      {0, 3},
      {3, 4}
  });
  model.wanted.always("below-4", [](unsigned state) { return state < 4; });

  const auto verdict = verdict_of(model);

  EXPECT_EQ(verdict.outcome, Outcome::Violated);
  EXPECT_EQ(way_of(verdict), "0 3 4");
}

TEST(Always, HoldsAndIsVacuousWithoutItsPremise) {
  Drawn model({
      {0, 1}
  });
  model.wanted.always("below-4", [](unsigned state) { return state < 4; });
  model.wanted.always("of-nothing", [](unsigned) { return false; }, at(7));

  const auto verdicts = explore(model).verdicts;

  EXPECT_EQ(verdicts[0].outcome, Outcome::Holds);
  EXPECT_EQ(verdicts[1].outcome, Outcome::Vacuous);
}

TEST(Always, BreaksInAnInitialState) {
  Drawn model({
      {0, 1}
  });
  model.wanted.always("not-0", [](unsigned state) { return state != 0; });

  EXPECT_EQ(way_of(verdict_of(model)), "0");
}

TEST(Never, IsTheOppositeOfAlways) {
  Drawn model({
      {0, 1},
      {1, 2}
  });
  model.wanted.never("at-2", at(2));
  model.wanted.never("at-3", at(3));

  const auto verdicts = explore(model).verdicts;

  EXPECT_EQ(way_of(verdicts[0]), "0 1 2");
  EXPECT_EQ(verdicts[1].outcome, Outcome::Holds);
}

TEST(OnTransition, SeesEveryStepAlsoIntoKnownStates) {
  Drawn model({
      {0, 1},
      {1, 2},
      {2, 0}
  });
  model.wanted.on_transition(
      "upwards", [](unsigned before, const auto&, unsigned after) { return before < after; });
  model.wanted.on_transition("by-one", [](unsigned before, const auto&, unsigned after) {
    return after == (before + 1) % 3;
  });
  model.wanted.on_transition(
      "of-nobody", [](unsigned, const auto&, unsigned) { return false; },
      [](unsigned, const auto& action, unsigned) { return action.who == kPerson; });

  const auto verdicts = explore(model).verdicts;

  EXPECT_EQ(way_of(verdicts[0]), "0 1 2 0");
  EXPECT_EQ(verdicts[1].outcome, Outcome::Holds);
  EXPECT_EQ(verdicts[2].outcome, Outcome::Vacuous);
}

TEST(OnlyTransitions, RefusesWhatTheTableDoesNotList) {
  const PhaseTable table{
      .names = {"Pending", "Ready", "Failed"},
        .first = {0},
        .allowed = {{0, 1}, {1, 0}, {1, 2}}
  };
  const auto phase = [](unsigned state) {
    return state < 3 ? std::optional{static_cast<int>(state)} : std::nullopt;
  };
  Drawn good({
      {3, 0},
      {0, 1},
      {1, 0},
      {1, 3}
  });
  Drawn skips({
      {0, 1},
      {1, 2},
      {2, 0}
  });
  Drawn begins_ready({
      {0, 3},
      {3, 1}
  });
  Drawn still({
      {0, 0}
  });
  for (Drawn* model : {&good, &skips, &begins_ready, &still}) {
    model->wanted.only_transitions("life", table, phase);
  }

  EXPECT_EQ(verdict_of(good).outcome, Outcome::Holds);
  EXPECT_EQ(verdict_of(good).detail, "never taken: Ready -> Failed");
  EXPECT_EQ(way_of(verdict_of(skips)), "0 1 2 0");
  EXPECT_EQ(way_of(verdict_of(begins_ready)), "0 3 1");
  EXPECT_EQ(verdict_of(still).outcome, Outcome::Vacuous);
}

TEST(Sometimes, FailsWhenItNeverHappens) {
  Drawn model({
      {0, 1},
      {1, 0, kPerson}
  });
  model.wanted.sometimes("at-1", at(1));
  model.wanted.sometimes("at-2", at(2));
  model.wanted.sometimes_step(
      "person", [](unsigned, const auto& action, unsigned) { return action.who == kPerson; });
  model.wanted.sometimes_step(
      "stays", [](unsigned before, const auto&, unsigned after) { return before == after; });

  const auto verdicts = explore(model).verdicts;

  EXPECT_EQ(verdicts[0].outcome, Outcome::Holds);
  EXPECT_EQ(verdicts[1].outcome, Outcome::Violated);
  EXPECT_EQ(verdicts[1].detail, "it never happens");
  EXPECT_EQ(verdicts[2].outcome, Outcome::Holds);
  EXPECT_EQ(verdicts[3].outcome, Outcome::Violated);
}

TEST(LeadsTo, BreaksOnALoopThatAvoidsTheGoal) {
  Drawn model({
      {0, 1},
      {1, 2},
      {2, 1},
      {2, 3}
  });
  model.wanted.leads_to("1-to-3", at(1), at(3));

  // One actor turns in circles: it acts, and so is treated fairly.
  EXPECT_EQ(way_of(verdict_of(model)), "0 1 | 2 1");
}

TEST(LeadsTo, BreaksWhereARunEnds) {
  Drawn model({
      {0, 1},
      {1, 2},
      {0, 3}
  });
  model.wanted.leads_to("0-to-2", at(0), at(2));

  EXPECT_EQ(way_of(verdict_of(model)), "0 3 |");
}

TEST(LeadsTo, SeesTheSecondOfTwoWaysThatMeet) {
  // A checker that remembers "goal met" with the first way into a state loses the second way.
  Drawn model({
      {0, 1},
      {0, 2},
      {1, 3},
      {2, 3}
  });
  model.wanted.leads_to("0-to-1", at(0), at(1));

  EXPECT_EQ(way_of(verdict_of(model)), "0 2 3 |");
}

TEST(LeadsTo, WaitsOnlyForFairActors) {
  const std::vector<Drawn::Arrow> by_machine{
      {0, 0, kPerson },
      {0, 1, kMachine}
  };
  const std::vector<Drawn::Arrow> by_person{
      {0, 0, kMachine},
      {0, 1, kPerson }
  };
  Drawn machine_acts(by_machine);
  Drawn person_acts(by_person);
  Drawn alone({
      {0, 1, kPerson}
  });
  for (Drawn* model : {&machine_acts, &person_acts, &alone}) {
    model->wanted.leads_to("0-to-1", at(0), at(1));
  }

  EXPECT_EQ(verdict_of(machine_acts).outcome, Outcome::Holds);
  EXPECT_EQ(way_of(verdict_of(person_acts)), "0 | 0");
  EXPECT_EQ(way_of(verdict_of(alone)), "0 |");
}

TEST(LeadsTo, WeakFairnessDoesNotHelpWhoCanActOnlyNowAndThen) {
  Drawn model({
      {0, 1, kPerson },
      {1, 0, kPerson },
      {1, 2, kMachine}
  });
  model.wanted.leads_to("0-to-2", at(0), at(2));

  EXPECT_EQ(way_of(verdict_of(model)), "0 |");
}

TEST(LeadsTo, IsVacuousWhenNothingEverAsksForIt) {
  Drawn model({
      {0, 1}
  });
  model.wanted.leads_to("5-to-6", at(5), at(6));

  EXPECT_EQ(verdict_of(model).outcome, Outcome::Vacuous);
}

TEST(EventuallyStable, BreaksWhenTheGoalIsLeftAgainAndAgain) {
  Drawn flaps({
      {0, 1},
      {1, 2},
      {2, 1}
  });
  Drawn settles({
      {0, 1},
      {1, 2},
      {2, 2}
  });
  for (Drawn* model : {&flaps, &settles}) model->wanted.eventually_stable("2", {}, at(2));

  // The goal is met infinitely often, which is not enough.
  EXPECT_EQ(way_of(verdict_of(flaps)), "0 1 | 2 1");
  EXPECT_EQ(verdict_of(settles).outcome, Outcome::Holds);
}

TEST(EventuallyStable, AsksOnlyRunsThatKeepThePremise) {
  // The person may edit for ever; then nothing is asked. State 3 is the edited one.
  Drawn model({
      {0, 1},
      {1, 3, kPerson},
      {3, 0}
  });
  model.wanted.eventually_stable("1", [](unsigned state) { return state < 3; }, at(1));

  EXPECT_EQ(verdict_of(model).outcome, Outcome::Holds);
}

TEST(Quiescent, BreaksOnWorkThatNeverEnds) {
  const auto writes = [](unsigned, const auto& action, unsigned) { return action.who == kMachine; };
  Drawn busy({
      {0, 1},
      {1, 1}
  });
  Drawn quiet({
      {0, 1},
      {1, 1, kPerson}
  });
  for (Drawn* model : {&busy, &quiet}) model->wanted.quiescent("rest", {}, writes);

  EXPECT_EQ(way_of(verdict_of(busy)), "0 1 | 1");
  EXPECT_EQ(verdict_of(quiet).outcome, Outcome::Holds);
}

TEST(Bounded, TellsTheMostWorkOnAnyWay) {
  Drawn model({
      {0, 1},
      {1, 3},
      {0, 2},
      {2, 1},
      {3, 4}
  });
  const auto work = [](unsigned before, const auto&, unsigned) {
    return Work{.rounds = 1, .writes = static_cast<std::uint8_t>(before == 2 ? 5 : 0)};
  };
  const auto quiet = [](unsigned state) { return state < 4; };
  model.wanted.bounded("enough", quiet, work, {.rounds = 3, .writes = 5});
  model.wanted.bounded("rounds", quiet, work, {.rounds = 2, .writes = 5});
  model.wanted.bounded("writes", quiet, work, {.rounds = 3, .writes = 4});

  const auto verdicts = explore(model).verdicts;

  EXPECT_EQ(verdicts[0].outcome, Outcome::Holds);
  EXPECT_EQ(verdicts[0].detail, "at most 3 rounds and 5 writes");
  EXPECT_EQ(way_of(verdicts[1]), "0 2 1 3");
  EXPECT_EQ(verdicts[1].detail, "at most 3 rounds and 5 writes, allowed 2 and 5");
  EXPECT_EQ(way_of(verdicts[2]), "0 2 1");
}

TEST(Bounded, HasNoBoundWhereALoopWorks) {
  Drawn works({
      {0, 1},
      {1, 2},
      {2, 1},
      {1, 3}
  });
  Drawn idles({
      {0, 1},
      {1, 2},
      {2, 1},
      {1, 3}
  });
  works.wanted.bounded(
      "loop", {},
      [](unsigned before, const auto&, unsigned) { return Work{.writes = before == 2}; }, {9, 9});
  idles.wanted.bounded(
      "loop", {},
      [](unsigned before, const auto&, unsigned) { return Work{.writes = before == 0}; }, {9, 9});

  EXPECT_EQ(way_of(verdict_of(works)), "0 1 2 | 1 2");
  EXPECT_EQ(verdict_of(idles).outcome, Outcome::Holds);
  EXPECT_EQ(verdict_of(idles).detail, "at most 0 rounds and 1 writes");
}

}  // namespace
}  // namespace fixpoint::verify
