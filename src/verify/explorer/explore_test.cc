// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/explore.h"

#include "base/thoroughness_for_tests.h"
#include "verify/explorer/mix.h"
#include "verify/models/search.h"

#include <atomic>

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

// A cube of states that is walked along its edges, and a place in it that must not be reached.
class Cube {
 public:
  struct State {
    std::uint8_t at[3] = {};
  };
  using Action = std::uint8_t;  // the axis
  static constexpr std::uint8_t kSide = 24;

  std::vector<State> initial() const { return {{}}; }
  void actions(const State&, std::vector<Action>& out) const { out.assign({0, 1, 2}); }
  std::optional<State> next(State state, Action axis) const {
    if (++state.at[axis] == kSide) return std::nullopt;
    return state;
  }
  Hash128 fingerprint(const State& state) const {
    return mix128(state.at[0] | std::uint64_t{state.at[1]} << 8 | std::uint64_t{state.at[2]} << 16);
  }
  std::vector<Actor> actors() const {
    return {
        {"walker", true}
    };
  }
  ActorId actor(Action) const { return 0; }
  std::string describe(Action axis) const { return "along " + std::to_string(axis); }
  Telling tell(const State&, Action axis, const State&) const {
    return {.from = "walker", .asks = describe(axis)};
  }
  Properties<Cube> properties() const {
    Properties<Cube> all;
    all.never("far-away", [](const State& state) {
      return state.at[0] == 20 && state.at[1] == 19 && state.at[2] == 18;
    });
    if (with_liveness) {
      all.leads_to(
          "ends", [](const State&) { return true; },
          [](const State& state) {
            return state.at[0] + state.at[1] + state.at[2] == 3 * (kSide - 1);
          });
    }
    return all;
  }

  bool with_liveness = false;
};

// What a clock or a hash map would do to a model.
class Fickle {
 public:
  using State = unsigned;
  using Action = unsigned;

  std::vector<State> initial() const { return {0}; }
  void actions(State state, std::vector<Action>& out) const {
    if (state < 100) out.push_back(1);
  }
  std::optional<State> next(State state, Action) const { return state + 1 + calls_++ % 2; }
  Hash128 fingerprint(State state) const { return mix128(state); }
  std::vector<Actor> actors() const {
    return {
        {"clock", true}
    };
  }
  ActorId actor(Action) const { return 0; }
  std::string describe(Action) const { return "ticks"; }
  Telling tell(State, Action, State) const { return {}; }
  Properties<Fickle> properties() const { return {}; }

 private:
  mutable std::atomic<unsigned> calls_{0};
};

// Two-phase commit with a question that needs the graph.
class Asked : public TwoPhase {
 public:
  explicit Asked(const TwoPhase& model) : TwoPhase(model) {}
  Properties<Asked> properties() const {
    Properties<Asked> all;
    all.leads_to("trivial", [](State) { return true; }, [](State) { return true; });
    return all;
  }
};

// Gives its successors in one go, and forgets one of them.
class Forgetful : public Fickle {
 public:
  std::optional<State> next(State state, Action) const { return state + 1; }
  template <class Sink>
  void successors(State state, const Sink& sink) const {
    if (state < 50) sink(Action{1}, state + 1);
  }
  Properties<Forgetful> properties() const { return {}; }
};

std::vector<std::uint32_t> actions_of(const Verdict& verdict) {
  std::vector<std::uint32_t> actions;
  if (!verdict.trace) return actions;
  for (const auto& step : verdict.trace->steps) actions.push_back(step.action_index);
  return actions;
}

TEST(Explore, FindsThePublishedNumbersOfTwoPhaseCommit) {
  const auto three = explore(TwoPhase{3});
  const auto five = explore(TwoPhase{5});

  EXPECT_EQ(three.distinct, 288U);
  EXPECT_EQ(three.transitions + 1, 1'146U);
  EXPECT_EQ(three.depth, 11U);
  EXPECT_EQ(five.distinct, 8'832U);
  EXPECT_EQ(five.transitions + 1, 58'146U);
  EXPECT_EQ(five.depth, 17U);
}

TEST(Explore, FindsTheSameWithAnyNumberOfWorkers) {
  const TwoPhase model{kSanitized ? 6U : 7U};
  const auto one = explore(model, {.workers = 1});
  const auto two = explore(model, {.workers = 2});
  const auto five = explore(model, {.workers = 5});

  EXPECT_EQ(one.distinct, kSanitized ? 50'816U : 296'448U);
  for (const auto* other : {&two, &five}) {
    EXPECT_EQ(one.distinct, other->distinct);
    EXPECT_EQ(one.transitions, other->transitions);
    EXPECT_EQ(one.depth, other->depth);
    EXPECT_EQ(one.executed_twice, other->executed_twice);
  }
  EXPECT_GT(one.executed_twice, 1'000U);
  EXPECT_EQ(one.nondeterminism, "");
}

TEST(Explore, FindsTheSameShortestWayHoweverItLooks) {
  const auto plain = explore(Cube{}, {.workers = 1});
  const auto expected = actions_of(plain.verdicts[0]);
  EXPECT_EQ(plain.distinct, 24U * 24 * 24);
  EXPECT_EQ(expected.size(), 57U);
  for (const bool with_liveness : {false, true}) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      const auto other = explore(Cube{.with_liveness = with_liveness}, {.workers = workers});

      EXPECT_EQ(other.distinct, plain.distinct);
      EXPECT_EQ(other.depth, plain.depth);
      EXPECT_EQ(actions_of(other.verdicts[0]), expected);
      if (!with_liveness) continue;
      EXPECT_EQ(other.verdicts[1].outcome, Outcome::Holds);
    }
  }
}

TEST(Explore, StopsAtTheFirstViolationWhenAsked) {
  const auto one = explore(Cube{.with_liveness = true}, {.workers = 1, .stop_at_violation = true});
  const auto two = explore(Cube{.with_liveness = true}, {.workers = 2, .stop_at_violation = true});

  EXPECT_EQ(one.incomplete, "stopped at the first violation");
  EXPECT_EQ(one.verdicts[0].outcome, Outcome::Violated);
  EXPECT_EQ(one.verdicts[1].outcome, Outcome::Unknown);
  EXPECT_LT(one.distinct, 24U * 24 * 24);
  EXPECT_EQ(one.distinct, two.distinct);
}

TEST(Explore, SaysSoWhenALimitEndsIt) {
  const auto late = explore(TwoPhase{5}, {.time_limit = Duration{}});
  const auto large = explore(TwoPhase{5}, {.memory_bytes_max = 1});

  EXPECT_EQ(late.incomplete, "time limit: 0 s");
  EXPECT_EQ(large.incomplete, "memory bound: 0 MiB");
  for (const auto* result : {&late, &large}) {
    EXPECT_LT(result->distinct, 8'832U);
    EXPECT_EQ(result->verdicts[0].outcome, Outcome::Unknown);
  }
}

TEST(Explore, NoticesAModelThatIsNoFunctionOfItsStates) {
  const auto result = explore(Fickle{}, {.execute_twice_one_in = 1});

  EXPECT_EQ(result.nondeterminism, "ticks");
}

TEST(Explore, NoticesSuccessorsThatAreNotThoseOfTheActions) {
  const auto result = explore(Forgetful{}, {.execute_twice_one_in = 1});

  EXPECT_EQ(result.nondeterminism, "its successors");
}

// The same states, also where they are many enough for several rounds of several crowds.
TEST(Explore, FindsTheSameStatesWhateverIsKeptOfThem) {
  const auto plain = explore(TwoPhase{6}, {.workers = 2});
  const auto with_graph = explore(Asked{TwoPhase{6}}, {.workers = 2});

  EXPECT_EQ(plain.distinct, with_graph.distinct);
  EXPECT_EQ(plain.transitions, with_graph.transitions);
  EXPECT_EQ(plain.depth, with_graph.depth);
  EXPECT_EQ(plain.digest, with_graph.digest);
}

}  // namespace
}  // namespace fixpoint::verify
