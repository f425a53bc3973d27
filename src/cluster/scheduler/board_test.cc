// SPDX-License-Identifier: Apache-2.0
//
// Whatever came, went, moved, changed its labels or began to go, the board counts as somebody would
// who looks at every pod.
#include "cluster/scheduler/board.h"

#include "base/rng.h"
#include "kube/texts_for_tests.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::scheduler {
namespace {

using kube::parsed;

constexpr int kSteps = 300;
using ByNode = std::map<std::string, std::uint32_t>;

class BoardCounts : public testing::Test {
 protected:
  struct Pod {
    json::Value body;
    std::string node;
  };

  BoardCounts() {
    for (int i = 0; i < 5; ++i) {
      board_.set_node(parsed(fmt::format(R"({{"metadata":{{"name":"n{}"}}}})", i)));
    }
  }

  std::string some_labels() {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      if (rng_.below(3) == 0) continue;
      text += fmt::format(R"({}"l{}":"v{}")", text.empty() ? "" : ",", i, rng_.below(3));
    }
    return text;
  }
  // Of one of three owners; it shuns pods with one label, or with any.
  json::Value some_pod() {
    const auto shunned =
        rng_.below(4) == 0
            ? std::string{R"({"matchExpressions":[{"key":"l1","operator":"Exists"}]})"}
            : fmt::format(R"({{"matchLabels":{{"l0":"v0","l1":"v{}"}}}})", rng_.below(3));
    return parsed(fmt::format(
        R"({{"metadata":{{"name":"p","namespace":"ns{}"{},"labels":{{{}}},"ownerReferences":[
           {{"kind":"StatefulSet","uid":"u{}","controller":true}}]}},
           "spec":{{"containers":[{{}}],"affinity":{{"podAntiAffinity":{{
           "requiredDuringSchedulingIgnoredDuringExecution":[
           {{"topologyKey":"host","labelSelector":{}}}]}}}}}}}})",
        rng_.below(2), rng_.below(4) == 0 ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "",
        some_labels(), rng_.below(3), shunned));
  }
  void change_something() {
    const auto key = fmt::format("pods/ns/p{}", rng_.below(100));
    if (rng_.below(4) == 0) {
      pods_.erase(key);
      board_.remove(key);
      return;
    }
    // One of the nodes is not there.
    pods_[key] = {.body = some_pod(), .node = fmt::format("n{}", rng_.below(6))};
    board_.place(key, pods_[key].body, pods_[key].node);
  }

  ByNode named(const Counts& counts) const {
    ByNode found;
    for (Slot slot = 0; slot < counts.size(); ++slot) {
      if (counts[slot] > 0) found[board_.slots()[slot].name] = counts[slot];
    }
    return found;
  }
  ByNode brute_force(const PodSet& set) const {
    ByNode found;
    for (const auto& [key, pod] : pods_) {
      if (set.has(pod.body, {})) ++found[pod.node];
    }
    return found;
  }

  Rng rng_{3};
  Board board_;
  std::map<std::string, Pod> pods_;
};

TEST_F(BoardCounts, ThePodsOfAnOwner) {
  for (int step = 0; step < kSteps; ++step) {
    change_something();
    PodSet set;
    set.owner = fmt::format("u{}", rng_.below(4));
    set.counts_leaving = false;
    ASSERT_EQ(named(board_.count(set)), brute_force(set)) << set.owner << " after step " << step;
  }
}

TEST_F(BoardCounts, ThePodsWithSomeLabels) {
  const auto all = {"",   "l0=v0",  "l0=v0,l1=v1", "l1=v2,l2=v0",   "l0 in (v1)", "l0 in (v1,v2)",
                    "l2", "l1!=v1", "l3=v0",       "l0=v2,l1,l2=v1"};
  for (int step = 0; step < kSteps; ++step) {
    change_something();
    for (const auto* text : all) {
      if (rng_.below(3) > 0) continue;  // so that some are forgotten about for a while
      PodSet set;
      set.namespaces = {fmt::format("ns{}", rng_.below(2))};
      set.labels = *kube::LabelSelector::parse(text);
      set.counts_leaving = rng_.below(2) == 0;
      // More of them than are kept at a time.
      set.identity = fmt::format("{} {} {} {}", text, *set.namespaces.begin(), set.counts_leaving,
                                 rng_.below(12));
      ASSERT_EQ(named(board_.count(set)), brute_force(set)) << text << " after step " << step;
    }
  }
}

TEST_F(BoardCounts, ThePodsThatShunOne) {
  for (int step = 0; step < kSteps; ++step) {
    change_something();
    const auto comes = some_pod();
    ByNode expected;
    for (const auto& [key, pod] : pods_) {
      if (PodNeeds::of(pod.body).away.front().pods.has(comes, {})) ++expected[pod.node];
    }
    ByNode held;
    for (const HeldTerm* term : board_.held_away(comes)) {
      for (const auto& [node, count] : named(term->holders)) held[node] += count;
    }
    ASSERT_EQ(held, expected) << "after step " << step;
  }
}

}  // namespace
}  // namespace fixpoint::cluster::scheduler
