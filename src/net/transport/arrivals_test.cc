// SPDX-License-Identifier: Apache-2.0
#include "net/transport/arrivals.h"

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

using namespace std::chrono_literals;

// How many wake-ups, so far apart, it takes until the wire looks by itself; 0: it never does.
int wakes_needed(Arrivals& arrivals, Duration apart) {
  MonotonicInstant at{1h};
  for (int wake = 1; wake <= 1000; ++wake) {
    if (arrivals.woken(at)) return wake;
    at += apart;
  }
  return 0;
}

TEST(Arrivals, ManyInAShortTimeAreLookedForInsteadOfWakingAnybody) {
  Arrivals busy;
  EXPECT_EQ(wakes_needed(busy, 5ms), 16);
}

TEST(Arrivals, FewAreWokenForHoweverLongItGoesOn) {
  Arrivals calm;
  EXPECT_EQ(wakes_needed(calm, 25ms), 0);
}

TEST(Arrivals, PiecesOfOneLargeAnswerAreWokenFor) {
  Arrivals list;
  EXPECT_EQ(wakes_needed(list, 100us), 0);
}

TEST(Arrivals, AreLookedForUntilNothingWasFoundAFewTimesInARow) {
  Arrivals arrivals;

  for (int i = 0; i < 4; ++i) EXPECT_TRUE(arrivals.looked(false));
  EXPECT_TRUE(arrivals.looked(true));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(arrivals.looked(false));
  EXPECT_FALSE(arrivals.looked(false));
}

}  // namespace
}  // namespace fixpoint::net
