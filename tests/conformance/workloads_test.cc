// SPDX-License-Identifier: Apache-2.0
//
// Our controllers of workloads beside those of a real kube-controller-manager.
#include "tests/conformance/workloads.h"

#include "json/diff.h"
#include "json/print.h"
#include "tests/conformance/local.h"
#include "tests/conformance/real_cluster.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

constexpr auto kControllers =
    "deployment-controller,replicaset-controller,replicationcontroller-controller,"
    "statefulset-controller,garbage-collector-controller,resourcequota-controller,"
    "persistentvolumeclaim-protection-controller,job-controller,daemonset-controller,"
    "disruption-controller,cronjob-controller,ttl-after-finished-controller,"
    "horizontal-pod-autoscaler-controller";
// A real controller hears of a change after milliseconds; on a busy machine, after some more.
constexpr auto kRealQuiet = std::chrono::milliseconds(1500);
constexpr auto kOurQuiet = std::chrono::milliseconds(300);
constexpr int kStages = 8;

// Everything, or what FIXPOINT_PLAYS names.
std::vector<Play> chosen() {
  auto all = plays();
  const char* names = std::getenv("FIXPOINT_PLAYS");
  if (names == nullptr) return all;
  const std::string wanted = fmt::format(",{},", names);
  std::erase_if(all, [&](const Play& play) {
    return wanted.find(fmt::format(",{},", play.name)) == std::string::npos;
  });
  return all;
}

// Controllers take their time: several plays at once.
std::vector<Performance> perform_all(const Endpoint& endpoint, const std::vector<Play>& all,
                                     Duration quiet) {
  std::vector<Performance> seen(all.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> stages;
  for (int i = 0; i < kStages; ++i) {
    stages.emplace_back([&] {
      const auto server = make_http_server(endpoint);
      for (std::size_t at = next++; at < all.size(); at = next++) {
        seen[at] = perform(*server, all[at], quiet);
      }
    });
  }
  for (auto& stage : stages) stage.join();
  return seen;
}

void compare(const Play& play, const Performance& real, const Performance& ours) {
  SCOPED_TRACE(std::string{play.name});
  for (const auto& problem : real.problems) ADD_FAILURE() << "real: " << problem;
  for (const auto& problem : ours.problems) ADD_FAILURE() << "ours: " << problem;
  for (std::size_t i = 0; i < std::min(real.rests.size(), ours.rests.size()); ++i) {
    ASSERT_EQ(real.rests[i].after, ours.rests[i].after);
    const auto changes = json::diff(real.rests[i].picture, ours.rests[i].picture);
    for (const auto& change : changes) {
      ADD_FAILURE() << "after " << real.rests[i].after << ", real to ours: " << to_text(change);
    }
    // What follows would only repeat it.
    if (!changes.empty()) return;
  }
  EXPECT_EQ(real.rests.size(), ours.rests.size());
  EXPECT_EQ(real.told, ours.told);
  if (!play.bounds) return;
  EXPECT_LE(real.wanted_max, play.bounds->wanted_max);
  EXPECT_GE(real.ready_min, play.bounds->ready_min);
  EXPECT_LE(ours.wanted_max, play.bounds->wanted_max);
  EXPECT_GE(ours.ready_min, play.bounds->ready_min);
}

TEST(Workloads, RestInTheStatesThatTheyRestInOnARealCluster) {
  auto cluster = RealCluster::start(kControllers);
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::All};
  const auto all = chosen();

  const auto ours = perform_all(local.endpoint(), all, kOurQuiet);
  const auto real = perform_all((*cluster)->endpoint(), all, kRealQuiet);

  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("{}: {}; {} states of rest, {} sorts of event\n", all[i].name, all[i].says,
               real[i].rests.size(), real[i].told.size());
    compare(all[i], real[i], ours[i]);
  }
}

}  // namespace
}  // namespace fixpoint::conformance
