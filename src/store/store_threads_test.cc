// SPDX-License-Identifier: Apache-2.0
//
// Forks go to other threads: each may read and write its own while all share structure. The
// assertions are modest; the thread sanitizer is the judge.
#include "store/store.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::store {
namespace {

TEST(StoreThreads, WriteTheirForksWhileOthersReadTheSameNodes) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  Store origin;
  for (int i = 0; i < 500; ++i) origin.put("k" + std::to_string(i), json::Value::integer(i));
  const Snapshot snapshot = origin.latest();
  std::vector<Hash128> prints(kThreads);

  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t, mine = origin.fork()]() mutable {
        for (int i = 0; i < kRounds; ++i) {
          Store child = mine.fork();
          child.put("k" + std::to_string((t + i) % 500), json::Value::integer(-i - 1));
          EXPECT_FALSE(child.latest() == snapshot);
          child.put("passing", json::Value::integer(i));
          child.erase("passing", json::Value::integer(0));
          EXPECT_EQ(child.at(origin.revision())->fingerprint(), snapshot.fingerprint());
          if (i % 10 == 0) mine = std::move(child);
        }
        prints[static_cast<std::size_t>(t)] = snapshot.fingerprint();
      });
    }
  }

  for (const Hash128& print : prints) EXPECT_EQ(print, origin.latest().fingerprint());
  EXPECT_EQ(origin.latest().size(), 500U);
}

}  // namespace
}  // namespace fixpoint::store
