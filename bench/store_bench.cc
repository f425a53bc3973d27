// SPDX-License-Identifier: Apache-2.0
//
// What the store costs: reads, writes, forks and comparisons in memory; bytes per object; durable
// writes by the number that wait at once. The objects are custom resources of 1 KB of JSON.
#include "json/parsing/parse.h"
#include "store/durable.h"
#include "store/scratch_directory.h"
#include "store/store.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <stdlib.h>
#include <time.h>

namespace fixpoint::store {
namespace {

constexpr std::size_t kTextBytes = 1024;

std::string object_text(std::size_t n) {
  std::string text = fmt::format(
      R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"creationTimestamp":)"
      R"("2026-01-01T00:00:00Z","generation":1,"labels":{{"app":"demo","tier":"backend"}},)"
      R"("managedFields":[{{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":)"
      R"({{"f:metadata":{{"f:labels":{{".":{{}},"f:app":{{}},"f:tier":{{}}}}}},"f:spec":{{".":{{}},)"
      R"("f:note":{{}},"f:replicas":{{}},"f:size":{{}}}}}},"manager":"kubectl","operation":"Update",)"
      R"("time":"2026-01-01T00:00:00Z"}}],"name":"widget-{0:05}","namespace":"default",)"
      R"("resourceVersion":"{0}","uid":"0b8d5c1e-7d1c-4f3e-9b1a-{0:012}"}},"spec":{{"note":")",
      n);
  const std::string_view end = R"(","replicas":3,"size":"large"}})";
  text.append(kTextBytes - text.size() - end.size(), 'x');
  text += end;
  return text;
}

std::string key_of(std::size_t n) {
  return fmt::format("widgets.example.com/default/widget-{:05}", n);
}

json::Value object(std::size_t n) {
  return json::parse(object_text(n)).value();
}

Store filled(std::size_t count, HistoryLimits limits = {}) {
  Store store{limits};
  for (std::size_t i = 0; i < count; ++i) store.put(key_of(i), object(i));
  return store;
}

std::size_t count_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void get(benchmark::State& state) {
  const Store store = filled(count_of(state));
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 1024; ++i) keys.push_back(key_of(i * 7919 % count_of(state)));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.latest().find(keys[i++ % keys.size()]));
}
BENCHMARK(get)->Arg(1000)->Arg(20'000);

// As the server writes: one store, history included, nothing forked. A thousand prepared bodies.
void put_in_place(benchmark::State& state) {
  Store store = filled(count_of(state));
  std::vector<json::Value> bodies;
  for (std::size_t i = 0; i < 1000; ++i) bodies.push_back(object(i));
  std::size_t i = 0;
  for (auto _ : state) {
    store.put(key_of(i * 7919 % count_of(state)), bodies[i % bodies.size()]);
    ++i;
  }
}
BENCHMARK(put_in_place)->Arg(1000)->Arg(20'000);

void fork(benchmark::State& state) {
  const Store store = filled(count_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(store.fork());
}
BENCHMARK(fork)->Arg(1000)->Arg(20'000);

// As the verifier does: fork, change one object, let go of the fork again.
void fork_and_change_one(benchmark::State& state) {
  const Store store = filled(count_of(state));
  const json::Value body = object(7);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 1024; ++i) keys.push_back(key_of(i * 7919 % count_of(state)));
  std::size_t i = 0;
  for (auto _ : state) {
    Store child = store.fork();
    benchmark::DoNotOptimize(child.put(keys[i++ % keys.size()], body));
  }
}
BENCHMARK(fork_and_change_one)->Arg(20)->Arg(1000)->Arg(20'000);

// The same and the fingerprint of the outcome, which includes hashing the new body.
void fork_change_and_fingerprint(benchmark::State& state) {
  const Store store = filled(count_of(state));
  benchmark::DoNotOptimize(store.latest().fingerprint());
  const json::Value body = object(7);
  std::size_t i = 0;
  for (auto _ : state) {
    Store child = store.fork();
    child.put(key_of(i++ * 7919 % count_of(state)), body);
    benchmark::DoNotOptimize(child.latest().fingerprint());
  }
}
BENCHMARK(fork_change_and_fingerprint)->Arg(20)->Arg(1000);

void hash_one_body(benchmark::State& state) {
  const json::Value body = object(7);
  for (auto _ : state) benchmark::DoNotOptimize(body.hash());
}
BENCHMARK(hash_one_body);

void equality(benchmark::State& state) {
  const Store one = filled(count_of(state));
  const Store two = filled(count_of(state));
  if (!(one.latest() == two.latest())) state.SkipWithError("equal stores differ");
  for (auto _ : state) benchmark::DoNotOptimize(one.latest() == two.latest());
}
BENCHMARK(equality)->Arg(1000);

void scan(benchmark::State& state) {
  const Store store = filled(count_of(state));
  for (auto _ : state) {
    std::size_t bytes = 0;
    store.latest().scan("widgets.example.com/", "", [&](const RecordRef& record) {
      bytes += record->key.size();
      return true;
    });
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(scan)->Arg(20'000)->Unit(benchmark::kMicrosecond);

// A page of an old list: some event between two checkpoints of the history.
void read_the_past(benchmark::State& state) {
  Store store = filled(20'000);
  for (std::size_t i = 0; i < 5000; ++i) store.put(key_of(i * 7919 % 20'000), object(i));
  std::uint64_t back = 0;
  for (auto _ : state) {
    back = (back + 997) % 5000;
    benchmark::DoNotOptimize(store.at(Revision{store.revision().value - back}));
  }
}
BENCHMARK(read_the_past)->Unit(benchmark::kMicrosecond);

// Heap bytes per object, by malloc's own account: body, record, key, tree. With `history` also the
// events of having created them all, which the history's own limits bound.
void bytes_per_object(benchmark::State& state, bool history, bool shuffled) {
  constexpr std::size_t kCount = 20'000;
  double bytes = 0;
  for (auto _ : state) {
    const auto before = mallinfo2().uordblks;
    Store store;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto n = shuffled ? i * 7919 % kCount : i;
      store.put(key_of(n), object(n));
    }
    if (!history) store.compact(store.revision());
    bytes = static_cast<double>(mallinfo2().uordblks - before) / kCount;
  }
  state.counters["bytes"] = bytes;
  state.counters["of_json"] = bytes / static_cast<double>(kTextBytes);
}
BENCHMARK_CAPTURE(bytes_per_object, in_order, false, false)->Iterations(1);
BENCHMARK_CAPTURE(bytes_per_object, shuffled, false, true)->Iterations(1);
BENCHMARK_CAPTURE(bytes_per_object, shuffled_with_history, true, true)->Iterations(1);

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Creations of 1 KB objects with so many waiting for the disk at once. cpu_us counts both threads,
// the change of the store in memory included.
void durable_creates(benchmark::State& state) {
  const ScratchDirectory dir{"bench"};
  std::atomic<std::uint64_t> durable{0};
  auto opened = DurableLog::open(dir.path() / "data", [&](const Progress& progress) {
    durable = progress.durable.value;
    durable.notify_one();
  });
  if (!opened) return state.SkipWithError(opened.error().message.c_str());
  Store store;
  std::vector<json::Value> bodies;
  for (std::size_t i = 0; i < 1000; ++i) bodies.push_back(object(i));
  const auto outstanding = static_cast<std::uint64_t>(state.range(0));
  const double start = process_cpu_seconds();
  std::size_t i = 0;
  for (auto _ : state) {
    opened->log->append(store.put(key_of(i), bodies[i % bodies.size()]));
    ++i;
    for (auto seen = durable.load(); store.revision().value >= seen + outstanding;
         seen = durable.load()) {
      durable.wait(seen);
    }
  }
  opened->log->drain();
  state.SetItemsProcessed(state.iterations());
  state.counters["cpu_us"] =
      (process_cpu_seconds() - start) * 1e6 / static_cast<double>(state.iterations());
}
BENCHMARK(durable_creates)->Arg(1)->Arg(32)->Arg(128)->UseRealTime()->Unit(benchmark::kMicrosecond);

void open_and_load(benchmark::State& state) {
  const ScratchDirectory dir{"bench"};
  const auto quiet = [](const Progress&) {};
  {
    auto opened = DurableLog::open(dir.path() / "data", quiet);
    if (!opened) return state.SkipWithError(opened.error().message.c_str());
    Store store;
    for (std::size_t i = 0; i < count_of(state); ++i) {
      opened->log->append(store.put(key_of(i), object(i)));
    }
  }
  for (auto _ : state) {
    auto opened = DurableLog::open(dir.path() / "data", quiet);
    if (!opened) return state.SkipWithError(opened.error().message.c_str());
    const Store store{std::move(opened->recovered.records), opened->recovered.revision};
    benchmark::DoNotOptimize(store.latest().size());
  }
}
BENCHMARK(open_and_load)->Arg(20'000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fixpoint::store
