// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include "base/rfc3339.h"

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using namespace std::chrono_literals;

TEST(VirtualClock, StandsStillUntilItIsAdvanced) {
  VirtualClock clock;

  EXPECT_EQ(format_seconds(clock.wall()), "2026-01-01T00:00:00Z");
  EXPECT_EQ(clock.wall(), clock.wall());
  EXPECT_EQ(clock.monotonic(), clock.monotonic());
}

TEST(VirtualClock, MovesBothClocksTogether) {
  VirtualClock clock;
  const auto wall = clock.wall();
  const auto monotonic = clock.monotonic();

  clock.advance(90s);
  clock.advance(1ns);

  EXPECT_EQ(clock.wall() - wall, 90s + 1ns);
  EXPECT_EQ(clock.monotonic() - monotonic, 90s + 1ns);
}

TEST(VirtualClockDeathTest, NeverGoesBack) {
  VirtualClock clock;
  EXPECT_DEATH(clock.advance(-1ns), "broken invariant");
}

TEST(SystemClock, ReadsTheMachine) {
  const SystemClock clock;
  const auto before = std::chrono::system_clock::now();
  const auto first = clock.monotonic();

  EXPECT_GE(clock.wall(), before - 1h);  // the wall clock may step, but hardly by an hour here
  EXPECT_GE(clock.monotonic(), first);
}

}  // namespace
}  // namespace fixpoint
