// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/pick.h"

#include "kube/texts_for_tests.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::scheduler {
namespace {

using kube::parsed;

json::Value node(std::string_view name, std::string_view labels = "", std::string_view spec = "",
                 std::string_view room = R"("cpu":"4","memory":"8Gi","pods":"110")") {
  return parsed(fmt::format(
      R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"{1}{2}}}}},)"
      R"("spec":{{{3}}},"status":{{"allocatable":{{{4}}}}}}})",
      name, labels.empty() ? "" : ",", labels, spec, room));
}

json::Value pod(std::string_view name, std::string_view spec = R"("containers":[{}])",
                std::string_view metadata = "") {
  return parsed(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"ns"{}{}}},"spec":{{{}}}}})",
                            name, metadata.empty() ? "" : ",", metadata, spec));
}

std::string asks(std::string_view cpu, std::string_view memory = "1Gi") {
  return fmt::format(
      R"("containers":[{{"resources":{{"requests":{{"cpu":"{}","memory":"{}"}}}}}}])", cpu, memory);
}

class Pick : public testing::Test {
 protected:
  void nodes(int count) {
    for (int i = 0; i < count; ++i) board_.set_node(node("n" + std::to_string(i)));
  }
  Verdict ask(const json::Value& wanted) { return pick(wanted, volumes_, board_, turn_); }
  // Asks and places, as the scheduler does.
  std::string put(const json::Value& wanted) {
    const auto verdict = ask(wanted);
    if (!verdict.node.empty()) {
      board_.place(fmt::format("pods/ns/{}", wanted.get("metadata", "name").as_string()), wanted,
                   verdict.node);
    }
    return verdict.node;
  }

  Board board_;
  Turn turn_;
  VolumeNeeds volumes_;
};

TEST_F(Pick, WithoutNodesThePodIsToldSo) {
  EXPECT_EQ(ask(pod("a")).why, "no nodes available to schedule pods");
}

TEST_F(Pick, PodsThatFitEverywhereAreSpreadEvenly) {
  nodes(5);

  std::map<std::string, int> placed;
  for (int i = 0; i < 20; ++i) ++placed[put(pod("p" + std::to_string(i), asks("100m")))];

  EXPECT_EQ(placed.size(), 5U);
  for (const auto& [name, count] : placed) EXPECT_EQ(count, 4) << name;
}

TEST_F(Pick, WhatDoesNotFitIsCountedByReasonInKubernetesWords) {
  board_.set_node(node("small", "", "", R"("cpu":"1","memory":"8Gi","pods":"110")"));
  board_.set_node(node("tainted", "", R"("taints":[{"key":"a","effect":"NoSchedule"}])"));
  board_.set_node(node("cordoned", "", R"("unschedulable":true)"));
  board_.place("pods/ns/there", pod("there", asks("900m")), "small");

  EXPECT_EQ(ask(pod("a", asks("500m"))).why,
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
            "1 node(s) were unschedulable. preemption: 0/3 nodes are available: 1 No preemption "
            "victims found for incoming pod, 2 Preemption is not helpful for scheduling.");
}

TEST_F(Pick, APodTooLargeForANodeSaysThatPreemptionWouldNotHelp) {
  nodes(1);

  EXPECT_EQ(ask(pod("a", asks("64", "99Ti"))).why,
            "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. preemption: 0/1 "
            "nodes are available: 1 Preemption is not helpful for scheduling.");
}

TEST_F(Pick, APodThatNeverPreemptsSaysSo) {
  nodes(1);

  EXPECT_EQ(ask(pod("a", asks("64") + R"(,"preemptionPolicy":"Never")")).why,
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to "
            "preemptionPolicy=Never.");
}

TEST_F(Pick, RoomIsFreeAgainOnceAPodIsGone) {
  board_.set_node(node("only", "", "", R"("cpu":"1","memory":"8Gi","pods":"1")"));
  EXPECT_EQ(put(pod("a", asks("1"))), "only");
  EXPECT_EQ(put(pod("b")), "");
  board_.remove("pods/ns/a");

  EXPECT_EQ(put(pod("b", asks("1"))), "only");
}

TEST_F(Pick, InitContainersSidecarsAndOverheadCount) {
  board_.set_node(node("only", "", "", R"("cpu":"1","memory":"8Gi","pods":"10")"));
  const auto spec = [](std::string_view init, std::string_view more) {
    return fmt::format(
        R"("containers":[{{"resources":{{"requests":{{"cpu":"500m"}}}}}}],"initContainers":[{{{}"resources":{{"requests":{{"cpu":"600m"}}}}}}]{})",
        init, more);
  };

  EXPECT_EQ(ask(pod("a", spec("", ""))).node, "only");
  EXPECT_EQ(ask(pod("a", spec(R"("restartPolicy":"Always",)", ""))).node, "");
  EXPECT_EQ(ask(pod("a", spec("", R"(,"overhead":{"cpu":"500m"})"))).node, "");
}

TEST_F(Pick, ExtendedResourcesAreCountedByName) {
  board_.set_node(
      node("gpu", "", "", R"("cpu":"4","memory":"8Gi","pods":"10","example.com/gpu":"1")"));
  const auto wants = R"("containers":[{"resources":{"requests":{"example.com/gpu":"1"}}}])";

  EXPECT_EQ(put(pod("a", wants)), "gpu");
  EXPECT_EQ(ask(pod("b", wants)).why,
            "0/1 nodes are available: 1 Insufficient example.com/gpu. preemption: 0/1 nodes are "
            "available: 1 No preemption victims found for incoming pod.");
}

TEST_F(Pick, SelectorAndRequiredAffinityBothHaveToHold) {
  board_.set_node(node("a", R"("disk":"ssd","size":"4")"));
  board_.set_node(node("b", R"("disk":"ssd","size":"9")"));
  board_.set_node(node("c", R"("disk":"hdd","size":"9")"));
  const auto wants = pod("p", R"("containers":[{}],"nodeSelector":{"disk":"ssd"},
    "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
      "nodeSelectorTerms":[{"matchExpressions":[{"key":"size","operator":"Gt","values":["5"]}]}]}}})");

  EXPECT_EQ(ask(wants).node, "b");
  board_.remove_node("b");
  EXPECT_EQ(ask(wants).why,
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(Pick, APodOfOneNamedNodeLooksAtThatNodeOnly) {
  nodes(3);
  const auto named = [](std::string_view cpu) {
    return pod("p", asks(cpu) + R"(,"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[
        {"key":"metadata.name","operator":"In","values":["n1"]}]}]}}})");
  };

  EXPECT_EQ(ask(named("1")).node, "n1");
  EXPECT_EQ(ask(named("64")).why,
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity]. preemption: 0/3 nodes are available: 3 Preemption is not helpful for "
            "scheduling.");
}

TEST_F(Pick, PreferredNodesWin) {
  nodes(3);
  board_.set_node(node("liked", R"("disk":"ssd")"));
  const auto wants = R"("containers":[{}],"affinity":{"nodeAffinity":{
    "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":10,"preference":{
      "matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}}]}})";

  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(pod("p" + std::to_string(i), wants)), "liked");
}

TEST_F(Pick, ToleratedTaintsDoNotCount) {
  board_.set_node(node("a", "", R"("taints":[{"key":"k","value":"v","effect":"NoSchedule"}])"));
  const auto tolerates = [](std::string_view toleration) {
    return pod("p", fmt::format(R"("containers":[{{}}],"tolerations":[{{{}}}])", toleration));
  };

  EXPECT_EQ(ask(tolerates(R"("key":"k","operator":"Exists")")).node, "a");
  EXPECT_EQ(ask(tolerates(R"("key":"k","operator":"Equal","value":"v")")).node, "a");
  EXPECT_EQ(ask(tolerates(R"("operator":"Exists")")).node, "a");
  EXPECT_EQ(ask(tolerates(R"("key":"k","operator":"Equal","value":"w")")).node, "");
  EXPECT_EQ(ask(tolerates(R"("key":"k","operator":"Exists","effect":"NoExecute")")).node, "");
}

TEST_F(Pick, UnlikedTaintsAreAvoidedWhileThereIsAChoice) {
  board_.set_node(node("a", "", R"("taints":[{"key":"k","effect":"PreferNoSchedule"}])"));
  board_.set_node(node("b"));

  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(pod("p" + std::to_string(i))), "b");
  board_.remove_node("b");
  EXPECT_EQ(put(pod("last")), "a");
}

TEST_F(Pick, AHostPortIsTakenOnce) {
  nodes(2);
  const auto wants =
      R"("containers":[{"ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}]}])";
  const auto first = put(pod("a", wants));
  const auto second = put(pod("b", wants));

  EXPECT_EQ((std::set{first, second}), (std::set<std::string>{"n0", "n1"}));
  EXPECT_EQ(ask(pod("c", wants)).why,
            "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod "
            "ports. preemption: 0/2 nodes are available: 2 No preemption victims found for "
            "incoming pod.");
}

constexpr auto kAway = R"("containers":[{}],"affinity":{"podAntiAffinity":{
  "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname",
    "labelSelector":{"matchLabels":{"app":"db"}}}]}})";
constexpr auto kDb = R"("labels":{"app":"db"})";

TEST_F(Pick, PodsThatShunEachOtherNeverMeet) {
  nodes(2);
  EXPECT_NE(put(pod("a", kAway, kDb)), put(pod("b", kAway, kDb)));

  EXPECT_EQ(ask(pod("c", kAway, kDb)).why,
            "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. preemption: "
            "0/2 nodes are available: 2 No preemption victims found for incoming pod.");
}

TEST_F(Pick, APodIsKeptFromThoseThatShunIt) {
  nodes(1);
  EXPECT_EQ(put(pod("a", kAway)), "n0");

  EXPECT_EQ(ask(pod("b", R"("containers":[{}])", kDb)).why,
            "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
  board_.remove("pods/ns/a");
  EXPECT_EQ(put(pod("b", R"("containers":[{}])", kDb)), "n0");
}

constexpr auto kNear = R"("containers":[{}],"affinity":{"podAffinity":{
  "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",
    "labelSelector":{"matchLabels":{"app":"db"}}}]}})";

TEST_F(Pick, AffinityFollowsThePodsItMeansWithinTheirZone) {
  board_.set_node(node("a1", R"("zone":"a")"));
  board_.set_node(node("b1", R"("zone":"b")"));
  board_.set_node(node("b2", R"("zone":"b")"));
  board_.set_node(node("none"));
  EXPECT_EQ(ask(pod("p", kNear)).why,
            "0/4 nodes are available: 4 node(s) didn't match pod affinity rules. preemption: 0/4 "
            "nodes are available: 4 Preemption is not helpful for scheduling.");
  board_.place("pods/ns/db", pod("db", R"("containers":[{}])", kDb), "b1");

  for (int i = 0; i < 4; ++i) EXPECT_EQ(put(pod("p" + std::to_string(i), kNear))[0], 'b');
}

TEST_F(Pick, TheFirstOfPodsThatSeekEachOtherMayGoAnywhere) {
  board_.set_node(node("a1", R"("zone":"a")"));
  board_.set_node(node("b1", R"("zone":"b")"));
  const auto first = put(pod("a", kNear, kDb));

  ASSERT_FALSE(first.empty());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(pod("p" + std::to_string(i), kNear, kDb)), first);
}

TEST_F(Pick, AffinityOfOtherNamespacesGoesByTheirLabels) {
  nodes(2);
  board_.set_namespace("other", parsed(R"({"team":"x"})"));
  auto there = parsed(
      R"({"metadata":{"name":"db","namespace":"other","labels":{"app":"db"}},"spec":{"containers":[{}]}})");
  board_.place("pods/other/db", there, "n1");
  const auto wants = R"("containers":[{}],"affinity":{"podAffinity":{
    "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname",
      "namespaceSelector":{"matchLabels":{"team":"x"}},"labelSelector":{"matchLabels":{"app":"db"}}}]}})";

  EXPECT_EQ(ask(pod("p", wants)).node, "n1");
  board_.set_namespace("other", parsed(R"({"team":"y"})"));
  EXPECT_EQ(ask(pod("p", wants)).node, "");
}

constexpr auto kSpread = R"("containers":[{}],"topologySpreadConstraints":[{"maxSkew":1,
  "topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
  "labelSelector":{"matchLabels":{"app":"db"}}}])";

TEST_F(Pick, SpreadPodsNeverDifferByMoreThanTheSkew) {
  board_.set_node(node("a1", R"("zone":"a")"));
  board_.set_node(node("a2", R"("zone":"a")"));
  board_.set_node(node("b1", R"("zone":"b")"));
  std::map<char, int> zones;
  for (int i = 0; i < 6; ++i) ++zones[put(pod("p" + std::to_string(i), kSpread, kDb))[0]];

  EXPECT_EQ(zones, (std::map<char, int>{
                       {'a', 3},
                       {'b', 3}
  }));
}

TEST_F(Pick, ASpreadThatCannotBeKeptSaysSo) {
  board_.set_node(node("a1", R"("zone":"a")"));
  board_.set_node(node("b1", R"("zone":"b")", "", R"("cpu":"4","memory":"8Gi","pods":"0")"));
  board_.set_node(node("none"));
  EXPECT_EQ(put(pod("p", kSpread, kDb)), "a1");

  EXPECT_EQ(ask(pod("q", kSpread, kDb)).why,
            "0/3 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread "
            "constraints, 1 node(s) didn't match pod topology spread constraints (missing required "
            "label). preemption: 0/3 nodes are available: 1 Preemption is not helpful for "
            "scheduling, 2 No preemption victims found for incoming pod.");
}

TEST_F(Pick, PodsOfOneOwnerAreSpreadOverHosts) {
  nodes(4);
  board_.place("pods/ns/big", pod("big", asks("1", "1Gi")), "n0");
  std::map<std::string, int> placed;
  for (int i = 0; i < 8; ++i) {
    ++placed[put(pod("p" + std::to_string(i), asks("1m", "1Mi"),
                     R"("ownerReferences":[{"kind":"ReplicaSet","uid":"u","controller":true}])"))];
  }

  for (const auto& [name, count] : placed) EXPECT_EQ(count, 2) << name;
}

TEST_F(Pick, AProblemWithVolumesHoldsForEveryNode) {
  nodes(2);
  volumes_.problem = "pod has unbound immediate PersistentVolumeClaims";

  EXPECT_EQ(ask(pod("a")).why,
            "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(Pick, APodGoesWhereItsVolumeIs) {
  nodes(3);
  const auto where = parsed(R"({"nodeSelectorTerms":[{"matchExpressions":[
    {"key":"kubernetes.io/hostname","operator":"In","values":["n2"]}]}]})");
  volumes_.bound.push_back(nodes::NodeSelector::from(where));

  EXPECT_EQ(ask(pod("a")).node, "n2");
  board_.remove_node("n2");
  EXPECT_EQ(ask(pod("a")).why,
            "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(Pick, TheSamePodsInTheSameOrderEndUpInTheSamePlaces) {
  const auto run = [] {
    Board board;
    Turn turn;
    std::string places;
    for (int i = 0; i < 150; ++i) board.set_node(node("n" + std::to_string(i)));
    for (int i = 0; i < 300; ++i) {
      const auto wanted = pod("p" + std::to_string(i), asks(std::to_string(i % 7 * 100) + "m"));
      const auto verdict = pick(wanted, {}, board, turn);
      board.place("pods/ns/p" + std::to_string(i), wanted, verdict.node);
      places += verdict.node + " ";
    }
    return places;
  };

  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace fixpoint::cluster::scheduler
