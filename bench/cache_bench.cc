// SPDX-License-Identifier: Apache-2.0
//
// What the operators' cache costs: bytes for each object beside its size on the wire, reads,
// events, and a cold sync and a relist from the text of the pages on. The objects are custom
// resources of 1.6 KB, of which 0.9 KB are managed fields that are never kept.
#include "json/parsing/parse.h"
#include "json/shape/shape.h"
#include "runtime/cache/contents.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

namespace fixpoint::runtime {
namespace {

constexpr std::size_t kWireBytes = 1'600;
constexpr std::size_t kManagedBytes = 900;
constexpr std::size_t kPage = 500;

std::string managed_fields() {
  std::string text = R"([{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{)";
  for (int i = 0; text.size() < kManagedBytes - 120; ++i) {
    text += fmt::format(R"({}"f:field-{}":{{".":{{}},"f:value":{{}}}})", i == 0 ? "" : ",", i);
  }
  return text + R"(},"manager":"kubectl","operation":"Update","time":"2026-01-01T00:00:00Z"}])";
}

std::string object_text(std::size_t n, std::size_t version) {
  static const std::string managed = managed_fields();
  std::string text = fmt::format(
      R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"creationTimestamp":)"
      R"("2026-01-01T00:00:00Z","generation":1,"labels":{{"app":"demo","tier":"backend"}},)"
      R"("managedFields":{2},"name":"widget-{0:05}","namespace":"default","ownerReferences":[)"
      R"({{"apiVersion":"example.com/v1","kind":"Owner","name":"owner-{0:05}","controller":true,)"
      R"("uid":"7d1c5c1e-0b8d-4f3e-9b1a-{0:012}"}}],"resourceVersion":"{1}",)"
      R"("uid":"0b8d5c1e-7d1c-4f3e-9b1a-{0:012}"}},"spec":{{"replicas":3,"size":"large","note":")",
      n, version, managed);
  const std::string_view end = R"("},"status":{"ready":true,"phase":"Running"}})";
  if (text.size() + end.size() < kWireBytes) {
    text.append(kWireBytes - text.size() - end.size(), 'x');
  }
  return text + std::string{end};
}

std::vector<std::string> pages(std::size_t count, std::size_t version) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < count; from += kPage) {
    std::string text =
        R"({"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{},"items":[)";
    for (std::size_t i = from; i < std::min(from + kPage, count); ++i) {
      if (i != from) text += ',';
      text += object_text(i, version + i);
    }
    all.push_back(text + "]}");
  }
  return all;
}

std::shared_ptr<const json::Shape> without_managed_fields() {
  return std::make_shared<const json::Shape>(
      json::Shape::all().without({"metadata", "managedFields"}));
}

Contents empty() {
  client::Collection collection;
  collection.resource = {
      .kind = {"example.com", "v1", "Widget"},
        .plural = "widgets"
  };
  return Contents{std::move(collection), {}, without_managed_fields()};
}

std::size_t used_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Decodes and stores page after page; returns the most memory that was in use.
std::size_t sync(Contents& contents, const std::vector<std::string>& texts,
                 std::string_view version) {
  const auto shape = without_managed_fields();
  std::size_t peak = 0;
  contents.begin_relist();
  for (const auto& text : texts) {
    auto list = json::parse_list(text, "items", shape.get()).value();
    peak = std::max(peak, used_bytes());
    benchmark::DoNotOptimize(contents.put_page(std::move(list.elements), version));
    peak = std::max(peak, used_bytes());
  }
  benchmark::DoNotOptimize(contents.end_relist());
  return peak;
}

Contents filled(std::size_t count) {
  auto contents = empty();
  sync(contents, pages(count, 1), std::to_string(count));
  return contents;
}

std::size_t count_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

std::vector<kube::Key> some_keys(std::size_t count) {
  std::vector<kube::Key> keys;
  for (std::size_t i = 0; i < 1024; ++i) {
    keys.push_back({"default", fmt::format("widget-{:05}", i * 7919 % count)});
  }
  return keys;
}

void get(benchmark::State& state) {
  const auto contents = filled(count_of(state));
  const auto keys = some_keys(count_of(state));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(contents.get(keys[i++ % keys.size()]));
}
BENCHMARK(get)->Arg(1'000)->Arg(20'000);

void owned_by(benchmark::State& state) {
  const auto contents = filled(count_of(state));
  std::size_t i = 0;
  std::vector<std::string> uids;
  for (std::size_t k = 0; k < 1024; ++k) {
    uids.push_back(fmt::format("7d1c5c1e-0b8d-4f3e-9b1a-{:012}", k * 7919 % count_of(state)));
  }
  for (auto _ : state) benchmark::DoNotOptimize(contents.owned_by(uids[i++ % uids.size()]));
}
BENCHMARK(owned_by)->Arg(20'000);

void list_all(benchmark::State& state) {
  const auto contents = filled(count_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(contents.list(""));
}
BENCHMARK(list_all)->Arg(20'000)->Unit(benchmark::kMicrosecond);

// An event that changes an object, parsed already.
void put_event(benchmark::State& state) {
  auto contents = filled(count_of(state));
  const auto shape = without_managed_fields();
  std::size_t version = count_of(state);
  for (auto _ : state) {
    state.PauseTiming();
    ++version;
    const auto text = object_text(version * 7919 % count_of(state), version);
    auto object = json::parse_shaped(text, shape.get()).value();
    state.ResumeTiming();
    benchmark::DoNotOptimize(contents.put(std::move(object), Origin::Watch));
    contents.seen(std::to_string(version));
  }
}
BENCHMARK(put_event)->Arg(20'000)->Iterations(50'000);

// As the verifier does: copy, change one object, let go.
void fork_and_change_one(benchmark::State& state) {
  const auto contents = filled(count_of(state));
  const auto text = object_text(7, count_of(state) + 1);
  const auto object = json::parse(text).value();
  for (auto _ : state) {
    auto fork = contents;
    benchmark::DoNotOptimize(fork.put(object, Origin::Watch));
  }
}
BENCHMARK(fork_and_change_one)->Arg(20)->Arg(1'000);

// From the text of the pages to a synced cache. `x_wire` is what the cache holds for each byte that
// was sent; `beside` what an object costs over its packed tree.
void cold_sync(benchmark::State& state) {
  const auto texts = pages(count_of(state), 1);
  for (auto _ : state) {
    malloc_trim(0);
    const auto before = used_bytes();
    auto contents = empty();
    const auto peak = sync(contents, texts, std::to_string(count_of(state)));
    const auto held = used_bytes() - before;
    std::size_t packed = 0;
    for (const auto object : contents.list("")) packed += object.block()->total_bytes();
    const auto count = static_cast<double>(count_of(state));
    state.counters["x_wire"] = static_cast<double>(held) / count / kWireBytes;
    state.counters["peak_x_wire"] = static_cast<double>(peak - before) / count / kWireBytes;
    state.counters["beside"] = static_cast<double>(held - packed) / count;
    state.counters["counted"] = static_cast<double>(contents.bytes()) / static_cast<double>(held);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(cold_sync)->Arg(20'000)->Unit(benchmark::kMillisecond)->Iterations(3);

// The same list again when nothing has changed, and when everything has.
void relist(benchmark::State& state, std::size_t version) {
  const auto texts = pages(count_of(state), version);
  for (auto _ : state) {
    state.PauseTiming();
    const auto before = used_bytes();
    auto contents = filled(count_of(state));
    malloc_trim(0);
    const auto steady = used_bytes() - before;
    state.ResumeTiming();
    const auto peak = sync(contents, texts, std::to_string(version + count_of(state)));
    state.counters["peak_x_steady"] =
        static_cast<double>(peak - before) / static_cast<double>(steady);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(relist, unchanged, 1)->Arg(20'000)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(relist, all_changed, 100'000)
    ->Arg(20'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace
}  // namespace fixpoint::runtime
