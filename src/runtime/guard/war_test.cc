// SPDX-License-Identifier: Apache-2.0
//
// Which wars are stopped, when, and which changes are none.
#include "runtime/guard/war_fixture.h"

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// When a war of this period is stopped, and by which rule; nothing when it is only warned of.
struct Expected {
  Duration period;
  int applies;
  std::string_view rule;
};

TEST_F(GuardWarTest, StopsTheSameEditAtEveryPeriodUpToTwoHours) {
  const Expected table[] = {
      {seconds(1),            8,  "S1"},
      {seconds(2),            8,  "S1"},
      {seconds(7),            8,  "S1"},
      {milliseconds(12'500),  8,  "S1"},
      {seconds(60),           8,  "S1"},
      {seconds(112),          8,  "S1"},
      {milliseconds(112'500), 12, "S2"},
      {seconds(113),          12, "S2"},
      {minutes(10),           12, "S2"},
      {minutes(60),           12, "S2"},
      {minutes(119),          12, "S2"},
  };
  begin();
  const auto calm = *guard_;
  for (const auto& [period, applies, rule] : table) {
    *guard_ = calm;
    edit("blue");
    paused_at_.reset();
    notices_.clear();
    applies_ = 0;
    began_ = clock_.monotonic();

    fight(period, same_, hours(48));

    ASSERT_TRUE(paused_at_) << period.count();
    EXPECT_EQ(*paused_at_, period * applies) << period.count();
    EXPECT_EQ(applies_, applies) << period.count();
    EXPECT_EQ(notices_["ThrashingDetected"], 1);
    EXPECT_EQ(notices_["DriftContested"], 1);
    const auto found = marks();
    EXPECT_TRUE(found.paused);
    EXPECT_EQ(found.info->rule, rule) << period.count();
    EXPECT_EQ(found.info->actor, "kubectl-edit");
    EXPECT_EQ(found.info->operation, "Update");
    EXPECT_EQ(found.info->paths, std::vector<std::string>{".data.color"});
    unmark();
  }
}

TEST_F(GuardWarTest, OnlyWarnsOfSlowerOnes) {
  begin();
  const auto calm = *guard_;
  for (const auto period : {minutes(120), minutes(121), minutes(180), minutes(600)}) {
    *guard_ = calm;
    edit("blue");
    notices_.clear();
    applies_ = 0;

    fight(period, same_, hours(24 * 10));

    EXPECT_FALSE(paused_at_) << period.count();
    EXPECT_EQ(notices_["DriftContested"], 1) << period.count();
    EXPECT_EQ(applies_, hours(24 * 10) / period + 1) << period.count();
  }
  *guard_ = calm;
  notices_.clear();
  fight(hours(24), same_, hours(24 * 30));
  EXPECT_EQ(notices_["DriftContested"], 0) << "a day of quiet and all is forgotten";
}

TEST_F(GuardWarTest, StopsVaryingValuesAtTheirOwnLimits) {
  const Expected table[] = {
      {milliseconds(500), 15, "B" },
      {seconds(1),        15, "B" },
      {seconds(3),        15, "B" },
      {seconds(30),       24, "L1"},
      {seconds(149),      24, "L1"},
      {minutes(3),        60, "L2"},
      {minutes(20),       60, "L2"},
  };
  begin();
  const auto calm = *guard_;
  for (const auto& [period, edits, rule] : table) {
    *guard_ = calm;
    edit("blue");
    paused_at_.reset();
    began_ = clock_.monotonic();

    fight(period, varied_, hours(48));

    ASSERT_TRUE(paused_at_) << period.count();
    EXPECT_EQ(*paused_at_, period * edits) << period.count();
    EXPECT_EQ(marks().info->rule, rule);
    unmark();
  }
  *guard_ = calm;
  edit("blue");
  paused_at_.reset();
  fight(minutes(25), varied_, hours(96));
  EXPECT_FALSE(paused_at_);
}

TEST_F(GuardWarTest, SeesThroughAnOpponentWhoChangesItsName) {
  begin();

  fight(
      minutes(5), [this](int i) { edit(fmt::format("v{}", i), fmt::format("bot-{}", i)); },
      hours(48));

  ASSERT_TRUE(paused_at_);
  EXPECT_EQ(marks().info->rule, "A");
}

TEST_F(GuardWarTest, NeverPausesAPersonWhoEditsAFewTimes) {
  begin();
  react();

  edit("red");
  react();
  EXPECT_EQ(applies_, 1);
  for (const auto* value : {"a", "b", "c", "d"}) {
    wait(seconds(10));
    edit(value);
    react();
  }

  EXPECT_EQ(applies_, 5);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(GuardWarTest, LetsABurstThatStopsConverge) {
  begin();

  for (int i = 0; i < 12; ++i) {
    edit(fmt::format("v{}", i));
    react();
    wait(milliseconds(500));
  }
  wait(seconds(6));

  EXPECT_EQ(applies_, 11);
  EXPECT_EQ(notices_["Throttled"], 1);
  EXPECT_EQ(notices_["DriftContested"], 1);
  EXPECT_FALSE(paused_at_);
  EXPECT_TRUE(converged());
}

TEST_F(GuardWarTest, CountsAVersionOnceHoweverManyPassesLookAtIt) {
  begin();
  for (int i = 0; i < 12; ++i) {
    edit(fmt::format("v{}", i));
    react();
    wait(milliseconds(400));
  }
  ASSERT_TRUE(again_) << "it waits for a token";

  for (int i = 0; i < 100; ++i) react();

  EXPECT_FALSE(paused_at_);
  EXPECT_EQ(notices_["Throttled"], 1);
}

TEST_F(GuardWarTest, FlappingIsOneWar) {
  begin();
  for (int episode = 0; episode < 5 && !paused_at_; ++episode) {
    for (int i = 0; i < 4; ++i) {
      edit("red");
      react();
      wait(seconds(2));
    }
    if (!paused_at_) wait(hours(6) - seconds(8));
  }

  ASSERT_TRUE(paused_at_);
  EXPECT_EQ(*paused_at_, hours(18));
  EXPECT_EQ(applies_, 12);
}

TEST_F(GuardWarTest, OurOwnChangesAreNeverContested) {
  begin();

  for (int i = 0; i < 20; ++i) {
    want(fmt::format("blue-{}", i));
    react();
    wait(seconds(3));
  }
  wait(minutes(2));

  EXPECT_FALSE(paused_at_);
  EXPECT_EQ(notices_["DriftContested"], 0);
  EXPECT_TRUE(converged()) << "the last wish wins";
  EXPECT_LT(applies_, 21);
}

TEST_F(GuardWarTest, WhatOthersDoToOtherFieldsIsTheirs) {
  begin();

  for (int i = 0; i < 100; ++i) {
    patch(path_, fmt::format(R"({{"data":{{"extra":"{}"}}}})", i));
    react();
    wait(seconds(1));
  }

  EXPECT_EQ(applies_, 0);
  EXPECT_TRUE(guard_->states(now()).empty());
}

TEST_F(GuardWarTest, AnExpensiveKindIsGivenUpOnEarly) {
  path_ = kDaemonPath;
  key_ = {
      .kind = {"apps", "DaemonSet"},
        .key = {"ns", "web"},
        .manager = std::string{kManager}
  };
  desired_ = *json::parse(R"({"apiVersion":"apps/v1","kind":"DaemonSet",
    "metadata":{"name":"web","namespace":"ns","labels":{"color":"blue"}},
    "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  begin();

  fight(
      seconds(60), [this](int) { patch(path_, R"({"metadata":{"labels":{"color":"red"}}})"); },
      hours(1));

  EXPECT_EQ(paused_at_, seconds(120));
  EXPECT_EQ(applies_, 2);
}

TEST_F(GuardWarTest, AWebhookThatRewritesUsIsOurProblemAndNobodyElsesFault) {
  int rewritten = 0;
  mutate_ = [&] {
    patch(path_, fmt::format(R"({{"data":{{"color":"hook-{}"}}}})", rewritten++));
    return live();
  };

  fight(seconds(1), [](int) {}, minutes(5));

  EXPECT_TRUE(paused_at_);
  EXPECT_EQ(applies_, 3);
  EXPECT_EQ(notices_["NonConvergent"], 1);
  EXPECT_EQ(notices_["ThrashingDetected"], 0);
  EXPECT_EQ(marks().info->actor, "");
}

TEST_F(GuardWarTest, ADeleteWarEndsInTheShadow) {
  begin();

  fight(seconds(2), [this](int) { remove(path_); }, minutes(5));
  EXPECT_FALSE(paused_at_) << "nothing is announced before the record is stored";
  EXPECT_EQ(applies_, 8);
  EXPECT_TRUE(paused_);
  guard_->shadow_stored(guard_->shadow_serial());
  drain();

  EXPECT_EQ(notices_["ThrashingDetected"], 1);
  react();
  EXPECT_EQ(applies_, 8) << "it stays absent";
}

TEST_F(GuardWarTest, APersonResumesADeleteWarOnTheOwner) {
  begin();
  fight(seconds(2), [this](int) { remove(path_); }, seconds(30));
  const auto id = guard_->states(now())[0].pause->id;

  primary_ = *json::parse(
      fmt::format(R"({{"metadata":{{"annotations":{{"fixpoint.dev/resume":"x, {}"}}}}}})", id));
  react();

  EXPECT_EQ(applies_, 9);
  EXPECT_EQ(notices_["Resumed"], 1);
}

TEST_F(GuardWarTest, AJumpingWallClockChangesNothing) {
  begin();
  fight(
      seconds(2),
      [this](int i) {
        wall_ = i == 2 ? -hours(1) : i == 5 ? Duration(hours(24)) : wall_;
        edit("red");
      },
      hours(1));

  EXPECT_EQ(paused_at_, seconds(16));
}

}  // namespace
}  // namespace fixpoint::runtime
