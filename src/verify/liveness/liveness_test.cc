// SPDX-License-Identifier: Apache-2.0
//
// The liveness checker against a naive one, on random drawings: every set of states that a run
// could visit for ever is tried.
#include "verify/liveness/liveness.h"

#include "base/rng.h"
#include "base/thoroughness_for_tests.h"
#include "verify/drawn_fixture.h"

#include <array>
#include <bitset>
#include <set>

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

// The places reachable from one inside a set.
unsigned reach(const Picture& picture, unsigned from, unsigned inside) {
  unsigned seen = has(inside, from) ? 1U << from : 0;
  for (unsigned before = 0; before != seen;) {
    before = seen;
    for (const auto& arrow : picture.arrows) {
      if (has(seen, arrow.from) && has(inside, arrow.to)) seen |= 1U << arrow.to;
    }
  }
  return seen;
}

// Whether a run can visit exactly these places for ever.
bool can_stay(const Picture& picture, unsigned set) {
  for (unsigned place = 0; place < kPlaces; ++place) {
    if (has(set, place) && reach(picture, place, set) != set) return false;
  }
  return set != 0;
}

bool fair(const Picture& picture, unsigned set) {
  for (ActorId actor = 0; actor + 1U < kActors; ++actor) {
    unsigned enabled = 0;
    bool acts = false;
    for (const auto& arrow : picture.arrows) {
      if (arrow.who != actor) continue;
      enabled |= 1U << arrow.from;
      acts |= has(set, arrow.from) && has(set, arrow.to);
    }
    if (!acts && (set & ~enabled) == 0) return false;
  }
  return true;
}

bool has_step_by(const Picture& picture, unsigned set, ActorId actor) {
  return std::ranges::any_of(picture.arrows, [&](const auto& arrow) {
    return arrow.who == actor && has(set, arrow.from) && has(set, arrow.to);
  });
}

struct Naive {
  bool leads_to = true;
  bool stable = true;
  bool quiescent = true;
};

Naive naive(const Picture& picture) {
  const unsigned everywhere = (1U << kPlaces) - 1;
  const unsigned reachable = reach(picture, 0, everywhere);
  // Everything that is reached from a place of `when` without a place of `holds`.
  unsigned pending = 0;
  for (unsigned place = 0; place < kPlaces; ++place) {
    if (has(reachable & picture.when & ~picture.holds, place)) {
      pending |= reach(picture, place, everywhere & ~picture.holds);
    }
  }
  Naive verdict;
  for (unsigned set = 1; set <= everywhere; ++set) {
    if ((set & ~reachable) != 0 || !can_stay(picture, set) || !fair(picture, set)) continue;
    if ((set & ~pending) == 0) verdict.leads_to = false;
    if ((set & ~picture.when) != 0) continue;
    if ((set & ~picture.holds) != 0) verdict.stable = false;
    if (has_step_by(picture, set, 0)) verdict.quiescent = false;
  }
  return verdict;
}

// What a counterexample claims, checked step by step.
void expect_fair_loop(const Picture& picture, const Verdict& verdict) {
  ASSERT_TRUE(verdict.trace && verdict.trace->loop_from);
  unsigned at = 0;
  unsigned loop = 0;
  std::set<ActorId> acted;
  const auto& steps = verdict.trace->steps;
  if (*verdict.trace->loop_from == steps.size()) loop = 0;
  unsigned entry = 0;
  for (std::size_t i = 0; i <= steps.size(); ++i) {
    if (i == *verdict.trace->loop_from) entry = at;
    if (i >= *verdict.trace->loop_from) loop |= 1U << at;
    if (i == steps.size()) break;
    const auto to = static_cast<unsigned>(steps[i].action.back() - '0');
    const auto arrow = std::ranges::find_if(picture.arrows, [&](const auto& one) {
      return one.from == at && one.to == to &&
             steps[i].actor == std::string(1, char('a' + one.who));
    });
    ASSERT_NE(arrow, picture.arrows.end());
    if (i >= *verdict.trace->loop_from) acted.insert(arrow->who);
    at = to;
  }
  EXPECT_EQ(at, entry);
  for (ActorId actor = 0; actor + 1U < kActors; ++actor) {
    unsigned enabled = 0;
    for (const auto& arrow : picture.arrows) {
      if (arrow.who == actor) enabled |= 1U << arrow.from;
    }
    EXPECT_TRUE(acted.contains(actor) || (loop & ~enabled) != 0);
  }
}

TEST(Liveness, AgreesWithANaiveCheckerOnRandomGraphs) {
  Rng rng(7);
  std::array<int, 3> broken{};
  std::array<int, 3> kept{};
  for (int round = 0; round < some_of(3'000); ++round) {
    const Picture picture = random_picture(rng);
    Drawn model(picture.arrows, {
                                    {"a", true },
                                    {"b", true },
                                    {"c", false}
    });
    const auto when = [&](unsigned state) { return has(picture.when, state); };
    const auto holds = [&](unsigned state) { return has(picture.holds, state); };
    model.wanted.leads_to("leads", when, holds);
    model.wanted.eventually_stable("stable", when, holds);
    model.wanted.quiescent("quiet", when,
                           [](unsigned, const auto& action, unsigned) { return action.who == 0; });
    const Naive expected = naive(picture);

    const auto result = explore(model);

    const std::array holds_there{expected.leads_to, expected.stable, expected.quiescent};
    for (std::size_t i = 0; i < holds_there.size(); ++i) {
      const auto& verdict = result.verdicts[i];
      if (verdict.outcome == Outcome::Vacuous) continue;
      ASSERT_EQ(verdict.outcome == Outcome::Holds, holds_there[i])
          << verdict.name << " in round " << round;
      ++(holds_there[i] ? kept : broken)[i];
      if (!holds_there[i]) expect_fair_loop(picture, verdict);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(broken[i], some_of(200));
    EXPECT_GT(kept[i], some_of(200));
  }
}

}  // namespace
}  // namespace fixpoint::verify
