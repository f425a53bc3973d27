// SPDX-License-Identifier: Apache-2.0
//
// A whole controller over the API-server core, in virtual time.
#include "runtime/controller/controller.h"

#include "runtime/controller/controller_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

class ControllerTest : public ControllerFixture {};

TEST_F(ControllerTest, ConvergesManyObjectsWithTheFewestWrites) {
  operator_.declared.finalizer.clear();
  for (int i = 0; i < 50; ++i) world_.create_boat("b" + std::to_string(i));
  world_.sync();
  make_controller();

  run_for(1s);

  EXPECT_EQ(world_.count(kMaps), 50U);
  EXPECT_EQ(client_.writes_made, 100U);
  EXPECT_EQ(client_.calls.size(), 100U);
  EXPECT_EQ(world_.text(kBoats, "b7", "status", "phase"), "Ready");
}

TEST_F(ControllerTest, ASecondProcessFindsEverythingDone) {
  for (int i = 0; i < 20; ++i) world_.create_boat("b" + std::to_string(i));
  world_.sync();
  make_controller();
  run_for(1s);
  const auto before = world_.revision();
  client_.calls.clear();

  restart();
  run_for(1s);

  EXPECT_TRUE(client_.calls.empty());
  EXPECT_EQ(world_.revision(), before);
}

TEST_F(ControllerTest, ReactsToWhatOthersDoToChildren) {
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(100ms);

  world_.remove(kMaps, "a-map");
  run_for(100ms);
  EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "red");
  world_.patch(kMaps, "a-map", R"({"data":{"color":"pink"}})");
  run_for(100ms);

  EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "red");
}

TEST_F(ControllerTest, FollowsTheSpecAndCleansUpOnDeletion) {
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(100ms);
  EXPECT_EQ(world_.text(kBoats, "a", "metadata", "finalizers"), R"(["fixpoint.dev/boats"])");

  world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
  run_for(100ms);
  EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "blue");
  world_.remove(kBoats, "a");
  run_for(2s);

  EXPECT_EQ(world_.count(kBoats), 0U);
  EXPECT_EQ(world_.count(kMaps), 0U);
  EXPECT_EQ(controller_->core().queue().size(), 0U);
  EXPECT_EQ(controller_->core().memories(), 0U);
}

TEST_F(ControllerTest, IsIdleAtTheFixpoint) {
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(2s);
  const int passes = listener_.ended;
  const std::size_t calls = client_.calls.size();

  run_for(60s);

  EXPECT_EQ(listener_.ended, passes);
  EXPECT_EQ(client_.calls.size(), calls);
  EXPECT_EQ(scheduler_.pending(), 0U);
}

TEST_F(ControllerTest, LooksAgainAfterTheResyncPeriod) {
  operator_.declared.resync = 10s;
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(1s);
  const int passes = listener_.ended;

  run_for(60s);

  EXPECT_GE(listener_.ended - passes, 4);
  EXPECT_LE(listener_.ended - passes, 7);
}

TEST_F(ControllerTest, BacksOffWhileTheServerFails) {
  world_.create_boat("a");
  world_.sync();
  client_.fault_at = [](std::size_t) { return Fault::Before; };
  make_controller();

  run_for(60s);

  EXPECT_GE(listener_.ended, 10);
  EXPECT_LE(listener_.ended, 16);
  client_.fault_at = [](std::size_t) { return Fault::None; };
  run_for(120s);
  EXPECT_EQ(world_.text(kBoats, "a", "status", "phase"), "Ready");
  EXPECT_EQ(controller_->core().queue().failures({"ns", "a"}), 0U);
}

TEST_F(ControllerTest, EndsAPassThatTakesLongerThanItsDeadline) {
  operator_.declared.deadline = 1s;
  world_.create_boat("a");
  world_.sync();
  FakeClient silent;
  Controller controller({.reconciler = &operator_,
                         .client = &silent,
                         .cache = &world_,
                         .scheduler = &scheduler_,
                         .workers = &workers_,
                         .listener = &listener_});
  controller.look_at_all();
  controller.start();
  scheduler_.advance(900ms);
  EXPECT_EQ(listener_.ended, 0);

  scheduler_.advance(101ms);

  EXPECT_EQ(listener_.ended, 1);
  EXPECT_TRUE(listener_.last.timed_out);
  EXPECT_EQ(listener_.last.result, PassEnd::Result::Error);
}

TEST_F(ControllerTest, RunsAsManyPassesAtOnceAsItMay) {
  operator_.declared.concurrency = 3;
  for (int i = 0; i < 10; ++i) world_.create_boat("b" + std::to_string(i));
  world_.sync();
  FakeClient silent;
  Controller controller({.reconciler = &operator_,
                         .client = &silent,
                         .cache = &world_,
                         .scheduler = &scheduler_,
                         .workers = &workers_,
                         .listener = &listener_});
  controller.look_at_all();
  controller.start();
  scheduler_.run_due();

  EXPECT_EQ(controller.core().running(), 3U);
  EXPECT_EQ(silent.calls.size(), 3U);
}

TEST_F(ControllerTest, StopsWhenTheLastPassHasEnded) {
  world_.create_boat("a");
  world_.sync();
  make_controller();
  scheduler_.run_due();
  EXPECT_EQ(controller_->core().running(), 1U);
  bool stopped = false;

  controller_->stop([&] { stopped = true; });
  EXPECT_FALSE(stopped);
  scheduler_.advance(1s);

  EXPECT_TRUE(stopped);
  EXPECT_EQ(controller_->core().running(), 0U);
}

TEST_F(ControllerTest, WritesEventsOnceAndGoesOnWhenThatFails) {
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    Plan plan;
    plan.apply(TestOperator::color_map(seen))
        .emit(EventType::Normal, "Launched", "the boat floats");
    return plan;
  };
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(1s);
  controller_->look_at_all();
  run_for(1s);

  std::size_t events = 0;
  json::Value event;
  for (const auto& call : client_.calls) {
    if (call.resource.plural != "events") continue;
    ++events;
    event = call.body;
  }
  EXPECT_EQ(events, 1U);
  EXPECT_EQ(controller_->event_statistics().written, 1U);
  EXPECT_EQ(event.get("reason").as_string(), "Launched");
  EXPECT_EQ(event.get("regarding", "name").as_string(), "a");
  EXPECT_EQ(event.get("reportingInstance").as_string(), "test-1");
}

TEST_F(ControllerTest, DoesProbesAndEffectsOutside) {
  class Harbour final : public Outside {
   public:
    Result<json::Value> probe(const Probe&) override { return json::Value::integer(7); }
    Result<json::Value> perform(const EffectStep& step) override {
      performed.push_back(step.name);
      return json::Value::boolean(true);
    }
    std::vector<std::string> performed;
  } harbour;
  operator_.on_observe = [](const Reader&, Probes& probes) {
    return probes.ask({.name = "depth"});
  };
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    Plan plan;
    if (seen.extra.as_int() == 7) plan.effect("dock", json::Value::null());
    return plan;
  };
  operator_.declared.finalizer.clear();
  world_.create_boat("a");
  world_.sync();
  Controller controller({.reconciler = &operator_,
                         .outside = &harbour,
                         .client = &client_,
                         .cache = &world_,
                         .scheduler = &scheduler_,
                         .workers = &workers_,
                         .listener = &listener_});
  controller.look_at_all();
  controller.start();

  scheduler_.advance(1s);

  EXPECT_THAT(harbour.performed, testing::ElementsAre("dock"));
  EXPECT_EQ(world_.text(kBoats, "a", "status", "phase"), "Ready");
}

TEST_F(ControllerTest, MapsChangesOfOtherKindsToKeys) {
  operator_.declared.watches.back() = {
      .role = WatchRole::Mapped, .collection = {.resource = kRoles}, .map = [](json::View) {
        return std::vector<kube::Key>{
            {"ns", "a"}
        };
      }};
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(1s);
  const int passes = listener_.ended;

  world_.create("rbac.authorization.k8s.io", "v1", "clusterroles", "",
                R"({"metadata":{"name":"r"},"rules":[]})");
  run_for(100ms);

  EXPECT_EQ(listener_.ended, passes + 1);
}

TEST_F(ControllerTest, AChangeIsAboutThePrimariesThatNameTheObject) {
  const Index chart{.name = "chart", .values = [](json::View boat, const auto& add) {
                      add("/" + std::string{boat.get("spec", "chart").as_string()});
                    }};
  world_.contents.at(kBoatKind).add_index(chart);
  operator_.declared.watches.front().indexes.push_back(chart);
  operator_.declared.watches.back() = {
      .role = WatchRole::Mapped, .collection = {.resource = kRoles}, .named_by = "chart"};
  world_.create_boat("a", R"({"chart":"north"})");
  world_.create_boat("b", R"({"chart":"south"})");
  world_.sync();
  make_controller();
  run_for(1s);
  const int passes = listener_.ended;

  for (const auto* name : {"north", "west"}) {
    world_.create("rbac.authorization.k8s.io", "v1", "clusterroles", "",
                  std::string{R"({"metadata":{"name":")"} + name + R"("},"rules":[]})");
  }
  run_for(100ms);
  EXPECT_EQ(listener_.ended, passes + 1) << "of b nothing was changed, and nobody names west";

  world_.remove(kRoles, "north");
  run_for(100ms);
  EXPECT_EQ(listener_.ended, passes + 2);
}

TEST_F(ControllerTest, AStatusThatSomebodyElseWroteIsCorrectedAfterASecond) {
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(2s);
  const int passes = listener_.ended;

  world_.patch(kBoats, "a", R"({"status":{"crew":3}})", "status");
  run_for(900ms);
  EXPECT_EQ(listener_.ended, passes);
  EXPECT_EQ(world_.text(kBoats, "a", "status", "crew"), "3");
  run_for(5s);

  EXPECT_EQ(listener_.ended, passes + 1);
  EXPECT_EQ(world_.text(kBoats, "a", "status", "crew"), "");
}

TEST_F(ControllerTest, AStatusThatSomebodyElseWroteDuringAPassIsCorrected) {
  class Deep final : public Outside {
    Result<json::Value> probe(const Probe&) override { return json::Value::integer(7); }
    Result<json::Value> perform(const EffectStep&) override { return json::Value{}; }
  } deep;
  operator_.on_observe = [](const Reader&, Probes& probes) {
    return probes.ask({.name = "depth"});
  };
  operator_.declared.finalizer.clear();
  world_.create_boat("a");
  world_.sync();
  controller_ = std::make_unique<Controller>(Controller::Setup{.reconciler = &operator_,
                                                               .outside = &deep,
                                                               .client = &client_,
                                                               .cache = &world_,
                                                               .scheduler = &scheduler_,
                                                               .workers = &workers_,
                                                               .listener = &listener_});
  controller_->start();
  controller_->look_at_all();
  run_for(2s);
  workers_.latency = 50ms;
  world_.patch(kBoats, "a", R"({"metadata":{"labels":{"x":"y"}}})");
  run_for(30ms);
  ASSERT_EQ(controller_->core().running(), 1U);  // and is going to find nothing to do

  world_.patch(kBoats, "a", R"({"status":{"crew":3}})", "status");
  run_for(5s);

  EXPECT_EQ(world_.text(kBoats, "a", "status", "crew"), "");
}

// Also when the news of it comes before the answer.
TEST_F(ControllerTest, ItsOwnStatusStartsNoPass) {
  client_.latency = 35ms;  // the watches deliver every ten
  world_.create_boat("a");
  world_.sync();
  make_controller();
  run_for(1s);
  const int passes = listener_.ended;
  ASSERT_EQ(world_.text(kBoats, "a", "status", "phase"), "Ready");

  run_for(5s);

  EXPECT_EQ(listener_.ended, passes);
}

TEST_F(ControllerTest, APassThatAlwaysChangesSomethingIsSlowedDown) {
  int turn = 0;
  operator_.declared.finalizer.clear();
  operator_.on_decide = [&](const TestOperator::Seen&) {
    Plan plan;
    plan.apply(TestOperator::map("m", json::Draft::object({
                                          {"turn", std::to_string(++turn)}
    })));
    return plan;
  };
  world_.create_boat("a");
  world_.sync();
  make_controller();

  run_for(60s);

  EXPECT_LE(turn, 80);
}

}  // namespace
}  // namespace fixpoint::runtime
