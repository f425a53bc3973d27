// SPDX-License-Identifier: Apache-2.0
//
// What a controller costs when there is nothing to do: the queue alone, a pass with one cached
// read, and a pass that finds its child and its status as they should be. 20,000 keys, ten times
// over, as the peers are measured (docs/BENCHMARKS.md).
#include "base/clock.h"
#include "base/rng.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/child.h"
#include "runtime/controller/controller_core.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace fixpoint::runtime {
namespace {

constexpr int kKeys = 20'000;
constexpr int kRounds = 10;

const client::Resource kWidgets{
    {"bench.example.com", "v1", "Widget"},
    "widgets", client::Scope::Namespaced
};
const client::Resource kMaps{
    {"", "v1", "ConfigMap"},
    "configmaps", client::Scope::Namespaced
};

std::vector<kube::Key> make_keys() {
  std::vector<kube::Key> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back({"default", "widget-" + std::to_string(i)});
  return keys;
}

void queue_add_take_finish(benchmark::State& state) {
  const auto keys = make_keys();
  WorkQueue queue{{}, Rng{1}};
  const MonotonicInstant now{};
  for (auto _ : state) {
    for (const auto& key : keys) {
      queue.add(key, kFreshPriority, now);
      const auto taken = queue.take(now);
      queue.finish(taken->slot, {}, now);
    }
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(queue_add_take_finish)->Unit(benchmark::kMillisecond);

void queue_add_all_then_drain(benchmark::State& state) {
  const auto keys = make_keys();
  WorkQueue queue{{}, Rng{1}};
  const MonotonicInstant now{};
  for (auto _ : state) {
    for (const auto& key : keys) queue.add(key, kFreshPriority, now);
    while (const auto taken = queue.take(now)) queue.finish(taken->slot, {}, now);
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(queue_add_all_then_drain)->Unit(benchmark::kMillisecond);

class View final : public CacheView {
 public:
  const Contents* find(const kube::GroupVersionKind& kind) const override {
    if (kind == kWidgets.kind) return &widgets;
    return kind == kMaps.kind ? &maps : nullptr;
  }
  Contents* find_to_change(const kube::GroupVersionKind& kind) override {
    return const_cast<Contents*>(find(kind));
  }
  Contents widgets{{.resource = kWidgets}, {}};
  Contents maps{{.resource = kMaps}, {}};
};

json::Value wish(std::string_view name) {
  json::Draft object = json::Draft::object();
  object["apiVersion"] = "v1";
  object["kind"] = "ConfigMap";
  object.object_at("metadata")["name"] = name;
  object.object_at("metadata")["namespace"] = "default";
  for (int i = 0; i < 5; ++i) {
    object.object_at("data")["key" + std::to_string(i)] = "some value that says a little";
  }
  return object.freeze();
}

// Reads one object from the cache; with `children` also wants a ConfigMap and says a status.
class Reconciler final : public Operator {
 public:
  explicit Reconciler(bool children) : children_(children) {
    declaration_.name = "widgets";
    declaration_.watches.push_back(
        {.role = WatchRole::Primary, .collection = {.resource = kWidgets}});
    declaration_.watches.push_back({.role = WatchRole::Owned, .collection = {.resource = kMaps}});
  }
  const Declaration& declaration() const override { return declaration_; }
  kube::FieldErrors check(json::View) const override { return {}; }
  Result<Facts> observe(const Reader& reader, Probes&, const kube::Key& key) const override {
    const json::View map = reader.get(kMaps.kind, key);
    benchmark::DoNotOptimize(map);
    if (!children_) return Facts{};
    return Facts{std::make_shared<const std::string>(key.name)};
  }
  Plan decide(const Facts& facts, Instant) const override {
    Plan plan;
    if (children_) plan.apply(wish(*static_cast<const std::string*>(facts.get())));
    return plan;
  }
  Conclusion conclude(const Facts&, const Outcomes& outcomes) const override {
    Conclusion conclusion;
    if (children_) {
      conclusion.conditions.push_back({.type = "Ready",
                                       .is_true = outcomes.all_succeeded(),
                                       .reason = "Applied",
                                       .message = ""});
    }
    return conclusion;
  }

 private:
  bool children_;
  Declaration declaration_;
};

void fill(View& view) {
  view.widgets.begin_relist();
  view.maps.begin_relist();
  std::vector<json::Value> widgets;
  std::vector<json::Value> maps;
  for (int i = 0; i < kKeys; ++i) {
    const std::string name = "widget-" + std::to_string(i);
    const std::string uid = "00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + i);
    json::Draft widget(json::parse(R"({"apiVersion":"bench.example.com/v1","kind":"Widget",
      "metadata":{"namespace":"default","generation":1},"spec":{"size":3,"color":"red"},
      "status":{"conditions":[{"type":"Ready","status":"True","reason":"Applied","message":"",
      "observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}})")
                           .value());
    widget.object_at("metadata")["name"] = name;
    widget.object_at("metadata")["uid"] = uid;
    widget.object_at("metadata")["resourceVersion"] = std::to_string(i + 1);
    widgets.push_back(widget.freeze());
    const json::Value wanted = wish(name);
    json::Draft map(as_child(wanted,
                             {
                                 "default", name
    },
                             {kWidgets.kind, {"default", name}, uid}, wanted.hash().hex()));
    map.object_at("metadata")["uid"] = "1" + uid.substr(1);
    map.object_at("metadata")["resourceVersion"] = std::to_string(kKeys + i + 1);
    maps.push_back(map.freeze());
  }
  const auto version = std::to_string(3 * kKeys);
  (void)view.widgets.put_page(std::move(widgets), version);
  (void)view.widgets.end_relist();
  (void)view.maps.put_page(std::move(maps), version);
  (void)view.maps.end_relist();
}

void passes(benchmark::State& state, bool children) {
  View view;
  fill(view);
  const Reconciler reconciler{children};
  const auto keys = make_keys();
  ControllerCore core({
      .settings = {.reconciler = &reconciler, .field_manager = "bench"},
      .queue = {},
      .source = {},
      .rng = Rng{1}
  });
  const Times now{Instant{}, MonotonicInstant{}};
  std::size_t writes = 0;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      for (const auto& key : keys) core.add(key, kFreshPriority, now.monotonic);
      while (const auto started = core.start(view, now)) {
        auto effects = core.take_effects(started->id);
        writes += effects.size();
        const auto ended = core.settle(started->id, now);
        if (!ended) return state.SkipWithError("a pass wanted something");
      }
    }
  }
  if (writes > 0) state.SkipWithError("a pass wrote something");
  state.SetItemsProcessed(state.iterations() * kKeys * kRounds);
}

void noop_pass_with_one_cached_read(benchmark::State& state) {
  passes(state, false);
}
void noop_pass_with_a_child_and_a_status(benchmark::State& state) {
  passes(state, true);
}
BENCHMARK(noop_pass_with_one_cached_read)->Unit(benchmark::kMillisecond);
BENCHMARK(noop_pass_with_a_child_and_a_status)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fixpoint::runtime
