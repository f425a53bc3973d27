// SPDX-License-Identifier: Apache-2.0
#include "runtime/virtual_scheduler.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

TEST(VirtualScheduler, RunsTasksByTimeAndThoseOfOneInstantInTheOrderAsked) {
  VirtualScheduler scheduler;
  std::string ran;
  scheduler.after(2s, [&] { ran += 'c'; });
  scheduler.after(1s, [&] { ran += 'a'; });
  scheduler.after(1s, [&] { ran += 'b'; });

  scheduler.advance(1s);
  EXPECT_EQ(ran, "ab");
  scheduler.advance(1s);
  EXPECT_EQ(ran, "abc");
}

TEST(VirtualScheduler, RunsWhatBecomesDueOnTheWayAtItsOwnTime) {
  VirtualScheduler scheduler;
  const auto start = scheduler.now();
  Duration second{};
  scheduler.after(1s, [&] { scheduler.after(1s, [&] { second = scheduler.now() - start; }); });

  scheduler.advance(5s);

  EXPECT_EQ(second, 2s);
  EXPECT_EQ(scheduler.now() - start, 5s);
}

TEST(VirtualScheduler, ForgetsWhatIsCancelled) {
  VirtualScheduler scheduler;
  bool ran = false;
  const auto timer = scheduler.after(1s, [&] { ran = true; });

  scheduler.cancel(timer);
  scheduler.advance(2s);

  EXPECT_FALSE(ran);
  EXPECT_EQ(scheduler.pending(), 0U);
}

TEST(VirtualScheduler, LetsTheWallJumpWithoutMovingMonotonicTime) {
  VirtualScheduler scheduler;
  const auto wall = scheduler.wall();
  const auto now = scheduler.now();

  scheduler.step_wall(-1h);

  EXPECT_EQ(scheduler.wall(), wall - 1h);
  EXPECT_EQ(scheduler.now(), now);
}

}  // namespace
}  // namespace fixpoint::runtime
