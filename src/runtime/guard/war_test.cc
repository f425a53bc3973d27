// SPDX-License-Identifier: Apache-2.0
//
// Wars, fought out against the real API semantics on virtual time: an opponent edits, the operator
// reacts at once, and what is counted is what the cluster saw.
#include "apiserver/api_fixture.h"
#include "json/draft.h"
#include "kube/metadata.h"
#include "runtime/guard/guard.h"

#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = GuardVerdict::Kind;

constexpr std::string_view kPath = "/api/v1/namespaces/ns/configmaps/web";
constexpr std::string_view kDaemonPath = "/apis/apps/v1/namespaces/ns/daemonsets/web";
constexpr std::string_view kManager = "fixpoint-web";

class GuardWarTest : public apiserver::ApiFixture {
 protected:
  GuardWarTest() { settings_.by = "web"; }

  GuardTime now() const { return {.steady = clock_.monotonic(), .wall = clock_.wall() + wall_}; }
  Duration elapsed() const { return clock_.monotonic() - began_; }

  json::Value live() {
    auto answer = get(path_);
    return answer.code == 200 ? answer.body : json::Value{};
  }

  PauseMarks marks() {
    const auto object = live();
    return pause_marks(object, settings_.names);
  }
  void unmark() {
    const auto body = unmark_patch(settings_.names, "");
    patch(path_, json::to_text(body));
  }
  bool converged() {
    const auto object = live();
    return as_wanted(object);
  }

  // The operator's pass over its one object, as the executor does it.
  void react() {
    ++passes_;
    again_.reset();
    auto object = live();
    Sighting sighting = Sighting::Cached;
    for (int asked = 0; asked < 8; ++asked) {
      const bool drift = object.is_null() || !as_wanted(object);
      const Sight sight{.key = key_,
                        .primary = primary_,
                        .live = object,
                        .desired = desired_,
                        .desired_hash = desired_.hash(),
                        .sighting = sighting};
      const auto verdict = drift ? guard_->judge(sight, now()) : guard_->unchanged(sight, now());
      paused_ = verdict.kind == Kind::Paused;
      if (verdict.wait > Duration::zero()) again_ = clock_.monotonic() + verdict.wait;
      if (verdict.kind == Kind::Paused || verdict.kind == Kind::Throttled) return drain();
      if (verdict.kind == Kind::Allowed) {
        if (drift) write(sight);
        return drain();
      }
      if (verdict.kind == Kind::Mark && !mark(verdict)) return drain();
      object = live();
      sighting = Sighting::Fresh;
    }
    FAIL() << "the guard never comes to an end";
  }
  bool mark(const GuardVerdict& verdict) {
    if (marks_fail_) return false;
    const auto answer = patch(path_, json::to_text(verdict.patch), "application/merge-patch+json",
                              "fieldManager=fixpoint-guard");
    EXPECT_EQ(answer.code, 200) << message(answer);
    ++marks_;
    guard_->marked(key_, answer.body, now());
    return true;
  }
  void write(const Sight& sight) {
    const auto answer = apply(path_, json::to_text(desired_), kManager, true);
    EXPECT_LE(answer.code, 201) << message(answer);
    ++applies_;
    auto returned = answer.body;
    if (mutate_) returned = mutate_();
    guard_->applied(sight, returned, now());
  }
  bool as_wanted(json::View object) const {
    for (const auto [key, value] : desired_.get("data").members()) {
      if (!(object.get("data", key) == value)) return false;
    }
    return desired_.get("kind").as_string() != "DaemonSet" ||
           object.get("metadata", "labels", "color") == desired_.get("metadata", "labels", "color");
  }
  void drain() {
    for (auto& notice : guard_->take_notices()) {
      if (notice.only_counted) continue;
      ++notices_[notice.reason];
      last_[notice.reason] = notice.note;
      if (notice.reason == "ThrashingDetected" || notice.reason == "NonConvergent") {
        paused_at_ = elapsed();
      }
    }
  }

  // Edits at these times until `until`, the operator reacting to each and to its own timers.
  void fight(Duration period, const std::function<void(int)>& edit, Duration until) {
    const auto start = clock_.monotonic();
    const auto end = start + until;
    for (int i = 0; start + period * i <= end && !paused_at_; ++i) {
      wait_until(start + period * i);
      edit(i);
      react();
    }
    if (!paused_at_) wait_until(end);
  }
  void wait_until(MonotonicInstant at) {
    while (again_ && *again_ <= at) {
      clock_.advance(*again_ - clock_.monotonic());
      react();
    }
    clock_.advance(at - clock_.monotonic());
  }
  void wait(Duration by) { wait_until(clock_.monotonic() + by); }

  void edit(std::string_view value, std::string_view manager = "kubectl-edit") {
    patch(path_, fmt::format(R"({{"data":{{"color":"{}"}}}})", value),
          "application/merge-patch+json", fmt::format("fieldManager={}", manager));
  }
  void want(std::string_view color) {
    desired_ = *json::parse(fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"web","namespace":"ns"}},
             "data":{{"color":"{}","size":"3"}}}})",
        color));
  }
  void begin() {
    react();
    applies_ = 0;
    began_ = clock_.monotonic();
    // The first apply took a token; wars are described with a full bucket.
    wait(minutes(30));
    began_ = clock_.monotonic();
  }
  const std::function<void(int)> same_ = [this](int) { edit("red"); };
  const std::function<void(int)> varied_ = [this](int i) { edit(fmt::format("red-{}", i)); };

  GuardSettings settings_;
  std::unique_ptr<Guard> guard_ = std::make_unique<Guard>([this] {
    settings_.by = "web";
    return settings_;
  }());
  ManagedKey key_{
      .kind = {"", "ConfigMap"},
        .key = {"ns", "web"},
        .manager = std::string{kManager}
  };
  std::string_view path_ = kPath;
  json::Value primary_;
  json::Value desired_ = *json::parse(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"ns"},
          "data":{"color":"blue","size":"3"}})");
  std::function<json::Value()> mutate_;
  MonotonicInstant began_{};
  Duration wall_{};
  std::optional<MonotonicInstant> again_;
  std::optional<Duration> paused_at_;
  bool paused_ = false;
  bool marks_fail_ = false;
  int applies_ = 0;
  int marks_ = 0;
  int passes_ = 0;
  std::map<std::string, int> notices_;
  std::map<std::string, std::string> last_;
};

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
