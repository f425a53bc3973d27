// SPDX-License-Identifier: Apache-2.0
//
// kill -9 of a cluster while its pods change: whatever was declared last is what runs once it is
// back, each pod is one process and no process is without a pod. FIXPOINT_KILLS sets how often.
#include "base/rng.h"
#include "kube/meta/metadata.h"
#include "tests/integration/collections.h"
#include "tests/integration/local_processes.h"
#include "tests/integration/running_operator.h"
#include "tests/integration/running_server.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

const std::string kDeployment = kDeployments + "/fleet";
constexpr int kClusterKillsDefault = 5;
// A start of pods, with all that it writes, takes less.
constexpr std::uint64_t kLifeMillisMax = 400;

class NodeTorture : public testing::Test {
 protected:
  void start() {
    auto started = RunningServer::start(
        scratch_.path(), {"--data-dir", (scratch_.path() / "data").string(), "--nodes", "local"});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  net::Response call(std::string method, std::string target, std::string body = {}) {
    return server_->access().call(std::move(method), std::move(target), std::move(body));
  }

  void declare_first() {
    const auto made = call("POST", kDeployments,
                           fmt::format(R"({{"metadata":{{"name":"fleet"}},"spec":{{"replicas":2,
        "selector":{{"matchLabels":{{"app":"fleet"}}}},"template":{{"metadata":{{"labels":
        {{"app":"fleet"}}}},"spec":{{"terminationGracePeriodSeconds":1,"containers":[{{"name":"c",
        "image":"busybox","command":["sleep","1000"],"env":[{{"name":"NODE_TEST","value":"{}"}},
        {{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"fieldPath":"metadata.name"}}}}}}]}}]}}}}}}}})",
                                       mark()));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  // Another number of pods, or other pods; what was acknowledged is what must be.
  void declare_another() {
    const auto replicas = 1 + rng_.below(3);
    const auto patch =
        rng_.below(2) == 0
            ? fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas)
            : fmt::format(R"({{"spec":{{"replicas":{},"template":{{"metadata":{{"annotations":
                {{"change":"{}"}}}}}}}}}})",
                          replicas, ++changes_);
    const auto changed = call("PATCH", kDeployment, patch);
    ASSERT_EQ(changed.status, 200) << changed.body;
    replicas_ = static_cast<std::int64_t>(replicas);
  }

  bool settled() {
    const auto fleet = server_->access().get(kDeployment);
    const json::View status = fleet.get("status");
    return status.get("observedGeneration").as_int() == kube::generation_of(fleet) &&
           status.get("replicas").as_int() == replicas_ &&
           status.get("updatedReplicas").as_int() == replicas_ &&
           status.get("readyReplicas").as_int() == replicas_;
  }
  // How many programs each pod of this test has, by what the machine runs.
  std::map<std::string, int> programs() const {
    std::map<std::string, int> found;
    for (const int process : processes_with("NODE_TEST=" + mark())) {
      if (command_of(process) != "sleep 1000") continue;
      const auto environment =
          read_file(fmt::format("/proc/{}/environ", process)).value_or("POD_NAME=ended");
      const auto at = environment.find("POD_NAME=") + 9;
      ++found[environment.substr(at, environment.find('\0', at) - at)];
    }
    return found;
  }
  std::map<std::string, int> declared() {
    std::map<std::string, int> pods;
    const auto list = server_->access().get(kPods + "?labelSelector=app%3Dfleet");
    for (const json::View pod : list.get("items").elements()) {
      pods[std::string{kube::name_of(pod)}] = 1;
    }
    return pods;
  }
  std::string mark() const { return scratch_.path().filename().string(); }

  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
  Rng rng_{6};
  std::int64_t replicas_ = 2;
  int changes_ = 0;
};

TEST_F(NodeTorture, WhatWasDeclaredRunsAfterAKillAtAnyInstant) {
  const char* asked = std::getenv("FIXPOINT_KILLS");
  const int kills = asked == nullptr ? kClusterKillsDefault : std::atoi(asked);
  ASSERT_NO_FATAL_FAILURE(start());
  declare_first();
  for (int kill = 0; kill < kills && !HasFailure(); ++kill) {
    declare_another();
    std::this_thread::sleep_for(std::chrono::milliseconds(rng_.below(kLifeMillisMax)));
    server_->kill();
    ASSERT_NO_FATAL_FAILURE(start());
    const auto kept = server_->access().get(kDeployment);
    EXPECT_EQ(kept.get("spec", "replicas").as_int(), replicas_);
    // Sometimes the next change comes before this one is done.
    if (rng_.below(2) == 0) {
      EXPECT_TRUE(eventually([&] { return settled(); })) << call("GET", kDeployment).body;
    }
    // Two of one pod would be two with one name, one disk, one key.
    EXPECT_THAT(programs(), testing::Each(testing::Pair(testing::_, 1)));
  }
  EXPECT_TRUE(eventually([&] { return settled() && programs() == declared(); }))
      << testing::PrintToString(programs()) << " where " << testing::PrintToString(declared())
      << " is declared";

  call("DELETE", kDeployment);
  EXPECT_TRUE(eventually([&] { return declared().empty() && programs().empty(); }))
      << testing::PrintToString(programs());
}

}  // namespace
}  // namespace fixpoint
