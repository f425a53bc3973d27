// SPDX-License-Identifier: Apache-2.0
//
// The guard inside passes, over the API semantics that ship.
#include "runtime/guard/object_guard.h"

#include "kube/meta/metadata.h"
#include "runtime/controller/pass_fixture.h"

#include <chrono>
#include <map>

#include <gmock/gmock.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Only its clocks are asked for.
class ClockOnly final : public Scheduler {
 public:
  explicit ClockOnly(const Clock& clock) : clock_(clock) {}
  Instant wall() const override { return clock_.wall(); }
  MonotonicInstant now() const override { return clock_.monotonic(); }
  TimerSerial after(Duration, Task) override { return 0; }
  void cancel(TimerSerial) override {}

 private:
  const Clock& clock_;
};

class ObjectGuardTest : public PassFixture {
 protected:
  ObjectGuardTest() {
    settings_.guard = &guard_;
    world_.create_boat("a");
    world_.sync();
    settle();
    world_.clock.advance(minutes(5));
  }
  void edit(std::string_view body) {
    client::Call call{
        .verb = client::Verb::Patch, .resource = kMaps, .key = {"ns", "a-map"}
    };
    call.body = parsed(body);
    call.field_manager = "kubectl-edit";
    ASSERT_TRUE(world_.call(call));
    world_.sync();
  }
  // Edits every two seconds with a pass after each, until one is paused.
  int fight(int edits_max = 30) {
    for (int i = 1; i <= edits_max; ++i) {
      edit(R"({"data":{"color":"green"}})");
      end_ = run();
      world_.sync();
      if (end_.outcomes.steps.at(0).state == StepState::Paused) return i;
      world_.clock.advance(seconds(2));
    }
    return 0;
  }
  // The status may still have to say that it is paused.
  void settle_status() {
    for (int i = 0; i < 3; ++i) {
      run();
      world_.sync();
    }
  }
  std::string color() { return world_.text(kMaps, "a-map", "data", "color"); }
  std::string annotation(std::string_view name) {
    return world_.text(kMaps, "a-map", "metadata", "annotations", name);
  }

  ClockOnly scheduler_{world_.clock};
  std::map<std::string, int> told_;
  std::map<std::string, std::string> note_;
  ObjectGuard guard_{[] {
                       GuardSettings settings;
                       settings.by = "boats";
                       return settings;
                     }(),
                     scheduler_,
                     [this](const GuardNotice& notice) {
                       ++told_[notice.reason];
                       note_[notice.reason] = notice.note;
                     }};
  PassEnd end_;
};

TEST_F(ObjectGuardTest, PausesAChildThatSomebodyKeepsChangingBack) {
  const int edits = fight();

  EXPECT_EQ(edits, 9);
  EXPECT_EQ(color(), "green") << "the last change is not corrected";
  EXPECT_EQ(annotation("fixpoint.dev/reconcile-paused"), "true");
  EXPECT_EQ(told_["ThrashingDetected"], 1);
  EXPECT_THAT(note_["ThrashingDetected"], HasSubstr("kubectl-edit (Update)"));
  EXPECT_EQ(end_.outcomes.steps[0].reason, "ThrashingDetected");
  EXPECT_THAT(end_.outcomes.steps[0].message, HasSubstr("kubectl annotate configmap a-map -n ns"));
  EXPECT_THAT(world_.text(kBoats, "a", "status", "conditions"), HasSubstr("ThrashingDetected"));
}

TEST_F(ObjectGuardTest, WritesNothingWhilePaused) {
  fight();
  settle_status();
  const auto before = world_.revision();

  for (int i = 0; i < 20; ++i) {
    world_.clock.advance(minutes(7));
    const auto end = run();
    EXPECT_EQ(end.writes, 0U);
  }

  EXPECT_EQ(world_.revision(), before);
}

TEST_F(ObjectGuardTest, AnotherProcessHonoursTheMark) {
  fight();
  settle_status();
  ObjectGuard fresh(guard_.core().settings(), scheduler_, [](const GuardNotice&) {});
  settings_.guard = &fresh;

  edit(R"({"data":{"color":"yellow"}})");
  const auto end = run();

  EXPECT_EQ(end.writes, 0U);
  EXPECT_EQ(color(), "yellow");
}

TEST_F(ObjectGuardTest, GoesOnWhenAPersonRemovesTheAnnotation) {
  fight();

  edit(R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":null}}})");
  run();

  EXPECT_EQ(color(), "red");
  EXPECT_EQ(annotation("fixpoint.dev/pause-info"), "");
  EXPECT_EQ(told_["Resumed"], 1);
}

TEST_F(ObjectGuardTest, TriesThePauseAgainUntilItIsStored) {
  on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
    if (call.field_manager != "fixpoint-guard") return std::nullopt;
    return std::unexpected(refused(500, "InternalError"));
  };
  EXPECT_EQ(fight(12), 0);
  EXPECT_EQ(color(), "green");
  EXPECT_EQ(told_["ThrashingDetected"], 0);

  on_call_ = nullptr;
  run();

  EXPECT_EQ(annotation("fixpoint.dev/reconcile-paused"), "true");
  EXPECT_EQ(told_["ThrashingDetected"], 1);
  EXPECT_EQ(color(), "green");
}

TEST_F(ObjectGuardTest, DeletingAnOwnerAndMakingItAgainIsNoWar) {
  for (int i = 0; i < 20; ++i) {
    world_.remove(kBoats, "a");
    world_.remove(kMaps, "a-map");
    world_.create_boat("a");
    memory_ = {};
    settle();
    world_.clock.advance(seconds(10));
  }

  EXPECT_EQ(told_["ThrashingDetected"], 0);
  EXPECT_EQ(color(), "red");
}

TEST_F(ObjectGuardTest, RemovingItOurselvesAndMakingItAgainIsNoWar) {
  bool wanted = true;
  operator_.on_decide = [&](const TestOperator::Seen& seen) {
    Plan plan;
    if (wanted) plan.apply(TestOperator::color_map(seen));
    if (!wanted && !seen.maps.empty()) {
      plan.remove(
          {
              kMapKind, {"ns", "a-map"}
      },
          kube::Uid{std::string{kube::uid_of(seen.maps[0])}});
    }
    return plan;
  };
  for (int i = 0; i < 40; ++i) {
    wanted = !wanted;
    settle();
    world_.clock.advance(seconds(10));
  }

  EXPECT_EQ(told_["ThrashingDetected"], 0);
  EXPECT_EQ(color(), "red");
}

TEST_F(ObjectGuardTest, ADeleteWarIsStopped) {
  int made = 0;
  for (int i = 0; i < 20; ++i) {
    world_.remove(kMaps, "a-map");
    world_.sync();
    const auto end = run();
    world_.sync();
    made += end.outcomes.steps.at(0).state == StepState::Done;
    world_.clock.advance(seconds(2));
  }

  EXPECT_EQ(made, 8);
  EXPECT_EQ(world_.count(kMaps), 0U);
  guard_.core().shadow_stored(guard_.core().shadow_serial());
  guard_.tell();
  EXPECT_EQ(told_["ThrashingDetected"], 1);
}

TEST_F(ObjectGuardTest, OnlyThePausedBranchStops) {
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    Plan plan;
    plan.branch("map").steps.push_back(ApplyStep{TestOperator::color_map(seen)});
    plan.branch("other").steps.push_back(ApplyStep{
        TestOperator::map("b-map", json::Draft::object({{"x", "y"}}
         ))
    });
    return plan;
  };
  settle();
  fight();
  world_.remove(kMaps, "b-map");
  world_.sync();

  run();

  EXPECT_EQ(world_.count(kMaps), 2U);
}

TEST_F(ObjectGuardTest, AMissingRuleIsAnEndlessWar) {
  settings_.rules = Rules::without(Rule::EditWarGuard);

  EXPECT_EQ(fight(40), 0);
  EXPECT_EQ(color(), "red");
}

}  // namespace
}  // namespace fixpoint::runtime
