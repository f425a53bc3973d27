// SPDX-License-Identifier: Apache-2.0
//
// The life of nodes and of the pods on them, with all loops of a cluster running.
#include "cluster/loop_fixture.h"
#include "cluster/nodes/health.h"
#include "cluster/nodes/simulation.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::nodes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class NodeLoops : public LoopFixture {
 protected:
  NodeLoops() {
    create("/api/v1/namespaces", R"({"metadata":{"name":"default"}})");
    create("/api/v1/namespaces", R"({"metadata":{"name":"kube-node-lease"}})");
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
  }

  void restart(const ClusterOptions& options) {
    controllers_ = Controllers::of_cluster("authority", options);
    begun_ = false;
    settle();
  }
  void simulate(int nodes, Duration ready_after = Duration::zero()) {
    restart({
        .simulation = {.nodes = nodes, .ready_after = ready_after}
    });
  }
  void add_node(std::string_view name) {
    const auto made =
        create("/api/v1/nodes", fmt::format(R"({{"metadata":{{"name":"{0}"}},"status":{{
          "allocatable":{{"cpu":"2","memory":"4Gi","pods":"10"}},
          "capacity":{{"cpu":"2","memory":"4Gi","pods":"10"}},
          "conditions":[{{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z",
            "lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}})",
                                            name));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  void renew(std::string_view name) {
    const auto time = format_now();
    const auto path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const auto renewed = patch(fmt::format("{}/{}", path, name),
                               fmt::format(R"({{"spec":{{"renewTime":"{}"}}}})", time));
    if (renewed.ok()) return;
    const auto made = create(
        path,
        fmt::format(
            R"({{"metadata":{{"name":"{0}"}},"spec":{{"holderIdentity":"{0}","renewTime":"{1}"}}}})",
            name, time));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  std::string format_now() const {
    const auto since =
        clock_.wall() - Instant{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    const auto all = std::chrono::duration_cast<seconds>(since).count();
    return fmt::format("2026-01-01T{:02}:{:02}:{:02}.000000Z", all / 3600, all / 60 % 60, all % 60);
  }
  void add_pod(std::string_view name, std::string_view spec = "", std::string_view metadata = "") {
    const auto made = create("/api/v1/namespaces/ns/pods",
                             fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{{}
                               "containers":[{{"name":"c","image":"i"}}]}}}})",
                                         name, metadata, spec));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  void advance(Duration by) {
    clock_.advance(by);
    settle();
  }
  json::Value pod(std::string_view name) {
    return get(fmt::format("/api/v1/namespaces/ns/pods/{}", name)).body;
  }
  std::string phase(std::string_view name) {
    const auto response = get(fmt::format("/api/v1/namespaces/ns/pods/{}", name));
    return response.ok() ? text(response, "status", "phase") : reason(response);
  }
  bool pod_ready(std::string_view name) {
    const auto found = pod(name);
    return kube::condition_is_true(found, "Ready");
  }
  std::string node_ready(std::string_view name) {
    const auto node = get(fmt::format("/api/v1/nodes/{}", name));
    return std::string{kube::condition_of(node.body, "Ready").get("status").as_string()};
  }
  // "key:effect" of a node's taints.
  std::vector<std::string> taints(std::string_view name) {
    const auto node = get(fmt::format("/api/v1/nodes/{}", name));
    std::vector<std::string> found;
    for (const auto& taint : taints_of(node.body)) found.push_back(taint.key + ":" + taint.effect);
    return found;
  }
  std::vector<std::string> events(std::string_view about) {
    std::vector<std::string> said;
    store_.latest().scan("events/", {}, [&](const store::RecordRef& record) {
      const json::View event = record->body;
      if (event.get("involvedObject", "name").as_string() == about) {
        said.push_back(fmt::format("{}: {}", event.get("reason").as_string(),
                                   event.get("message").as_string()));
      }
      return true;
    });
    return said;
  }
};

using Strings = std::vector<std::string>;

TEST_F(NodeLoops, AReadyNodeLosesTheTaintItWasBornWith) {
  settle();
  add_node("n");
  EXPECT_EQ(taints("n"), Strings{"node.kubernetes.io/not-ready:NoSchedule"});
  settle();

  EXPECT_EQ(taints("n"), Strings{});
  EXPECT_EQ(events("n"), Strings{"RegisteredNode: Node n event: Registered Node n in Controller"});
}

TEST_F(NodeLoops, ANodeThatRenewsItsLeaseStaysReady) {
  add_node("n");
  settle();
  for (int i = 0; i < 20; ++i) {
    renew("n");
    advance(seconds(10));
  }

  EXPECT_EQ(node_ready("n"), "True");
}

TEST_F(NodeLoops, ASilentNodeIsGivenUpTaintedAndItsPodsAreNotReady) {
  add_node("n");
  add_pod("p", R"("nodeName":"n",)");
  patch("/api/v1/namespaces/ns/pods/p/status",
        R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  settle();
  advance(seconds(49));
  EXPECT_EQ(node_ready("n"), "True");
  advance(seconds(2));

  EXPECT_EQ(node_ready("n"), "Unknown");
  EXPECT_EQ(taints("n"), (Strings{"node.kubernetes.io/unreachable:NoSchedule",
                                  "node.kubernetes.io/unreachable:NoExecute"}));
  EXPECT_FALSE(pod_ready("p"));
  EXPECT_TRUE(std::ranges::count(events("n"), "NodeNotReady: Node n status is now: NodeNotReady") ==
              1);
  EXPECT_EQ(events("p"), Strings{"NodeNotReady: Node is not ready"});
}

TEST_F(NodeLoops, PodsLeaveASilentNodeWhenTheirTolerationEnds) {
  add_node("n");
  add_pod("p", R"("nodeName":"n","terminationGracePeriodSeconds":0,)");
  add_pod("stays", R"("nodeName":"n","tolerations":[{"operator":"Exists"}],)");
  settle();
  advance(seconds(51));
  advance(seconds(299));
  EXPECT_EQ(phase("p"), "Pending");
  advance(seconds(2));

  EXPECT_EQ(phase("p"), "NotFound");
  EXPECT_EQ(phase("stays"), "Pending");
  EXPECT_EQ(events("p"), Strings{"TaintManagerEviction: Marking for deletion Pod ns/p"});
}

TEST_F(NodeLoops, ANodeThatComesBackKeepsItsPods) {
  add_node("n");
  add_pod("p", R"("nodeName":"n",)");
  settle();
  advance(seconds(51));
  advance(seconds(100));
  patch(
      "/api/v1/nodes/n/status",
      R"({"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:02:31Z"}]}})");
  settle();
  renew("n");
  settle();

  EXPECT_EQ(taints("n"), Strings{});
  EXPECT_EQ(events("p"), Strings{"TaintManagerEviction: Cancelling deletion of Pod ns/p"});
  for (int i = 0; i < 40; ++i) {
    renew("n");
    advance(seconds(10));
  }
  EXPECT_EQ(phase("p"), "Pending");
}

TEST_F(NodeLoops, ACordonedNodeCarriesTheTaintAndAnUncordonedOneDoesNot) {
  add_node("n");
  settle();
  patch("/api/v1/nodes/n", R"({"spec":{"unschedulable":true}})");
  settle();
  EXPECT_EQ(taints("n"), Strings{"node.kubernetes.io/unschedulable:NoSchedule"});
  patch("/api/v1/nodes/n", R"({"spec":{"unschedulable":null}})");
  settle();

  EXPECT_EQ(taints("n"), Strings{});
}

TEST_F(NodeLoops, TaintsOfOtherPeopleStay) {
  add_node("n");
  patch("/api/v1/nodes/n", R"({"spec":{"taints":[{"key":"mine","effect":"NoSchedule"}]}})");
  settle();

  EXPECT_EQ(taints("n"), Strings{"mine:NoSchedule"});
}

TEST_F(NodeLoops, APodThatDoesNotTolerateATaintGoesAtOnce) {
  add_node("n");
  add_pod("p", R"("nodeName":"n","terminationGracePeriodSeconds":0,)");
  settle();
  patch("/api/v1/nodes/n", R"({"spec":{"taints":[{"key":"x","effect":"NoExecute"}]}})");
  settle();

  EXPECT_EQ(phase("p"), "NotFound");
}

TEST_F(NodeLoops, PodsOfADeletedNodeAreCollectedAfterAWhile) {
  add_node("n");
  add_pod("p", R"("nodeName":"n",)");
  settle();
  remove("/api/v1/nodes/n");
  settle();
  advance(seconds(39));
  EXPECT_EQ(phase("p"), "Pending");
  advance(seconds(2));

  EXPECT_EQ(phase("p"), "NotFound");
}

TEST_F(NodeLoops, AHeldPodWithoutANodeIsSaidToHaveFailed) {
  add_pod("p", "", R"(,"finalizers":["example.com/held"])");
  settle();
  remove("/api/v1/namespaces/ns/pods/p");
  settle();
  EXPECT_EQ(phase("p"), "Pending");
  advance(seconds(20));

  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(NodeLoops, PodsOnSimulatedNodesRunAndSayThatTheyAreSimulated) {
  simulate(3);
  add_pod("p");
  settle();

  EXPECT_EQ(phase("p"), "Running");
  EXPECT_TRUE(pod_ready("p"));
  const auto found = pod("p");
  EXPECT_EQ(found.get("status", "podIP").as_string(), "10.64.0.1");
  const std::string node{found.get("spec", "nodeName").as_string()};
  auto said = events("p");
  std::ranges::sort(said);
  EXPECT_EQ(said,
            (Strings{fmt::format("Scheduled: Successfully assigned ns/p to {}", node),
                     fmt::format("Simulated: No process runs for this pod: node {} is simulated",
                                 node)}));
}

TEST_F(NodeLoops, SimulatedPodsTakeTheirTimeAndEndWhenDeleted) {
  simulate(1, milliseconds(1500));
  add_pod("p");
  settle();
  advance(milliseconds(1400));
  EXPECT_EQ(phase("p"), "Pending");
  advance(milliseconds(100));
  EXPECT_EQ(phase("p"), "Running");
  remove("/api/v1/namespaces/ns/pods/p");
  settle();

  EXPECT_EQ(phase("p"), "NotFound");
}

TEST_F(NodeLoops, ASimulatedPodCanBeToldToFail) {
  simulate(1);
  add_pod(
      "bad", R"("restartPolicy":"Never",)",
      R"(,"annotations":{"simulated.fixpoint.dev/ends-after":"3s","simulated.fixpoint.dev/exit-code":"7"})");
  add_pod("again", "", R"(,"annotations":{"simulated.fixpoint.dev/ends-after":"3s"})");
  settle();
  EXPECT_EQ(phase("bad"), "Running");
  advance(seconds(3));

  EXPECT_EQ(phase("bad"), "Failed");
  const auto bad = pod("bad");
  EXPECT_EQ(
      bad.get("status", "containerStatuses")[0].get("state", "terminated", "exitCode").as_int(), 7);
  const auto again = pod("again");
  EXPECT_EQ(again.get("status", "containerStatuses")[0].get("restartCount").as_int(), 1);
  EXPECT_EQ(phase("again"), "Running");
}

TEST_F(NodeLoops, SimulatedNodesNeverTireAndCostNoTimer) {
  simulate(5);
  const auto revision = store_.revision();
  EXPECT_FALSE(controllers_.wakes().has_value());
  advance(std::chrono::hours(1));

  EXPECT_EQ(store_.revision(), revision);
  EXPECT_EQ(node_ready("simulated-4"), "True");
}

TEST_F(NodeLoops, ASimulatedNodeThatIsDownFallsSilentAndComesBack) {
  simulate(1);
  add_pod("p");
  settle();
  patch("/api/v1/nodes/simulated-0",
        R"({"metadata":{"annotations":{"simulated.fixpoint.dev/down":"true"}}})");
  settle();
  advance(seconds(51));
  EXPECT_EQ(node_ready("simulated-0"), "Unknown");
  EXPECT_FALSE(pod_ready("p"));

  patch("/api/v1/nodes/simulated-0",
        R"({"metadata":{"annotations":{"simulated.fixpoint.dev/down":null}}})");
  settle();
  EXPECT_EQ(node_ready("simulated-0"), "True");
  EXPECT_EQ(taints("simulated-0"), Strings{});
  EXPECT_TRUE(pod_ready("p"));
}

TEST(Simulation, AddressesAreNumbersThatComeBack) {
  for (const std::uint32_t number : {1U, 255U, 256U, 70'000U, kPodAddresses - 1}) {
    EXPECT_EQ(number_of_address(pod_address(number)), number);
  }
  for (const auto* bad : {"", "10.64.0", "10.64.0.1.2", "10.63.0.1", "10.64.0.256", "10.64.0.1x"}) {
    EXPECT_FALSE(number_of_address(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace fixpoint::cluster::nodes
