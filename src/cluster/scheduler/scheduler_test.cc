// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/scheduler.h"

#include "cluster/loop_fixture.h"
#include "kube/meta/metadata.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::scheduler {
namespace {

using std::chrono::seconds;

class SchedulerLoop : public LoopFixture {
 protected:
  SchedulerLoop() {
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
  }

  void add_node(std::string_view name, std::string_view spec = "") {
    const auto made = create(
        "/api/v1/nodes",
        fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},
          "spec":{{{1}}},"status":{{"allocatable":{{"cpu":"2","memory":"4Gi","pods":"10"}},
            "capacity":{{"cpu":"2","memory":"4Gi","pods":"10"}}}}}})",
                    name, spec));
    ASSERT_TRUE(made.ok()) << message(made);
    // A new node is tainted until it is known to be ready.
    patch(fmt::format("/api/v1/nodes/{}", name), R"({"spec":{"taints":null}})");
  }
  void add_pod(std::string_view name, std::string_view cpu = "1", std::string_view spec = "") {
    const auto made =
        create("/api/v1/namespaces/ns/pods",
               fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}"containers":[{{"name":"c",
          "image":"i","resources":{{"requests":{{"cpu":"{}"}}}}}}]}}}})",
                           name, spec, cpu));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  json::Value pod(std::string_view name) {
    return get(fmt::format("/api/v1/namespaces/ns/pods/{}", name)).body;
  }
  std::string node_of(std::string_view name) {
    const auto found = pod(name);
    return std::string{found.get("spec", "nodeName").as_string()};
  }
  std::string why(std::string_view name) {
    const auto found = pod(name);
    return std::string{kube::condition_of(found, "PodScheduled").get("message").as_string()};
  }
  // Reason, message and count of the Events about a pod.
  std::vector<std::string> events(std::string_view name) {
    std::vector<std::string> said;
    store_.latest().scan("events/ns/", {}, [&](const store::RecordRef& record) {
      const json::View event = record->body;
      if (event.get("involvedObject", "name").as_string() == name) {
        said.push_back(fmt::format("{} {} {} x{}", event.get("type").as_string(),
                                   event.get("reason").as_string(),
                                   event.get("message").as_string(), event.get("count").as_int()));
      }
      return true;
    });
    return said;
  }
};

TEST_F(SchedulerLoop, APodGetsANodeAndAnEventSaysWhich) {
  add_node("n");
  add_pod("p");
  settle();

  EXPECT_EQ(node_of("p"), "n");
  const json::Value placed = pod("p");
  EXPECT_TRUE(kube::condition_is_true(placed, "PodScheduled"));
  EXPECT_EQ(events("p"),
            std::vector<std::string>{"Normal Scheduled Successfully assigned ns/p to n x1"});
}

TEST_F(SchedulerLoop, APodThatFitsNowhereSaysWhyOnceAndGoesWhenThereIsRoom) {
  add_node("n");
  add_pod("p", "8");
  settle();
  const auto said = why("p");
  const auto version = meta(get("/api/v1/namespaces/ns/pods/p"), "resourceVersion");
  settle();

  EXPECT_EQ(said,
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
            "Preemption is not helpful for scheduling.");
  const json::Value waiting = pod("p");
  EXPECT_EQ(kube::condition_of(waiting, "PodScheduled").get("reason").as_string(), "Unschedulable");
  EXPECT_EQ(meta(get("/api/v1/namespaces/ns/pods/p"), "resourceVersion"), version);
  EXPECT_EQ(events("p"), std::vector<std::string>{"Warning FailedScheduling " + said + " x1"});

  patch("/api/v1/nodes/n/status",
        R"({"status":{"allocatable":{"cpu":"9"},"capacity":{"cpu":"9"}}})");
  settle();
  EXPECT_EQ(node_of("p"), "");  // its pause is not over
  clock_.advance(seconds(1));
  settle();
  EXPECT_EQ(node_of("p"), "n");
}

TEST_F(SchedulerLoop, HeartbeatsOfNodesDoNotTroublePodsThatWait) {
  add_node("n");
  add_pod("p", "8");
  settle();
  clock_.advance(seconds(60));
  patch(
      "/api/v1/nodes/n/status",
      R"({"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z"}]}})");
  settle();

  EXPECT_EQ(events("p").size(), 1U);
  EXPECT_NE(events("p")[0].find("x1"), std::string::npos);
  EXPECT_FALSE(controllers_.wakes() && *controllers_.wakes() <= clock_.wall());
}

TEST_F(SchedulerLoop, TheMoreImportantPodGoesFirst) {
  create("/apis/scheduling.k8s.io/v1/priorityclasses",
         R"({"metadata":{"name":"high"},"value":1000})");
  add_pod("low", "2");
  add_pod("high", "2", R"("priorityClassName":"high",)");
  settle();  // no node yet
  add_node("n");
  clock_.advance(seconds(2));
  settle();

  EXPECT_EQ(node_of("high"), "n");
  EXPECT_EQ(node_of("low"), "");
}

TEST_F(SchedulerLoop, AGatedPodWaitsUntilTheLastGateIsGone) {
  add_node("n");
  add_pod("p", "1", R"("schedulingGates":[{"name":"example.com/g"}],)");
  settle();
  EXPECT_EQ(node_of("p"), "");

  patch("/api/v1/namespaces/ns/pods/p", R"({"spec":{"schedulingGates":null}})");
  settle();
  EXPECT_EQ(node_of("p"), "n");
}

TEST_F(SchedulerLoop, PodsOfOtherSchedulersAndPodsWithANodeAreLeftAlone) {
  add_node("n");
  add_pod("other", "1", R"("schedulerName":"mine",)");
  add_pod("given", "1", R"("nodeName":"elsewhere",)");
  settle();

  EXPECT_EQ(node_of("other"), "");
  EXPECT_EQ(node_of("given"), "elsewhere");
  EXPECT_TRUE(events("other").empty() && events("given").empty());
}

TEST_F(SchedulerLoop, ARestartedSchedulerCountsWhatIsThere) {
  add_node("n");
  add_pod("a", "2");
  settle();
  controllers_ = Controllers::of_cluster("authority");
  begun_ = false;
  add_pod("b", "1");
  settle();

  EXPECT_EQ(node_of("b"), "");
  EXPECT_NE(why("b").find("Insufficient cpu"), std::string::npos);
}

TEST_F(SchedulerLoop, AMissingClaimIsNamedAndItsComingHelpsAtOnce) {
  add_node("n");
  add_pod("p", "1", R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}],)");
  settle();

  EXPECT_EQ(why("p"),
            "0/1 nodes are available: persistentvolumeclaim \"data\" not found. preemption: 0/1 "
            "nodes are available: 1 Preemption is not helpful for scheduling.");
}

}  // namespace
}  // namespace fixpoint::cluster::scheduler
