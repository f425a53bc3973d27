// SPDX-License-Identifier: Apache-2.0
//
// What does it cost a client to learn of 20,000 custom resources of 1.6 KB each?
//
// The shipped server is a child process; so is the measured client, this program itself run with
// --cold-list, because CPU and memory are then the kernel's own account of one client from its
// start to its last object, TLS included. It keeps every object without managedFields, as a cache
// does. `client_bench --cold-list KUBECONFIG (pages|stream) GROUP VERSION PLURAL KIND` measures
// against any server.
#include "client/open_client.h"
#include "json/shape/shape.h"
#include "net/loop.h"
#include "tests/integration/running_server.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace fixpoint {
namespace {

constexpr std::uint64_t kObjects = 20'000;
constexpr auto kWidgets = "/apis/bench.example.com/v1/namespaces/default/widgets";
constexpr auto kDefinition = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.bench.example.com"},
  "spec":{"group":"bench.example.com","scope":"Namespaced",
  "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,
  "storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
  "properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
  "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

struct Measured {
  std::size_t objects = 0;
  std::size_t wire_bytes = 0;  // pages only
  std::size_t kept_bytes = 0;
};

std::size_t bytes_of(const std::vector<json::Value>& objects) {
  std::size_t bytes = 0;
  for (const auto& object : objects) bytes += object.block_bytes();
  return bytes;
}

// A client that keeps what it lists.
class Follower {
 public:
  Follower(const std::string& kubeconfig, client::Resource resource) {
    auto config =
        client::load_config({.kubeconfig = kubeconfig}, client::Surroundings::of_process());
    FP_CHECK(config.has_value());
    auto opened = client::open_client(loop_, *std::move(config));
    FP_CHECK(opened.has_value());
    client_ = *std::move(opened);
    collection_.resource = std::move(resource);
    objects_.reserve(kObjects);
  }

  Measured pages() {
    next_page("");
    FP_CHECK(loop_.run_until([&] { return done_; }, std::chrono::minutes(5)));
    return measured();
  }
  Measured stream() {
    const auto watching = client_->watch(
        {.collection = collection_, .streaming = client::Streaming::FromEmpty, .shape = shape_},
        {.on_event =
             [&](client::WatchEvent event) {
               if (event.type == client::EventType::Bookmark) {
                 done_ = done_ || event.initial_events_end;
               } else {
                 objects_.push_back(std::move(event.object));
               }
             },
         .on_end = [](const std::optional<client::CallError>&) { FP_CHECK(false); }});
    FP_CHECK(loop_.run_until([&] { return done_; }, std::chrono::minutes(5)));
    return measured();
  }

 private:
  void next_page(std::string token) {
    client_->list({.collection = collection_, .continue_token = std::move(token), .shape = shape_},
                  [this](client::PageReply page) {
                    FP_CHECK(page.has_value());
                    wire_bytes_ += page->wire_bytes;
                    for (auto& item : page->items) objects_.push_back(std::move(item));
                    done_ = page->continue_token.empty();
                    if (!done_) next_page(std::move(page->continue_token));
                  });
  }
  Measured measured() const {
    return {
        .objects = objects_.size(), .wire_bytes = wire_bytes_, .kept_bytes = bytes_of(objects_)};
  }

  net::Loop loop_;
  std::unique_ptr<client::HttpClient> client_;
  client::Collection collection_;
  std::shared_ptr<const json::Shape> shape_ = std::make_shared<const json::Shape>(
      json::Shape::all().without({"metadata", "managedFields"}));
  std::vector<json::Value> objects_;
  std::size_t wire_bytes_ = 0;
  bool done_ = false;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::size_t resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// The measured process: one line of numbers.
int cold_list(const std::vector<std::string>& arguments) {
  FP_CHECK(arguments.size() == 6);
  const auto before = resident_kilobytes();
  Follower follower{
      arguments[0], {.kind = {arguments[2], arguments[3], arguments[5]}, .plural = arguments[4]}
  };
  const auto measured = arguments[1] == "stream" ? follower.stream() : follower.pages();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} {:.6f} {} {} {} {} {}\n", measured.objects,
             seconds(usage.ru_utime) + seconds(usage.ru_stime), before, resident_kilobytes(),
             usage.ru_maxrss, measured.wire_bytes, measured.kept_bytes);
  return 0;
}

std::string widget(std::uint64_t number) {
  return fmt::format(
      R"({{"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{{"name":"w-{}",)"
      R"("labels":{{"app":"bench","tier":"back"}}}},"spec":{{"size":3,"replicas":2,)"
      R"("image":"registry.example.com/bench/widget:v1.2.{}","parts":["alpha","beta","gamma"],)"
      R"("template":{{"cpu":"250m","memory":"256Mi","zone":"zone-{}","policy":"Always"}},)"
      R"("text":"{}"}}}})",
      number, number % 100, number % 7, std::string(380, 'x'));
}

void must(const Result<net::Response>& response, int code) {
  FP_CHECK(response.has_value() && response->status == code);
}

void fill(const RunningServer& server) {
  must(server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      kDefinition),
       201);
  net::Loop loop;
  const auto connection = net::Connection::open(loop, server.client(net::HttpVersions::OnlyHttp2));
  const auto bearer = "Bearer " + server.token();
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  const auto send = [&](const std::string& method, std::string target, std::string body,
                        std::function<void()> then) {
    connection->send(
        {
            .method = std::move(method),
            .target = std::move(target),
            .headers = {{"authorization", bearer},
                        {"content-type",
                         method == "PATCH" ? "application/merge-patch+json" : "application/json"},
                        {"user-agent", "manager"}},
            .body = std::move(body)
    },
        {.on_headers = [](int status, const net::Headers&) { FP_CHECK(status < 300); },
         .on_end =
             [then = std::move(then)](Result<void> outcome) {
               FP_CHECK(outcome.has_value());
               then();
             }});
  };
  const std::function<void()> next = [&] {
    if (sent == kObjects) return;
    const auto number = sent++;
    send("POST", kWidgets, widget(number), [&, number] {
      // A status, as a controller would have written it: a second manager.
      send("PATCH", fmt::format("{}/w-{}/status", kWidgets, number),
           R"({"status":{"phase":"Ready","observedGeneration":1,"readyReplicas":2,)"
           R"("message":"all parts are in place"}})",
           [&] {
             ++answered;
             next();
           });
    });
  };
  for (int i = 0; i < 32; ++i) next();
  FP_CHECK(loop.run_until([&] { return answered == kObjects; }, std::chrono::minutes(10)));
}

const RunningServer& filled_server() {
  static const ScratchDirectory scratch{"bench"};
  static const auto server = [] {
    auto started = RunningServer::start(scratch.path(), {"--ephemeral"});
    FP_CHECK(started.has_value());
    fill(**started);
    return *std::move(started);
  }();
  return *server;
}

void cold_sync(benchmark::State& state, const char* how) {
  const auto& server = filled_server();
  double cpu = 0;
  double peak = 0;
  double settled = 0;
  double before = 0;
  double wire = 0;
  double kept = 0;
  for (auto _ : state) {
    const auto command =
        fmt::format("/proc/{}/exe --cold-list {} {} bench.example.com v1 widgets Widget",
                    ::getpid(), server.kubeconfig().string(), how);
    FILE* pipe = ::popen(command.c_str(), "r");
    FP_CHECK(pipe != nullptr);
    double objects = 0;
    const int read = std::fscanf(pipe, "%lf %lf %lf %lf %lf %lf %lf", &objects, &cpu, &before,
                                 &settled, &peak, &wire, &kept);
    FP_CHECK(::pclose(pipe) == 0 && read == 7);
    FP_CHECK(objects == static_cast<double>(kObjects));
    state.SetIterationTime(cpu);
  }
  state.counters["cpu_us_per_object"] = cpu * 1e6 / kObjects;
  state.counters["peak_mb"] = peak / 1024;
  state.counters["settled_mb"] = settled / 1024;
  state.counters["started_mb"] = before / 1024;
  state.counters["wire_mb"] = wire / 1e6;
  state.counters["kept_bytes_per_object"] = kept / kObjects;
}

void ColdListInPages(benchmark::State& state) {
  cold_sync(state, "pages");
}
BENCHMARK(ColdListInPages)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

void ColdListAsStream(benchmark::State& state) {
  cold_sync(state, "stream");
}
BENCHMARK(ColdListAsStream)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace fixpoint

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view{argv[1]} == "--cold-list") {
    return fixpoint::cold_list({argv + 2, argv + argc});
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
