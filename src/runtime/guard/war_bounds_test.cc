// SPDX-License-Identifier: Apache-2.0
//
// What is said about wars, and what they may cost: tokens, memory, other objects' time.
#include "runtime/guard/war_fixture.h"

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Kind = GuardVerdict::Kind;

TEST_F(GuardWarTest, TellsWhoDidWhatAndHowToResume) {
  begin();
  fight(seconds(2), same_, minutes(5));

  const auto& note = last_["ThrashingDetected"];
  for (const auto* part : {"ConfigMap ns/web", "kubectl-edit", "Update", "9 times in 16 s",
                           ".data.color", "ours \"blue\"", "theirs \"red\"",
                           "kubectl annotate configmap web -n ns fixpoint.dev/reconcile-paused-"}) {
    EXPECT_NE(note.find(part), std::string::npos) << part << "\n" << note;
  }
}

TEST_F(GuardWarTest, ARemovedFieldHasNoKnownAuthor) {
  begin();

  fight(seconds(2), [this](int) { patch(path_, R"({"data":{"color":null}})"); }, minutes(5));

  EXPECT_EQ(paused_at_, seconds(16));
  EXPECT_EQ(marks().info->actor, "unknown");
}

TEST_F(GuardWarTest, WhatCouldNotBeWrittenCostsNoToken) {
  const Sight sight{.key = key_, .desired = desired_, .desired_hash = desired_.hash()};

  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(guard_->judge(sight, now()).kind, Kind::Allowed);
    guard_->not_applied(key_, now());  // its namespace is missing, say
  }

  EXPECT_TRUE(guard_->take_notices().empty());
}

TEST_F(GuardWarTest, WarsOfOthersDoNotDelayACalmObject) {
  begin();
  const auto other = [](int i) {
    return ManagedKey{
        .kind = {"", "ConfigMap"},
        .key = {"ns", fmt::format("o{}", i)},
        .manager = std::string{kManager}
    };
  };
  const auto object = live();
  int throttled = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 50; ++i) {
      const auto key = other(i);
      const Sight sight{.key = key, .desired = desired_, .desired_hash = desired_.hash()};
      const auto verdict = guard_->judge(sight, now());
      throttled += verdict.kind == Kind::Throttled;
      if (verdict.kind == Kind::Allowed) guard_->applied(sight, object, now());
    }
  }
  EXPECT_GT(throttled, 0) << "all wars together have a limit";

  // A new wish for a calm object does not wait for it, and neither does the first correction of one
  // after a restart.
  want("green");
  react();

  EXPECT_EQ(applies_, 1);
  EXPECT_TRUE(converged());
}

TEST_F(GuardWarTest, EachOfManyObjectsIsPausedOnItsOwnSchedule) {
  begin();
  const auto object = live();
  std::map<int, Duration> paused;
  for (int second = 0; second <= 200; ++second) {
    for (int i = 1; i <= 20; ++i) {
      if (second % i != 0 || paused.contains(i)) continue;
      const ManagedKey key{
          .kind = {"", "ConfigMap"},
          .key = {"ns", fmt::format("o{}", i)},
          .manager = std::string{kManager}
      };
      const Sight sight{.key = key, .desired = desired_, .desired_hash = desired_.hash()};
      const auto verdict = guard_->judge(sight, now());
      if (verdict.kind == Kind::Paused) paused[i] = elapsed();
      auto made = json::Draft(object);
      made.object_at("metadata")["resourceVersion"] = fmt::format("{}", second);
      const auto returned = made.freeze();
      if (verdict.kind == Kind::Allowed) guard_->applied(sight, returned, now());
    }
    clock_.advance(seconds(1));
  }

  ASSERT_EQ(paused.size(), 20U);
  // The first is our creation; the ninth deletion after it is not corrected.
  for (const auto& [period, at] : paused) EXPECT_EQ(at, seconds(9 * period)) << period;
}

TEST_F(GuardWarTest, RemembersOnlySoMuch) {
  settings_.objects_max = 100;
  guard_ = std::make_unique<Guard>(settings_);
  begin();
  fight(seconds(2), same_, seconds(5));
  const auto object = live();
  for (int i = 0; i < 1'000; ++i) {
    const ManagedKey key{
        .kind = {"", "ConfigMap"},
          .key = {"ns", fmt::format("o{}", i)},
          .manager = {}
    };
    guard_->unchanged(
        {.key = key, .live = object, .desired = desired_, .desired_hash = desired_.hash()}, now());
  }

  EXPECT_LE(guard_->size(), 100U);
  EXPECT_GT(guard_->size(), 80U);
  EXPECT_EQ(guard_->states(now()).size(), 1U) << "what has a history is kept";
}

TEST_F(GuardWarTest, ACopyFightsItsOwnWar) {
  begin();
  fight(seconds(2), same_, seconds(9));
  Guard copy = *guard_;

  fight(seconds(2), same_, minutes(5));

  EXPECT_TRUE(guard_->states(now())[0].pause != nullptr);
  EXPECT_TRUE(copy.states(now())[0].pause == nullptr);
}

}  // namespace
}  // namespace fixpoint::runtime
