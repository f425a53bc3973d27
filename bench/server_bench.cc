// SPDX-License-Identifier: Apache-2.0
//
// What does the whole server cost? The shipped binary as a child process, real sockets, TLS, fsync.
// CPU is the server's own, read from the kernel; wall times include this client on the same cores.
#include "bench/crowd.h"
#include "net/loop.h"
#include "tests/integration/running_server.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr auto kWidgets = "/apis/bench.example.com/v1/namespaces/default/widgets";
constexpr auto kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr auto kDefinition = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.bench.example.com"},
  "spec":{"group":"bench.example.com","scope":"Namespaced",
  "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,
  "storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
  "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},
  "text":{"type":"string"},"parts":{"type":"array","items":{"type":"string"}}}},
  "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

std::unique_ptr<RunningServer> start(const ScratchDirectory& scratch, bool durable) {
  auto server = RunningServer::start(
      scratch.path(),
      durable ? std::vector<std::string>{"--data-dir", (scratch.path() / "data").string()}
              : std::vector<std::string>{"--ephemeral"});
  FP_CHECK(server.has_value());
  return *std::move(server);
}

// A custom resource of about a kilobyte.
std::string widget(std::uint64_t number) {
  return R"({"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{"name":"w-)" +
         std::to_string(number) +
         R"(","labels":{"app":"bench","tier":"back"}},"spec":{"size":3,"parts":["a","b","c"],"text":")" +
         std::string(800, 'x') + R"("}})";
}

void StartToReady(benchmark::State& state) {
  double megabytes = 0;
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, false);
    megabytes = resident_megabytes(server->pid());
  }
  state.counters["rss_MB"] = megabytes;
}
BENCHMARK(StartToReady)->Unit(benchmark::kMillisecond)->Iterations(20)->UseRealTime();

void DefinitionToFirstObject(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const ScratchDirectory scratch;
    const auto server = start(scratch, true);
    Crowd crowd(*server, 1);
    crowd.run(1, [](std::uint64_t) { return get("/version"); });
    state.ResumeTiming();
    crowd.run(2, [](std::uint64_t number) {
      return number == 0 ? post(kDefinitions, kDefinition) : post(kWidgets, widget(0));
    });
  }
}
BENCHMARK(DefinitionToFirstObject)->Unit(benchmark::kMillisecond)->Iterations(10)->UseRealTime();

void report(benchmark::State& state, const RunningServer& server, double cpu_before,
            Clock::time_point began, std::uint64_t requests) {
  const double wall = std::chrono::duration<double>(Clock::now() - began).count();
  const double cpu = server_cpu_seconds(server.pid()) - cpu_before;
  state.counters["server_cpu_us"] = cpu * 1e6 / static_cast<double>(requests);
  state.counters["per_second"] = static_cast<double>(requests) / wall;
}

void DurableCreates(benchmark::State& state) {
  constexpr std::uint64_t kCreates = 20'000;
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, true);
    Crowd crowd(*server, 32);
    crowd.run(1, [](std::uint64_t) { return post(kDefinitions, kDefinition); });
    const double cpu = server_cpu_seconds(server->pid());
    const auto began = Clock::now();
    crowd.run(kCreates, [](std::uint64_t number) { return post(kWidgets, widget(number)); });
    report(state, *server, cpu, began, kCreates);
    state.counters["rss_MB"] = resident_megabytes(server->pid());
  }
}
BENCHMARK(DurableCreates)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void Gets(benchmark::State& state) {
  constexpr std::uint64_t kGets = 40'000;
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, false);
    Crowd crowd(*server, 32);
    crowd.run(1, [](std::uint64_t) { return post(kDefinitions, kDefinition); });
    crowd.run(100, [](std::uint64_t number) { return post(kWidgets, widget(number)); });
    const double cpu = server_cpu_seconds(server->pid());
    const auto began = Clock::now();
    crowd.run(kGets, [](std::uint64_t number) {
      return get(std::string{kWidgets} + "/w-" + std::to_string(number % 100));
    });
    report(state, *server, cpu, began, kGets);
  }
}
BENCHMARK(Gets)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void ListOf20kObjects(benchmark::State& state) {
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, false);
    Crowd crowd(*server, 32);
    crowd.run(1, [](std::uint64_t) { return post(kDefinitions, kDefinition); });
    crowd.run(20'000, [](std::uint64_t number) { return post(kWidgets, widget(number)); });
    const double cpu = server_cpu_seconds(server->pid());
    const auto began = Clock::now();
    const auto listed = server->request("GET", kWidgets);
    const double wall = std::chrono::duration<double>(Clock::now() - began).count();
    FP_CHECK(listed.has_value());
    const double megabytes = static_cast<double>(listed->body.size()) / 1e6;
    state.counters["MB"] = megabytes;
    state.counters["MB_per_second"] = megabytes / wall;
    state.counters["server_cpu_ms"] = (server_cpu_seconds(server->pid()) - cpu) * 1e3;
  }
}
BENCHMARK(ListOf20kObjects)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void WatchFanOut(benchmark::State& state) {
  constexpr std::size_t kWatchers = 100;
  constexpr std::uint64_t kWrites = 5'000;
  for (auto _ : state) {
    const ScratchDirectory scratch;
    const auto server = start(scratch, false);
    Crowd writer(*server, 8);
    std::vector<std::shared_ptr<net::Connection>> connections;
    std::uint64_t lines = 0;
    for (std::size_t i = 0; i < kWatchers; ++i) {
      connections.push_back(
          net::Connection::open(writer.loop(), server->client(net::HttpVersions::OnlyHttp1)));
      auto request = get(std::string{kConfigMaps} + "?watch=1");
      request.headers.add("authorization", writer.bearer());
      connections.back()->send(
          std::move(request),
          {.on_headers = [](int status, const net::Headers&) { FP_CHECK(status == 200); },
           .on_body =
               [&lines](std::string_view bytes) {
                 lines += static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
               },
           .on_end = [](Result<void>) {}});
    }
    // Each watcher first hears of the one object every namespace has.
    FP_CHECK(writer.loop().run_until([&] { return lines == kWatchers; }, std::chrono::seconds(30)));
    const double cpu = server_cpu_seconds(server->pid());
    const auto began = Clock::now();
    writer.run(kWrites, [](std::uint64_t number) {
      return post(kConfigMaps, R"({"metadata":{"name":"c-)" + std::to_string(number) + R"("}})");
    });
    const std::uint64_t expected = kWatchers * (kWrites + 1);
    FP_CHECK(writer.loop().run_until([&] { return lines == expected; }, std::chrono::minutes(2)));
    const double wall = std::chrono::duration<double>(Clock::now() - began).count();
    state.counters["events_per_second"] = static_cast<double>(kWatchers * kWrites) / wall;
    state.counters["server_cpu_us_per_event"] =
        (server_cpu_seconds(server->pid()) - cpu) * 1e6 / static_cast<double>(kWatchers * kWrites);
  }
}
BENCHMARK(WatchFanOut)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace fixpoint
