// SPDX-License-Identifier: Apache-2.0
#include "base/ref.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

// Counts how many are alive, so that a leak and a double free both show.
struct Counted : RefCounted {
  explicit Counted(int& alive_count, int v = 0) : value(v), alive(&alive_count) { ++*alive; }
  Counted(const Counted& other) : RefCounted(other), value(other.value), alive(other.alive) {
    ++*alive;
  }
  ~Counted() { --*alive; }
  Counted& operator=(const Counted&) = delete;

  int value;
  int* alive;
};

TEST(Ref, FreesWhenTheLastHolderLetsGo) {
  int alive = 0;
  {
    auto first = make_ref<Counted>(alive);
    {
      const Ref<Counted> second = first;
      EXPECT_FALSE(first->unique());
    }
    EXPECT_TRUE(first->unique());
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ref, MovingDoesNotCount) {
  int alive = 0;
  auto first = make_ref<Counted>(alive, 7);

  const Ref<Counted> second = std::move(first);

  EXPECT_FALSE(first);  // NOLINT: a moved-from Ref is empty, by contract
  EXPECT_TRUE(second->unique());
  EXPECT_EQ(second->value, 7);
}

TEST(Ref, AssignmentLetsGoOfTheOldAndSurvivesItself) {
  int alive = 0;
  auto a = make_ref<Counted>(alive, 1);
  const auto b = make_ref<Counted>(alive, 2);

  a = b;
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(a, b);

  const auto& same = a;
  a = same;
  EXPECT_EQ(a->value, 2);

  a = Ref<Counted>{};
  EXPECT_FALSE(a);
  EXPECT_EQ(alive, 1);
}

TEST(Ref, WidensToConst) {
  int alive = 0;
  const auto changeable = make_ref<Counted>(alive, 3);

  const Ref<const Counted> fixed = changeable;

  EXPECT_EQ(fixed.get(), changeable.get());
  EXPECT_FALSE(changeable->unique());
}

TEST(Ref, ACopyOfTheObjectHasItsOwnHolders) {
  int alive = 0;
  const auto original = make_ref<Counted>(alive, 3);
  const Ref<Counted> holder = original;

  const auto copy = make_ref<Counted>(*original);

  EXPECT_TRUE(copy->unique());
  EXPECT_EQ(alive, 2);
}

TEST(Ref, IsSharedBetweenThreads) {
  int alive = 0;
  {
    const auto shared = make_ref<Counted>(alive);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([mine = shared] {
        for (int i = 0; i < 10'000; ++i) const Ref<Counted> copy = mine;
      });
    }
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace fixpoint
