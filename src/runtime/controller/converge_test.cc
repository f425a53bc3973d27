// SPDX-License-Identifier: Apache-2.0
//
// Cache, client and controller as they ship, together, in virtual time: how many requests it takes
// to bring many objects where they belong, and that a second process has nothing left to do.
#include "client/local_client.h"
#include "runtime/cache/cache.h"
#include "runtime/controller/controller_fixture.h"
#include "runtime/controller/world_api.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

constexpr int kBoatCount = 300;

// Counts what goes through it.
class CountingClient final : public client::Client {
 public:
  explicit CountingClient(client::Client& inner) : inner_(inner) {}
  void call(client::Call request, Done done) override {
    ++(request.verb == client::Verb::Get ? reads : writes);
    inner_.call(std::move(request), [this, done = std::move(done)](client::Reply reply) mutable {
      if (!reply) ++refusals;
      done(std::move(reply));
    });
  }
  void list(client::ListCall request, PageDone done) override {
    inner_.list(std::move(request), std::move(done));
  }
  std::unique_ptr<client::Watching> watch(client::WatchCall request,
                                          client::WatchHandlers handlers) override {
    return inner_.watch(std::move(request), std::move(handlers));
  }
  void resolve(kube::GroupVersionKind kind, Resolved done) override {
    inner_.resolve(std::move(kind), std::move(done));
  }

  int reads = 0;
  int writes = 0;
  int refusals = 0;

 private:
  client::Client& inner_;
};

struct Process {
  Process(TestWorld& world, VirtualScheduler& time)
      : scheduler(time),
        api(world),
        local(api, [&time](auto task) { time.after(Duration::zero(), std::move(task)); }),
        client(local),
        workers(time),
        cache({.client = &client, .scheduler = &time, .rng = Rng{5}}),
        session(cache.open({.changed =
                                [this](FollowId id, const Change& change) {
                                  controller->changed(kinds.at(id), {&change, 1});
                                },
                            .synced = [this] { controller->start(); }})) {
    controller = std::make_unique<Controller>(Controller::Setup{.reconciler = &reconciler,
                                                                .client = &client,
                                                                .cache = session.get(),
                                                                .scheduler = &time,
                                                                .workers = &workers,
                                                                .listener = &listener});
    for (const Watch& watch : reconciler.declared.watches) {
      kinds.emplace(session->follow(watch), watch.collection.resource.kind);
    }
  }
  ~Process() {
    controller.reset();
    session.reset();
  }
  void run_for(Duration time) {
    const auto until = scheduler.now() + time;
    while (scheduler.now() < until) {
      scheduler.advance(1ms);
      local.changed();
    }
  }

  VirtualScheduler& scheduler;
  TestOperator reconciler;
  RecordingListener listener;
  WorldApi api;
  client::LocalClient local;
  CountingClient client;
  InlineWorkers workers;
  Cache cache;
  std::map<FollowId, kube::GroupVersionKind> kinds;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<CacheSession> session;
};

class ConvergeTest : public testing::Test {
 protected:
  ConvergeTest() {
    for (int i = 0; i < kBoatCount; ++i) world_.create_boat("b" + std::to_string(i));
  }
  int ready() {
    int count = 0;
    const auto boats = world_.list({.collection = {.resource = kBoats}});
    for (const auto& boat : boats->items) {
      if (boat.get("status", "phase").as_string() == "Ready") ++count;
    }
    return count;
  }

  TestWorld world_;
  VirtualScheduler scheduler_;
};

TEST_F(ConvergeTest, TakesTwoWritesAnObjectAndNoConflict) {
  Process process(world_, scheduler_);

  process.run_for(1s);

  EXPECT_EQ(ready(), kBoatCount);
  EXPECT_EQ(world_.count(kMaps), static_cast<std::size_t>(kBoatCount));
  EXPECT_EQ(process.client.writes, 2 * kBoatCount);
  EXPECT_EQ(process.client.refusals, 0);
  EXPECT_EQ(process.client.reads, 0);
}

TEST_F(ConvergeTest, ASecondProcessWritesNothing) {
  {
    Process first(world_, scheduler_);
    first.run_for(1s);
  }
  const auto revision = world_.revision();
  Process second(world_, scheduler_);

  second.run_for(1s);

  EXPECT_EQ(second.client.writes, 0);
  EXPECT_EQ(second.client.reads, 0);
  EXPECT_EQ(world_.revision(), revision);
  EXPECT_EQ(second.listener.ended, kBoatCount);
}

TEST_F(ConvergeTest, EveryChangeCostsItsOwnWritesOnly) {
  Process process(world_, scheduler_);
  process.run_for(1s);
  process.client.writes = 0;
  for (int i = 0; i < 10; ++i) {
    world_.patch(kBoats, "b" + std::to_string(i), R"({"spec":{"color":"blue"}})");
  }

  process.run_for(1s);

  // The first change of a wish turns the ownership of its fields; then apply and status.
  EXPECT_EQ(process.client.writes, 30);
  EXPECT_EQ(process.client.reads, 10);
  EXPECT_EQ(process.client.refusals, 0);
  EXPECT_EQ(world_.text(kMaps, "b3-map", "data", "color"), "blue");
}

}  // namespace
}  // namespace fixpoint::runtime
