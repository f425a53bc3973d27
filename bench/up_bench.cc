// SPDX-License-Identifier: Apache-2.0
//
// What does a whole cluster cost, as it ships? Thousands of simulated nodes and pods that come, run
// and go, and the first pods that are processes. CPU and memory are the server's own, by the
// kernel's count; wall times include the clients on the same cores.
#include "bench/crowd.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace fixpoint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNodes = 5'000;
constexpr std::uint64_t kPods = 10'000;
constexpr std::size_t kClients = 4;
constexpr auto kPodList = "/api/v1/namespaces/default/pods";
constexpr auto kSets = "/apis/apps/v1/namespaces/default/statefulsets";
constexpr auto kPod = R"({"metadata":{"generateName":"p-"},"spec":{"containers":[{"name":"c",
  "image":"busybox","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}})";
// A program that does nothing, thrice.
constexpr auto kSet = R"({"metadata":{"name":"s"},"spec":{"serviceName":"s","replicas":3,
  "selector":{"matchLabels":{"app":"s"}},"template":{"metadata":{"labels":{"app":"s"}},"spec":{
  "terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"busybox",
  "command":["sleep","1000"]}]}}}})";

std::unique_ptr<RunningServer> start(const ScratchDirectory& scratch, const std::string& nodes) {
  auto server = RunningServer::start(scratch.path(), {"--ephemeral", "--nodes", nodes});
  FP_CHECK(server.has_value());
  return *std::move(server);
}

// Looks every few milliseconds; the looks are the server's work, too.
void until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

bool none_left(RunningServer& server, const std::string& query) {
  const auto list = server.access().get(fmt::format("{}?limit=1&{}", kPodList, query));
  return list.get("items").empty();
}

// What one part of the story took.
class Stretch {
 public:
  explicit Stretch(const RunningServer& server) : server_(server) {}
  void note(benchmark::State& state, const std::string& name) {
    const auto now = Clock::now();
    const double cpu = server_cpu_seconds(server_.pid());
    state.counters[name + "_wall_s"] = std::chrono::duration<double>(now - began_).count();
    state.counters[name + "_cpu_s"] = cpu - cpu_;
    began_ = now;
    cpu_ = cpu;
  }

 private:
  const RunningServer& server_;
  Clock::time_point began_ = Clock::now();
  double cpu_ = server_cpu_seconds(server_.pid());
};

void SimulatedCluster(benchmark::State& state) {
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, fmt::format("simulated:{}", kNodes));
    Stretch stretch(*server);
    until([&] {
      const auto nodes = server->access().get("/api/v1/nodes?limit=1");
      return nodes.get("metadata", "remainingItemCount").as_int() == kNodes - 1;
    });
    stretch.note(state, "nodes");
    Crowd crowd(*server, kClients);
    crowd.run(kPods, [](std::uint64_t) { return post(kPodList, kPod); });
    until([&] { return none_left(*server, "fieldSelector=status.phase%3DPending"); });
    stretch.note(state, "pods");
    state.counters["pods_rss_MB"] = resident_megabytes(server->pid());
    std::this_thread::sleep_for(std::chrono::seconds(2));
    stretch.note(state, "idle");
    state.counters["idle_rss_MB"] = resident_megabytes(server->pid());
    server->access().call("DELETE", kPodList);
    until([&] { return none_left(*server, ""); });
    stretch.note(state, "deleted");
    state.counters["deleted_rss_MB"] = resident_megabytes(server->pid());
  }
}
BENCHMARK(SimulatedCluster)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

// From nothing to three processes that are Ready, one after the other.
void StatefulSetReady(benchmark::State& state) {
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, "local");
    FP_CHECK(server->access().call("POST", kSets, kSet).status == 201);
    until([&] {
      const auto set = server->access().get(fmt::format("{}/s", kSets));
      return set.get("status", "readyReplicas").as_int() == 3;
    });
    state.PauseTiming();
    FP_CHECK(server->stop() == 0);
    state.ResumeTiming();
  }
}
BENCHMARK(StatefulSetReady)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace fixpoint
