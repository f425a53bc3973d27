// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/queue.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::cluster::scheduler {
namespace {

using Taken = std::optional<std::string>;

// Three pods that found no node.
class WaitingPods : public testing::Test {
 protected:
  WaitingPods() {
    for (const auto* key : {"near", "mounts", "large"}) queue_.add(key, 0);
    while (const auto key = queue_.take(then_)) {
      queue_.wait(*key, {.neighbours = *key == "near", .volumes = *key == "mounts"}, then_);
    }
  }
  Taken take() { return queue_.take(then_ + Queue::kLongestPause); }

  Instant then_{};
  Queue queue_;
};

TEST_F(WaitingPods, ComeBackWhenAChangeMayHelpThem) {
  EXPECT_EQ(take(), Taken{});

  queue_.stir(Change::Neighbours);
  EXPECT_EQ(take(), Taken{"near"});
  EXPECT_EQ(take(), Taken{});

  queue_.stir(Change::Volumes);
  EXPECT_EQ(take(), Taken{"mounts"});
  EXPECT_EQ(take(), Taken{});

  queue_.stir(Change::Room);
  EXPECT_EQ(take(), Taken{"large"});
  EXPECT_EQ(take(), Taken{});
}

TEST_F(WaitingPods, RoomMayHelpEverybody) {
  queue_.stir(Change::Room);

  EXPECT_EQ(take(), Taken{"near"});
  EXPECT_EQ(take(), Taken{"mounts"});
  EXPECT_EQ(take(), Taken{"large"});
}

TEST_F(WaitingPods, ThatAreGoneAreNotBroughtBack) {
  queue_.remove("near");
  queue_.stir(Change::Neighbours);

  EXPECT_EQ(take(), Taken{});
}

}  // namespace
}  // namespace fixpoint::cluster::scheduler
