// SPDX-License-Identifier: Apache-2.0
//
// ControllerFixture: a whole controller over a TestWorld in virtual time, with faults at any call.
#pragma once

#include "runtime/cache/fake_client.h"
#include "runtime/controller/controller.h"
#include "runtime/controller/pass_fixture.h"
#include "runtime/controller/test_world.h"
#include "runtime/virtual_scheduler.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {

// Answers calls from the TestWorld a little later.
class WorldClient final : public client::Client {
 public:
  WorldClient(TestWorld& world, VirtualScheduler& scheduler)
      : world_(world), scheduler_(scheduler) {}

  void call(client::Call request, Done done) override {
    const std::size_t number = calls.size();
    calls.push_back(request);
    const bool writes = request.verb != client::Verb::Get;
    if (writes && request.resource.plural != "events") ++writes_made;
    const Fault fault = request.resource.plural == "events" ? Fault::None : fault_at(number);
    const bool acts =
        fault == Fault::None || fault == Fault::LostAfter || fault == Fault::CrashAfter;
    std::optional<client::Reply> reply;
    if (acts) reply = world_.call(request);
    switch (fault) {
      case Fault::None: break;
      case Fault::Before: reply = std::unexpected(refused(500, "InternalError")); break;
      case Fault::NotSent: reply = std::unexpected(lost(client::Fate::NotSent)); break;
      case Fault::LostBefore:
      case Fault::LostAfter: reply = std::unexpected(lost()); break;
      case Fault::CrashBefore:
      case Fault::CrashAfter: crashed = true; return;  // nobody is there to hear the answer
    }
    later([done = std::move(done), answer = *std::move(reply)]() mutable {
      done(std::move(answer));
    });
  }
  void list(client::ListCall request, PageDone done) override {
    ++lists;
    later([done = std::move(done), answer = world_.list(request)]() mutable {
      done(std::move(answer));
    });
  }
  std::unique_ptr<client::Watching> watch(client::WatchCall, client::WatchHandlers) override {
    return nullptr;
  }
  void resolve(kube::GroupVersionKind, Resolved done) override {
    later([done = std::move(done)]() mutable {
      done(std::unexpected(refused(404, "NotFound", "no such kind")));
    });
  }

  std::vector<client::Call> calls;
  std::size_t lists = 0;
  std::size_t writes_made = 0;
  bool crashed = false;
  Duration latency = std::chrono::milliseconds(1);
  std::function<Fault(std::size_t)> fault_at = [](std::size_t) { return Fault::None; };

 private:
  void later(Scheduler::Task task) { scheduler_.after(latency, std::move(task)); }
  TestWorld& world_;
  VirtualScheduler& scheduler_;
};

class InlineWorkers final : public Workers {
 public:
  explicit InlineWorkers(VirtualScheduler& scheduler) : scheduler_(scheduler) {}
  void run(Duration, Work work, Done done) override {
    scheduler_.after(latency,
                     [work = std::move(work), done = std::move(done)]() mutable { done(work()); });
  }

  Duration latency = std::chrono::milliseconds(1);

 private:
  VirtualScheduler& scheduler_;
};

class RecordingListener final : public ControllerListener {
 public:
  void pass_began(const ControllerCore::Started&, const kube::Key&) override { ++began; }
  void pass_ended(const ControllerCore::Ended& over) override {
    ++ended;
    last = over.end;
  }
  int began = 0;
  int ended = 0;
  PassEnd last;
};

class ControllerFixture : public testing::Test {
 public:
  ~ControllerFixture() override { controller_.reset(); }

 protected:
  ControllerFixture() {
    operator_.declared.finalizer = "fixpoint.dev/boats";
    for (auto& [kind, contents] : world_.contents) contents.keep_own_changes();
  }

  void make_controller() {
    controller_ = std::make_unique<Controller>(Controller::Setup{.reconciler = &operator_,
                                                                 .client = &client_,
                                                                 .cache = &world_,
                                                                 .scheduler = &scheduler_,
                                                                 .workers = &workers_,
                                                                 .identity = "test-1",
                                                                 .guard = guard_,
                                                                 .fence = fence_,
                                                                 .listener = &listener_,
                                                                 .rules = rules_,
                                                                 .rng = Rng{3}});
    controller_->start();
    controller_->look_at_all();
  }
  // A new process: nothing is remembered, the cache starts over.
  void restart() {
    controller_.reset();
    client_.crashed = false;
    world_.contents.clear();
    for (const auto& resource : {kBoats, kMaps, kRoles}) world_.follow(resource);
    for (auto& [kind, contents] : world_.contents) contents.keep_own_changes();
    world_.sync();
    make_controller();
  }
  // The watches deliver: what others wrote, and what was written here, to everybody.
  void deliver() {
    for (auto& [kind, contents] : world_.contents) {
      const auto own = contents.take_own_changes();
      if (!own.empty()) controller_->changed(kind, own);
    }
    if (std::exchange(delivered_, world_.revision()) == world_.revision()) return;
    for (auto& seen : world_.sync()) controller_->changed(seen.kind, std::span{&seen.change, 1});
  }
  // Lets time pass, delivering every ten milliseconds.
  void run_for(Duration time) {
    const auto until = scheduler_.now() + time;
    while (scheduler_.now() < until) {
      scheduler_.advance(std::chrono::milliseconds(10));
      if (client_.crashed) restart();
      deliver();
    }
  }

  VirtualScheduler scheduler_;
  TestWorld world_;
  WorldClient client_{world_, scheduler_};
  InlineWorkers workers_{scheduler_};
  TestOperator operator_;
  RecordingListener listener_;
  WriteGuard* guard_ = nullptr;
  const Fence* fence_ = nullptr;
  Rules rules_;
  std::unique_ptr<Controller> controller_;
  std::uint64_t delivered_ = 0;
};

}  // namespace fixpoint::runtime
