// SPDX-License-Identifier: Apache-2.0
//
// The loops of a cluster beside those of a real kube-controller-manager: every object lives the
// same life, and what must end first ends first.
#include "tests/conformance/loops.h"

#include "tests/conformance/campaign.h"
#include "tests/conformance/real_cluster.h"

#include <algorithm>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

constexpr auto kLoopControllers =
    "garbage-collector-controller,namespace-controller,serviceaccount-controller";

bool ends_before(const Lives& lives, const std::string& first, const std::string& second) {
  const auto a = std::ranges::find(lives.ended, first);
  const auto b = std::ranges::find(lives.ended, second);
  return a != lives.ended.end() && b != lives.ended.end() && a < b;
}

void compare_lives(const Situation& situation, const Lives& real, const Lives& ours) {
  fmt::print("{}: {}\n", situation.name, situation.says);
  for (const auto& [object, life] : real.objects) {
    fmt::print("  {:<24} {}\n", object, to_text(life));
    const auto own = ours.objects.find(object);
    ASSERT_NE(own, ours.objects.end()) << object << " was never seen on ours";
    EXPECT_EQ(to_text(life), to_text(own->second)) << object;
    if (life.size() != own->second.size()) continue;
    for (std::size_t i = 0; i < life.size(); ++i) {
      for (const auto& change : json::diff(life[i], own->second[i])) {
        ADD_FAILURE() << object << ", state " << i + 1 << ", real to ours: " << to_text(change);
      }
    }
  }
  EXPECT_EQ(real.objects.size(), ours.objects.size());
  for (const auto& [first, second] : situation.ends_before) {
    EXPECT_TRUE(ends_before(real, first, second)) << "real: " << first << " before " << second;
    EXPECT_TRUE(ends_before(ours, first, second)) << "ours: " << first << " before " << second;
  }
}

// Loops take their time and none of ours: all situations at once.
std::vector<Lives> live_through_all(const Endpoint& endpoint,
                                    const std::vector<Situation>& situations) {
  std::vector<Lives> lives(situations.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < situations.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto server = make_http_server(endpoint);
      lives[i] = live_through(*server, situations[i]);
    });
  }
  for (auto& thread : threads) thread.join();
  return lives;
}

TEST(BuiltInLoops, EveryObjectLivesTheLifeItHasOnARealCluster) {
  auto cluster = RealCluster::start(kLoopControllers);
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::Api};
  const auto all = situations();

  const auto real = live_through_all((*cluster)->endpoint(), all);
  const auto ours = live_through_all(local.endpoint(), all);

  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name);
    compare_lives(all[i], real[i], ours[i]);
  }
}

}  // namespace
}  // namespace fixpoint::conformance
