// SPDX-License-Identifier: Apache-2.0
//
// What does a cluster of thousands of nodes cost? All built-in loops over the API's core in one
// process, without sockets and without a disk: nodes register, pods are scheduled and run, and go.
#include "apiserver/core.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cluster/controllers.h"
#include "cluster/decision.h"
#include "cluster/nodes/simulation.h"
#include "cluster/scheduler/pick.h"
#include "json/parsing/parse.h"

#include <chrono>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace fixpoint {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPods = 10'000;

const kube::GroupVersionResource kPodResource{"", "v1", "pods"};

// The loops with a server that lives in memory.
class Cluster final : public cluster::Server {
 public:
  explicit Cluster(int nodes)
      : controllers_(cluster::Controllers::of_cluster("", {.simulation = {.nodes = nodes}})) {
    for (const auto* ns : {"default", "kube-node-lease"}) {
      make({"", "v1", "namespaces"}, fmt::format(R"({{"metadata":{{"name":"{}"}}}})", ns), "");
    }
    controllers_.begin(*this);
    seen_ = store_.revision();
    settle();
  }

  apiserver::Response call(const apiserver::Request& request) override {
    return core_.handle(request, store_, {.now = now(), .rng = rng_});
  }
  const store::Snapshot& latest() const override { return store_.latest(); }
  apiserver::CustomKinds& kinds() override { return core_.kinds(); }
  Instant now() const override { return clock_.wall(); }

  void make(const kube::GroupVersionResource& resource, std::string body, std::string_view ns) {
    auto request = cluster::request_for(resource, apiserver::Verb::Create, ns, "");
    request.body = std::move(body);
    FP_CHECK(call(request).ok());
  }
  void add_pods(int count) {
    for (int i = 0; i < count; ++i) {
      make(kPodResource,
           R"({"metadata":{"generateName":"p-"},"spec":{"containers":[{"name":"c","image":"busybox",
             "resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}})",
           "default");
    }
  }
  void remove_pods() {
    auto request =
        cluster::request_for(kPodResource, apiserver::Verb::DeleteCollection, "default", "");
    FP_CHECK(call(request).ok());
  }
  void settle() {
    bool more = true;
    while (more || store_.revision() != seen_) {
      const auto events = store_.events_after(seen_);
      FP_CHECK(events.has_value());
      seen_ = store_.revision();
      controllers_.observe(*events);
      more = controllers_.run(*this, 64);
    }
  }
  std::size_t running() const {
    std::size_t count = 0;
    latest().scan("pods/", {}, [&](const store::RecordRef& pod) {
      count += pod->body.get("status", "phase").as_string() == "Running" ? 1 : 0;
      return true;
    });
    return count;
  }

 private:
  SystemClock clock_;
  Rng rng_{42};
  store::Store store_;
  apiserver::Core core_;
  cluster::Controllers controllers_;
  store::Revision seen_;
};

void register_nodes(benchmark::State& state) {
  for (auto _ : state) {
    const Cluster cluster(kNodes);
    FP_CHECK(cluster.latest().count("nodes/") == kNodes);
  }
  state.SetItemsProcessed(state.iterations() * kNodes);
}
BENCHMARK(register_nodes)->Unit(benchmark::kMillisecond)->Iterations(1);

void pods_created_and_running(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    Cluster cluster(kNodes);
    state.ResumeTiming();
    cluster.add_pods(kPods);
    cluster.settle();
    FP_CHECK(cluster.running() == kPods);
  }
  state.SetItemsProcessed(state.iterations() * kPods);
}
BENCHMARK(pods_created_and_running)->Unit(benchmark::kMillisecond)->Iterations(1);

void pods_deleted(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    Cluster cluster(kNodes);
    cluster.add_pods(kPods);
    cluster.settle();
    state.ResumeTiming();
    cluster.remove_pods();
    cluster.settle();
    FP_CHECK(cluster.latest().count("pods/") == 0);
  }
  state.SetItemsProcessed(state.iterations() * kPods);
}
BENCHMARK(pods_deleted)->Unit(benchmark::kMillisecond)->Iterations(1);

// The judgement alone: where a pod goes, and counting it there.
void pick_nodes(benchmark::State& state) {
  using cluster::scheduler::Board;
  const auto pod = json::parse(R"({"metadata":{"name":"p","namespace":"default","ownerReferences":[
    {"kind":"ReplicaSet","name":"r","uid":"u","controller":true}]},"spec":{"containers":[
    {"name":"c","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}})");
  for (auto _ : state) {
    Board board;
    cluster::scheduler::Turn turn;
    for (int i = 0; i < kNodes; ++i) board.set_node(cluster::nodes::simulated_node(i, Instant{}));
    for (int i = 0; i < kPods; ++i) {
      const auto verdict = cluster::scheduler::pick(*pod, {}, board, turn);
      FP_CHECK(!verdict.node.empty());
      board.place("pods/default/p" + std::to_string(i), *pod, verdict.node);
    }
  }
  state.SetItemsProcessed(state.iterations() * kPods);
}
BENCHMARK(pick_nodes)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace fixpoint
