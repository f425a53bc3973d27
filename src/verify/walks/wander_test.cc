// SPDX-License-Identifier: Apache-2.0
//
// Walks: they find what is there, say nothing that is not so, and are the same again.
#include "verify/walks/wander.h"

#include "base/rng.h"
#include "base/thoroughness_for_tests.h"
#include "verify/drawn_fixture.h"
#include "verify/models/search.h"

#include <array>
#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

ExploreOptions walks(std::uint64_t count, std::uint64_t seed = 1) {
  return {.walks = count, .seed = seed};
}

Verdict walked(const Drawn& model, std::uint64_t count = 50) {
  return wander(model, walks(count)).verdicts.at(0);
}

TEST(Wander, TellsAViolationWithoutTheStepsThatDoNotMatter) {
  // A detour of any length before the way to 9.
  Drawn model({
      {0, 1},
      {1, 0},
      {0, 2},
      {2, 0},
      {0, 3},
      {3, 9},
      {9, 0}
  });
  model.wanted.never("nine", [](unsigned state) { return state == 9; });

  const auto verdict = walked(model);

  EXPECT_EQ(verdict.outcome, Outcome::Violated);
  EXPECT_EQ(way_of(verdict), "0 3 9");
  EXPECT_THAT(verdict.detail, testing::StartsWith("walk "));
}

TEST(Wander, TellsThatNothingMoreHappens) {
  Drawn model({
      {0, 1},
      {1, 2}
  });
  model.wanted.eventually_stable(
      "three", [](unsigned) { return true; }, [](unsigned state) { return state == 3; });

  const auto verdict = walked(model);

  EXPECT_EQ(verdict.outcome, Outcome::Violated);
  EXPECT_EQ(way_of(verdict), "0 1 2 |");
}

TEST(Wander, TellsWhatGoesRoundForEver) {
  Drawn model({
      {0, 1},
      {1, 2},
      {2, 1}
  });
  model.wanted.leads_to(
      "three", [](unsigned state) { return state == 0; },
      [](unsigned state) { return state == 3; });

  const auto verdict = walked(model);

  EXPECT_EQ(verdict.outcome, Outcome::Violated);
  EXPECT_THAT(way_of(verdict), testing::MatchesRegex("0 1( 2( 1)?)? [|] [12] [12]"));
}

// A loop that somebody fair can leave is left; people need do nothing.
TEST(Wander, WaitsForWhoIsFairAndForNobodyElse) {
  const auto three = [](Drawn model) {
    model.wanted.eventually_stable(
        "three", [](unsigned) { return true; }, [](unsigned state) { return state == 3; });
    return walked(model, 300);
  };

  EXPECT_EQ(three(Drawn({
                      {0, 1, kMachine},
                      {1, 0, kMachine},
                      {1, 3, kMachine}
  }))
                .outcome,
            Outcome::Unknown);
  EXPECT_EQ(three(Drawn({
                      {0, 1, kMachine},
                      {1, 0, kMachine},
                      {1, 3, kPerson }
  }))
                .outcome,
            Outcome::Violated);
}

TEST(Wander, SaysThatItProvesNothing) {
  const auto result = wander(TwoPhase{3}, walks(200));

  EXPECT_EQ(result.incomplete, "a sample");
  EXPECT_GT(result.distinct, 200U);
  EXPECT_LE(result.distinct, 288U);  // there are no more
  EXPECT_EQ(result.walks->done, 200U);
  for (const auto& verdict : result.verdicts) {
    EXPECT_EQ(verdict.outcome,
              verdict.kind == PropertyKind::Sometimes ? Outcome::Holds : Outcome::Unknown)
        << verdict.name;
  }
}

TEST(Wander, IsTheSameWithTheSameSeedAndAnyNumberOfWorkers) {
  auto options = walks(some_of(300), 7);
  const auto one = wander(TwoPhase{6}, options);
  options.workers = 2;
  const auto two = wander(TwoPhase{6}, options);
  const auto other = wander(TwoPhase{6}, walks(some_of(300), 8));

  EXPECT_EQ(one.digest, two.digest);
  EXPECT_EQ(one.transitions, two.transitions);
  EXPECT_EQ(one.distinct, two.distinct);
  EXPECT_NE(one.transitions, other.transitions);
}

// Steps that depend on more than the state.
class Whimsical : public Drawn {
 public:
  Whimsical()
      : Drawn({
            {0, 1},
            {1, 0}
  }) {}
  std::optional<State> next(State, Action) const { return calls_++ % 2; }
  Properties<Whimsical> properties() const { return {}; }

 private:
  mutable std::atomic<unsigned> calls_{0};
};

TEST(Wander, NoticesAModelThatIsNoFunction) {
  auto options = walks(5);
  options.execute_twice_one_in = 1;

  EXPECT_NE(wander(Whimsical{}, options).nondeterminism, "");
}

// What walks say to be violated is so; and much of what is so they find.
TEST(Wander, SaysNothingThatTheWholeGraphDoesNotSay) {
  Rng rng(11);
  std::array<int, 3> broken{};
  std::array<int, 3> found{};
  for (int round = 0; round < 200; ++round) {
    const auto picture = random_picture(rng);
    Drawn model(picture.arrows, {
                                    {"a", true },
                                    {"b", true },
                                    {"c", false}
    });
    const auto when = [=](unsigned state) { return has(picture.when, state); };
    const auto holds = [=](unsigned state) { return has(picture.holds, state); };
    model.wanted.leads_to("leads", when, holds);
    model.wanted.eventually_stable("stable", when, holds);
    model.wanted.quiescent("quiet", when,
                           [](unsigned, const auto& action, unsigned) { return action.who == 0; });

    const auto all = explore(model);
    const auto some = wander(model, walks(20, static_cast<std::uint64_t>(round)));

    for (std::size_t i = 0; i < broken.size(); ++i) {
      const bool is = all.verdicts[i].outcome == Outcome::Violated;
      const bool said = some.verdicts[i].outcome == Outcome::Violated;
      broken[i] += is ? 1 : 0;
      found[i] += said ? 1 : 0;
      EXPECT_TRUE(is || !said) << all.verdicts[i].name << " in round " << round;
    }
  }
  for (std::size_t i = 0; i < broken.size(); ++i) {
    EXPECT_GT(found[i], broken[i] / 3) << i;
    EXPECT_GT(found[i], 4) << i;
  }
}

}  // namespace
}  // namespace fixpoint::verify
