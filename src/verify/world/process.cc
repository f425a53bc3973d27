// SPDX-License-Identifier: Apache-2.0
#include "verify/world/process.h"

#include "client/local_answer.h"
#include "kube/meta/metadata.h"
#include "verify/world/recall.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace fixpoint::verify::world {
namespace {

using runtime::Change;
using runtime::Contents;
using runtime::ControllerCore;
using runtime::Origin;
using runtime::Rule;

// Whose turn it is on this thread: passes ask a fence and a guard that are the same objects in all
// states.
struct OnStage {
  bool leads = true;
  runtime::ObjectGuard* guard = nullptr;
  MonotonicInstant now{};
};
thread_local OnStage on_stage;

std::atomic<std::uint64_t> blueprints_made{0};

class WorldFence final : public runtime::Fence {
 public:
  bool held() const override { return on_stage.leads; }
};

class WorldGuard final : public runtime::WriteGuard {
 public:
  runtime::WriteVerdict may_write(const runtime::WriteAttempt& attempt, Instant now) override {
    return on_stage.guard == nullptr ? runtime::WriteVerdict{}
                                     : on_stage.guard->may_write(attempt, now);
  }
  void wrote(const runtime::WriteAttempt& attempt, const client::Reply& reply,
             Instant now) override {
    if (on_stage.guard != nullptr) on_stage.guard->wrote(attempt, reply, now);
  }
  void marked(const runtime::WriteAttempt& attempt, json::View object, Instant now) override {
    if (on_stage.guard != nullptr) on_stage.guard->marked(attempt, object, now);
  }
  void removed(const runtime::ObjectRef& object, Instant now) override {
    if (on_stage.guard != nullptr) on_stage.guard->removed(object, now);
  }
};

// A guard only asks what time it is.
class WorldTime final : public runtime::Scheduler {
 public:
  Instant wall() const override { return Server::moment(); }
  MonotonicInstant now() const override { return on_stage.now; }
  runtime::TimerSerial after(Duration, Task) override { return 0; }
  void cancel(runtime::TimerSerial) override {}
};

const WorldFence kFence;
WorldGuard all_guards;
const WorldTime kWorldTime;

class ProcessCaches final : public runtime::CacheView {
 public:
  explicit ProcessCaches(Process& process) : process_(process) {}
  const Contents* find(const kube::GroupVersionKind& kind) const override {
    return process_.find(kind);
  }
  Contents* find_to_change(const kube::GroupVersionKind& kind) override {
    for (auto& followed : process_.follows) {
      if (followed.contents.collection().resource.kind == kind) {
        return followed.served ? &followed.contents : nullptr;
      }
    }
    return nullptr;
  }

 private:
  Process& process_;
};

// One wait for every failure: how long it is makes no difference where time is only an order.
constexpr Duration kBackoff = std::chrono::seconds(1);

ControllerCore core_of(const ProcessSetup& setup) {
  const std::string& name = setup.reconciler->declaration().name;
  ControllerCore::Setup made{
      .settings = {},
      .queue = {.backoff_first = kBackoff,
                   .backoff_max = kBackoff,
                   .one_pass_per_key = setup.rules.on(Rule::OnePassPerKey),
                   .jitter = false},
      .source = {.controller = name, .instance = name},
      .rng = Rng{1},
      .steady_waits = true,
      .never_overdue = true
  };
  made.settings.reconciler = setup.reconciler;
  made.settings.field_manager = "fixpoint-" + name;
  made.settings.rules = setup.rules;
  made.settings.fence = &kFence;
  if (setup.guard) made.settings.guard = &all_guards;
  made.settings.keep_reads = true;
  return ControllerCore{std::move(made)};
}

client::EventType type_of(apiserver::WatchEventType type) {
  switch (type) {
    case apiserver::WatchEventType::Added: return client::EventType::Added;
    case apiserver::WatchEventType::Modified: return client::EventType::Modified;
    default: return client::EventType::Deleted;
  }
}

// Objects that were cut before; the same tree is cut into the same tree, and states share it.
constexpr std::size_t kCutsMax = 100'000;

json::Value cut_once(const json::Value& object, const client::Collection& collection,
                     const std::shared_ptr<const json::Shape>& shape) {
  struct Cut {
    json::Value from;
    json::Value to;
  };
  thread_local std::unordered_map<const void*, std::unordered_map<const void*, Cut>> known;
  auto& of_shape = known[shape.get()];
  const auto found = of_shape.find(object.view().block());
  if (found != of_shape.end() && found->second.from.view().same_as(object)) {
    return found->second.to;
  }
  if (of_shape.size() >= kCutsMax) of_shape.clear();
  auto made = client::cut(object, collection, shape);
  of_shape[object.view().block()] = {object, made};
  return made;
}

}  // namespace

Blueprint::Blueprint(const ProcessSetup& setup, store::Store& store)
    : serial_(++blueprints_made),
      reconciler_(setup.reconciler),
      rules_(setup.rules),
      weakness_(setup.weakness),
      core_(core_of(setup)) {
  if (setup.guard) {
    auto settings = *setup.guard;
    settings.by = declaration().name;
    // What it has to say is for people.
    guard_.emplace(std::move(settings), kWorldTime, [](const runtime::GuardNotice&) {});
  }
  Server server{store, weakness_};
  for (const auto& watch : watches()) {
    shapes_.push_back(
        std::make_shared<const json::Shape>(watch.shape.without({"metadata", "managedFields"})));
    const bool served =
        !watch.optional || server.resolve(watch.collection.resource.kind).has_value();
    filters_.push_back(served ? std::optional{server.watch(watch.collection)} : std::nullopt);
    auto& followed = follows_.emplace_back(Followed{
        .contents = Contents{watch.collection, watch.indexes, shapes_.back()},
        .pending = {},
        .last = std::nullopt,
        .digest = nullptr,
        .served = served
    });
    followed.contents.keep_own_changes();
    if (!rules_.on(Rule::ReadOwnWrites)) followed.contents.forget_own_writes();
    if (!rules_.on(Rule::NeverBackInTime)) followed.contents.believe_the_past();
  }
}

// What a watch tells follows from the records before and after, and states share those.
std::optional<News> Blueprint::news(std::size_t watch, const store::Event& event) const {
  const auto& filter = filters_[watch];
  if (!filter || !event.key().starts_with(filter->selection.resource.prefix)) return std::nullopt;
  struct Told {
    store::Event event;  // so that its records are not others tomorrow
    std::optional<News> news;
  };
  constexpr std::size_t kPlaces = std::size_t{1} << 14U;
  thread_local Recall<Told> known{kPlaces};
  const std::array<std::uint64_t, 5> words{serial_, watch,
                                           std::bit_cast<std::uintptr_t>(event.before.get()),
                                           std::bit_cast<std::uintptr_t>(event.after.get()),
                                           std::bit_cast<std::uintptr_t>(event.last.get())};
  const Hash128 key = hash128({reinterpret_cast<const char*>(words.data()), sizeof(words)});
  if (const Told* told = known.find(key)) return told->news;
  auto made = news_afresh(watch, event);
  known.put(key, {event, made});
  return made;
}

std::optional<News> Blueprint::news_afresh(std::size_t watch, const store::Event& event) const {
  auto told = filters_[watch]->next(event);
  if (!told) return std::nullopt;
  return News{type_of(told->type),
              cut_once(told->object, watches()[watch].collection, shapes_[watch])};
}

client::ListCall Blueprint::list_call(std::size_t watch) const {
  client::ListCall call;
  call.collection = watches()[watch].collection;
  call.shape = shapes_[watch];
  return call;
}

const Contents* Process::find(const kube::GroupVersionKind& kind) const {
  for (const auto& followed : follows) {
    if (followed.contents.collection().resource.kind == kind) {
      return followed.served ? &followed.contents : nullptr;
    }
  }
  return nullptr;
}

// Contents are copied when they change: as long as both exist, one state is one content.
bool Followed::untouched_since(const Followed& earlier) const {
  const auto same = [](const News& a, const News& b) { return a.same_as(b); };
  return served == earlier.served && &contents.state() == &earlier.contents.state() &&
         std::ranges::equal(pending, earlier.pending, same) &&
         last.has_value() == earlier.last.has_value() && (!last || last->same_as(*earlier.last));
}

std::optional<MonotonicInstant> Process::next_due() const {
  std::optional<MonotonicInstant> next;
  core.queue().each([&](const runtime::WorkQueue::Waiting& waiting) {
    const auto at =
        waiting.queued ? MonotonicInstant{} : std::min(waiting.requeue_at, waiting.retry_at);
    if (at != runtime::WorkQueue::kNever && (!next || at < *next)) next = at;
  });
  return next;
}

bool Process::can_begin(MonotonicInstant now, std::uint8_t passes) const {
  const auto due = next_due();
  const auto declared = static_cast<std::size_t>(std::max(core.declaration().concurrency, 1));
  const auto room = passes == 0 ? declared : std::size_t{passes};
  return connected && due && *due <= now && core.running() < room;
}

const runtime::Pass* Process::pass(std::size_t index) const {
  const runtime::Pass* found = nullptr;
  core.each_running([&](ControllerCore::PassId, const runtime::Pass& pass) {
    if (index-- == 0) found = &pass;
  });
  return found;
}

Driver::Driver(const Blueprint& blueprint, Process& process, MonotonicInstant now, bool leads)
    : blueprint_(blueprint), process_(process), now_(now) {
  on_stage = {leads, process.guard ? &*process.guard : nullptr, now};
}

Driver::~Driver() {
  on_stage = {};
}

void Driver::tell(std::size_t watch, const std::vector<Change>& changes) {
  const ProcessCaches caches{process_};
  for (const Change& change : changes) {
    process_.core.changed(blueprint_.watches()[watch], change, caches, now_);
  }
}

void Driver::tell_own_changes() {
  for (std::size_t watch = 0; watch < process_.follows.size(); ++watch) {
    tell(watch, process_.follows[watch].contents.take_own_changes());
  }
  process_.core.told();
}

void Driver::list(std::size_t watch, store::Store& store) {
  auto& contents = process_.follows[watch].contents;
  const auto page = Server{store, blueprint_.weakness()}.list(blueprint_.list_call(watch));
  contents.begin_relist();
  if (!page) {
    // The kind is not served: there is nothing of it.
    FP_CHECK(page.error().not_found());
    process_.follows[watch].served = !blueprint_.watches()[watch].optional;
    tell(watch, contents.clear());
    return;
  }
  process_.follows[watch].served = true;
  auto changes = contents.put_page(page->items, page->resource_version);
  if (!changes) return;
  tell(watch, *changes);
  tell(watch, contents.end_relist());
}

void Driver::connect(const std::vector<store::Store*>& stores, const store::Store& now_store) {
  for (std::size_t watch = 0; watch < process_.follows.size(); ++watch) {
    list(watch, *stores[watch]);
    const auto later = now_store.events_after(stores[watch]->revision());
    FP_CHECK(later.has_value());
    for (const auto& event : *later) {
      if (auto news = blueprint_.news(watch, event)) {
        process_.follows[watch].pending.push_back(*std::move(news));
      }
    }
  }
  process_.connected = true;
}

void Driver::relist(std::size_t watch, store::Store& store) {
  process_.follows[watch].pending.clear();
  process_.follows[watch].last.reset();
  list(watch, store);
}

bool Driver::is_echo(std::size_t watch) const {
  const auto& followed = process_.follows[watch];
  const auto& news = followed.pending.front();
  const json::View known = followed.contents.get(kube::key_of(news.object));
  if (news.type == client::EventType::Deleted) return known.is_null();
  return kube::resource_version_of(known) == kube::resource_version_of(news.object);
}

void Driver::hear(std::size_t watch, const News& news) {
  auto& contents = process_.follows[watch].contents;
  const auto change = news.type == client::EventType::Deleted
                          ? contents.remove(news.object, Origin::Watch)
                          : contents.put(news.object, Origin::Watch);
  const auto version = kube::resource_version_of(news.object);
  if (!runtime::older(version, contents.resource_version())) contents.seen(version);
  if (change) tell(watch, {*change});
}

void Driver::deliver(std::size_t watch) {
  auto& followed = process_.follows[watch];
  News news = std::move(followed.pending.front());
  followed.pending.erase(followed.pending.begin());
  hear(watch, news);
  followed.last = std::move(news);
}

void Driver::repeat(std::size_t watch) {
  const News news = *process_.follows[watch].last;
  hear(watch, news);
}

Driver::Ended Driver::begin() {
  ProcessCaches caches{process_};
  const auto started = process_.core.start(caches, times());
  // A deadline of a key whose pass is running: it gets another one afterwards.
  if (!started) return std::nullopt;
  return drive(started->id);
}

Driver::Ended Driver::answer(std::size_t pass, runtime::EffectId effect,
                             runtime::EffectReply reply) {
  ProcessCaches caches{process_};
  const auto id = process_.core.running_ids().at(pass);
  process_.core.answer(id, effect, std::move(reply), caches, times());
  return drive(id);
}

Driver::Ended Driver::abort(std::size_t pass, runtime::StepFailure why) {
  const auto id = process_.core.running_ids().at(pass);
  process_.core.abort(id, std::move(why));
  return drive(id);
}

// As Controller::drive: what it wants now is out from here on; its end is settled at once.
Driver::Ended Driver::drive(ControllerCore::PassId id) {
  Ended ended;
  if (process_.core.take_effects(id).empty()) ended = process_.core.settle(id, times());
  tell_own_changes();
  // Events are for people: nobody reads them, and what became of one changes nothing.
  (void)process_.core.events().take();
  return ended;
}

}  // namespace fixpoint::verify::world
