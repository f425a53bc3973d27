// SPDX-License-Identifier: Apache-2.0
//
// Our controllers of workloads beside those of a real kube-controller-manager.
#include "tests/conformance/workloads.h"

#include "json/patch/diff.h"
#include "json/print.h"
#include "tests/conformance/local.h"
#include "tests/conformance/real_cluster.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

constexpr auto kPlayControllers =
    "deployment-controller,replicaset-controller,replicationcontroller-controller,"
    "statefulset-controller,garbage-collector-controller,resourcequota-controller,"
    "persistentvolumeclaim-protection-controller,job-controller,daemonset-controller,"
    "disruption-controller,cronjob-controller,ttl-after-finished-controller,"
    "horizontal-pod-autoscaler-controller";
// A real controller hears of a change after milliseconds; on a busy machine, after some more.
constexpr auto kRealPlayQuiet = std::chrono::milliseconds(1500);
constexpr auto kOurPlayQuiet = std::chrono::milliseconds(300);
constexpr auto kPatientQuiet = std::chrono::seconds(6);
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

using Differences = std::vector<std::string>;

Differences differences_at_rest(const Performance& real, const Performance& ours) {
  Differences found;
  for (std::size_t i = 0; i < std::min(real.rests.size(), ours.rests.size()); ++i) {
    const auto& after = real.rests[i].after;
    if (after != ours.rests[i].after) return {"real is after " + after + " when ours is not"};
    for (const auto& change : json::diff(real.rests[i].picture, ours.rests[i].picture)) {
      found.push_back(fmt::format("after {}, real to ours: {}", after, to_text(change)));
    }
    // What follows would only repeat it.
    if (!found.empty()) return found;
  }
  if (real.rests.size() != ours.rests.size()) found.emplace_back("one rests more often");
  return found;
}

Differences differences(const Play& play, const Performance& real, const Performance& ours) {
  Differences found;
  for (const auto& problem : real.problems) found.push_back("real: " + problem);
  for (const auto& problem : ours.problems) found.push_back("ours: " + problem);
  for (auto& one : differences_at_rest(real, ours)) found.push_back(std::move(one));
  if (!found.empty()) return found;
  if (real.told != ours.told) {
    found.push_back(fmt::format("real tells {}\nours tells {}", testing::PrintToString(real.told),
                                testing::PrintToString(ours.told)));
  }
  if (!play.bounds) return found;
  for (const auto* one : {&real, &ours}) {
    if (one->wanted_max > play.bounds->wanted_max || one->ready_min < play.bounds->ready_min) {
      found.push_back(fmt::format("{} is out of bounds: {} wanted, {} ready",
                                  one == &real ? "real" : "ours", one->wanted_max, one->ready_min));
    }
  }
  return found;
}

TEST(Workloads, RestInTheStatesThatTheyRestInOnARealCluster) {
  auto cluster = RealCluster::start(kPlayControllers);
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::All};
  const auto all = chosen();

  const auto ours = perform_all(local.endpoint(), all, kOurPlayQuiet);
  const auto real = perform_all((*cluster)->endpoint(), all, kRealPlayQuiet);

  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("{}: {}; {} states of rest, {} sorts of event\n", all[i].name, all[i].says,
               real[i].rests.size(), real[i].told.size());
    auto found = differences(all[i], real[i], ours[i]);
    if (!found.empty()) {
      // On a crowded machine a real controller may pause for longer than we wait, and look as if it
      // rested: once more, alone and with patience.
      fmt::print("  played again: {}\n", fmt::join(found, "\n  "));
      const auto server = make_http_server((*cluster)->endpoint());
      found = differences(all[i], perform(*server, all[i], kPatientQuiet), ours[i]);
    }
    for (const auto& one : found) ADD_FAILURE() << all[i].name << ": " << one;
  }
}

}  // namespace
}  // namespace fixpoint::conformance
