// SPDX-License-Identifier: Apache-2.0
//
// How a war is paused, how it is resumed, and what outlives a restart.
#include "runtime/guard/war_fixture.h"

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(GuardWarTest, NothingIsWrittenAndNothingSaidUntilThePauseIsStored) {
  begin();
  marks_fail_ = true;
  fight(seconds(2), same_, seconds(40));
  EXPECT_EQ(applies_, 8);
  EXPECT_EQ(notices_["ThrashingDetected"], 0);

  marks_fail_ = false;
  react();
  react();

  EXPECT_EQ(applies_, 8);
  EXPECT_EQ(notices_["ThrashingDetected"], 1);
}

TEST_F(GuardWarTest, APersonResumesByRemovingTheOneAnnotation) {
  begin();
  fight(seconds(2), same_, minutes(5));
  wait(minutes(1));

  patch(path_, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":null}}})");
  react();

  EXPECT_EQ(applies_, 9) << "one probe";
  EXPECT_EQ(notices_["Resumed"], 1);
  EXPECT_FALSE(marks().info);
  EXPECT_TRUE(converged());
  wait(hours(1));
  react();
  EXPECT_EQ(applies_, 9);
}

TEST_F(GuardWarTest, AWarThatGoesOnAfterwardsIsStoppedSooner) {
  begin();
  fight(seconds(2), same_, minutes(5));
  patch(path_, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":null}}})");
  react();
  const int before = applies_;
  paused_at_.reset();

  fight(seconds(2), same_, minutes(5));

  EXPECT_TRUE(paused_at_);
  EXPECT_EQ(applies_ - before, 2) << "with the probe that is three";
  EXPECT_EQ(notices_["ThrashingDetected"], 2);
}

TEST_F(GuardWarTest, AnOpponentWhoStripsTheRecordGainsNothing) {
  begin();
  fight(seconds(2), same_, minutes(5));
  const int before = applies_;
  marks_ = 0;

  for (int i = 0; i < 50; ++i) {
    wait(seconds(5));
    put(path_,
        fmt::format(R"({{"metadata":{{"name":"web"}},"data":{{"color":"red","n":"{}"}}}})", i));
    react();
    EXPECT_TRUE(paused_ || marks_ <= 3);
  }

  EXPECT_EQ(applies_, before);
  EXPECT_EQ(marks_, 3);
  EXPECT_EQ(notices_["PauseStripped"], 3);
  EXPECT_EQ(notices_["ThrashingDetected"], 1);
}

TEST_F(GuardWarTest, APersonsOwnPauseIsHonouredAndNeverRemoved) {
  begin();
  patch(path_, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":"true"}}})");
  edit("red");
  for (int i = 0; i < 20; ++i) {
    react();
    wait(hours(1));
  }
  EXPECT_EQ(applies_, 0);
  EXPECT_EQ(marks_, 0);
  edit("blue");
  react();
  wait(hours(2));
  react();
  EXPECT_TRUE(marks().paused) << "also when it converged long ago";

  edit("red");
  patch(path_, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":null}}})");
  react();

  EXPECT_EQ(applies_, 1);
  EXPECT_EQ(notices_["ThrashingDetected"], 0);
}

TEST_F(GuardWarTest, ThePauseOfAnotherPauserIsItsOwn) {
  begin();
  patch(path_, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":"true",
      "fixpoint.dev/pause-info":"{\"id\":\"abc\",\"by\":\"somebody-else\"}"}}})");
  edit("red");
  react();
  EXPECT_EQ(applies_, 0);

  edit("blue");
  react();
  wait(hours(3));
  react();

  EXPECT_TRUE(marks().paused);
  EXPECT_EQ(marks_, 0);
}

TEST_F(GuardWarTest, EndsItsOwnPauseWhenTheOtherGaveUp) {
  begin();
  fight(seconds(2), same_, minutes(5));
  edit("blue");
  react();
  wait(minutes(29));
  EXPECT_TRUE(marks().paused);

  wait(minutes(2));

  EXPECT_FALSE(marks().paused);
  EXPECT_EQ(notices_["Resumed"], 1);
  EXPECT_EQ(applies_, 8);
}

TEST_F(GuardWarTest, ARestartForgetsNothingThatWasStored) {
  begin();
  fight(seconds(2), same_, seconds(9));
  std::vector<json::Value> records;
  for (auto& [name, record] : guard_->shadow(now())) records.push_back(record);
  ASSERT_EQ(records.size(), 1U);
  guard_ = std::make_unique<Guard>(settings_);
  clock_.advance(seconds(1));
  guard_->load(records, now());

  fight(seconds(2), same_, minutes(5));

  EXPECT_EQ(paused_at_, seconds(16));
  EXPECT_EQ(applies_, 8);
}

TEST_F(GuardWarTest, PausedStaysPausedAcrossRestartsWithAndWithoutShadow) {
  begin();
  fight(seconds(2), same_, minutes(5));
  std::vector<json::Value> records;
  for (auto& [name, record] : guard_->shadow(now())) records.push_back(record);

  for (const bool with_shadow : {true, false}) {
    guard_ = std::make_unique<Guard>(settings_);
    if (with_shadow) guard_->load(records, now());
    EXPECT_EQ(guard_->states(now()).size(), with_shadow ? 1U : 0U);
    react();
    edit("red");
    react();
    EXPECT_EQ(applies_, 8);
    EXPECT_TRUE(paused_);
  }
  EXPECT_EQ(notices_["ThrashingDetected"], 1);

  // The object lost both keys while nobody ran: the shadow knows.
  put(path_, R"({"metadata":{"name":"web"},"data":{"color":"red"}})");
  guard_ = std::make_unique<Guard>(settings_);
  guard_->load(records, now());
  react();
  EXPECT_EQ(applies_, 8);
  EXPECT_TRUE(marks().paused);
}

TEST_F(GuardWarTest, AWallClockThatJumpedOverTheRestartIsClamped) {
  begin();
  fight(seconds(2), same_, seconds(9));
  std::vector<json::Value> records;
  for (auto& [name, record] : guard_->shadow(now())) records.push_back(record);

  for (const auto jump : {-hours(1'000), hours(1'000)}) {
    wall_ = jump;
    Guard guard(settings_);
    guard.load(records, now());
    EXPECT_EQ(guard.states(now()).size(), 1U);
    // Nothing lies in the future, and nothing overflows.
    for (auto& [name, record] : guard.shadow(now())) EXPECT_FALSE(record.is_null());
  }
}

TEST_F(GuardWarTest, AdoptingTheForeignValueEndsTheWar) {
  begin();
  fight(seconds(2), same_, seconds(9));
  EXPECT_EQ(guard_->states(now()).size(), 1U);

  want("red");
  edit("red");
  react();

  EXPECT_TRUE(guard_->states(now()).empty());
  EXPECT_EQ(applies_, 5);
}

}  // namespace
}  // namespace fixpoint::runtime
