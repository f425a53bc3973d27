// SPDX-License-Identifier: Apache-2.0
//
// Passes over the API-server core, one effect at a time.
#include "runtime/controller/pass_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class PassTest : public PassFixture {};

TEST_F(PassTest, MakesTheChildAndTheStatusWithTwoWritesAndThenNothing) {
  world_.create_boat("a");
  world_.sync();

  const PassEnd first = run();
  EXPECT_THAT(verbs(), ElementsAre("create configmaps", "patch boats/status"));
  EXPECT_EQ(first.result, PassEnd::Result::Success);
  EXPECT_TRUE(first.changed);
  calls_.clear();
  const PassEnd second = run();

  EXPECT_EQ(second.writes, 0U);
  EXPECT_THAT(calls_, testing::IsEmpty());
  EXPECT_FALSE(second.changed);
  EXPECT_TRUE(second.memory.empty());
}

TEST_F(PassTest, IsOverAtOnceWhenTheObjectIsNotThere) {
  const PassEnd end = run("none");

  EXPECT_TRUE(end.absent);
  EXPECT_EQ(end.calls, 0U);
}

TEST_F(PassTest, MarksChildrenWithAReferenceAndTheHashOfTheWish) {
  const auto boat = world_.create_boat("a");
  world_.sync();
  run();

  const auto map = world_.get(kMaps, "a-map");

  const json::View reference = map.get("metadata", "ownerReferences")[0];
  EXPECT_EQ(reference.get("uid"), boat.get("metadata", "uid"));
  EXPECT_TRUE(reference.get("controller").as_bool());
  EXPECT_EQ(reference.get("kind").as_string(), "Boat");
  EXPECT_THAT(std::string{map.get("metadata", "annotations", kHashAnnotation).as_string()},
              testing::EndsWith("-created"));
}

TEST_F(PassTest, MarksWhatCannotCarryAReferenceWithALabel) {
  operator_.on_decide = [](const TestOperator::Seen&) {
    Plan plan;
    plan.apply(parsed(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
                          "metadata":{"name":"sailor"},"rules":[]})"));
    return plan;
  };
  const auto boat = world_.create_boat("a");
  world_.sync();

  EXPECT_TRUE(run().outcomes.all_succeeded());

  const auto role = world_.get(kRoles, "sailor");
  EXPECT_TRUE(role.get("metadata", "ownerReferences").is_null());
  EXPECT_EQ(owner_uid_of(role), boat.get("metadata", "uid").as_string());
  EXPECT_EQ(settle().writes, 0U);
}

TEST_F(PassTest, AppliesAChangedWishAndRemovesWhatItLeavesOut) {
  world_.create_boat("a", R"({"color":"red","extra":"yes"})");
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    json::Draft data = json::Draft::object();
    data["color"] = seen.primary.get("spec", "color");
    if (seen.primary.get("spec").contains("extra")) data["extra"] = "yes";
    Plan plan;
    plan.apply(TestOperator::map("a-map", data));
    return plan;
  };
  settle();
  world_.patch(kBoats, "a", R"({"spec":{"color":"blue","extra":null}})");
  world_.sync();
  calls_.clear();

  run();

  EXPECT_THAT(verbs(), ElementsAre("get configmaps", "patch configmaps", "apply configmaps",
                                   "patch boats/status"));
  const auto map = world_.get(kMaps, "a-map");
  EXPECT_EQ(json::to_text(map.get("data")), R"({"color":"blue"})");
  EXPECT_EQ(settle().writes, 0U);

  // From now on the fields are owned by apply: no more reading before.
  world_.patch(kBoats, "a", R"({"spec":{"color":"green"}})");
  world_.sync();
  calls_.clear();
  run();
  EXPECT_THAT(verbs(), ElementsAre("apply configmaps", "patch boats/status"));
}

TEST_F(PassTest, TakesBackWhatSomebodyElseChanged) {
  world_.create_boat("a");
  settle();
  world_.patch(kMaps, "a-map", R"({"data":{"color":"pink","more":"stays"}})");
  world_.sync();

  run();

  const auto map = world_.get(kMaps, "a-map");
  EXPECT_EQ(json::to_text(map.get("data")), R"({"color":"red","more":"stays"})");
  EXPECT_EQ(settle().writes, 0U);
}

TEST_F(PassTest, AWriteMeantForAnotherObjectChangesNothingAndIsReadLiveNext) {
  world_.create_boat("a");
  settle();
  world_.patch(kMaps, "a-map", R"({"data":{"color":"pink"}})");
  world_.sync();
  world_.remove(kMaps, "a-map");
  world_.create_map("a-map", R"("data":{"theirs":"yes"})");

  const PassEnd stale = run();  // the cache still shows ours

  EXPECT_EQ(world_.text(kMaps, "a-map", "data"), R"({"theirs":"yes"})");
  EXPECT_EQ(stale.outcomes.steps[0].error_class, ErrorClass::Transient);
  EXPECT_THAT(memory_.doubts, ElementsAre(ObjectRef{
                                  kMapKind, {"ns", "a-map"}
  }));
  const PassEnd next = run();
  EXPECT_EQ(next.outcomes.steps[0].reason, "OwnershipConflict");
}

TEST_F(PassTest, WhatTheServerStoresDifferentlyIsWrittenOnce) {
  // A custom resource has no schema here: "1.0" stays a text, but the server drops what its schema
  // does not know.
  operator_.on_conclude = [](const TestOperator::Seen&, const Outcomes&) {
    Conclusion conclusion;
    conclusion.status = parsed(R"({"phase":"Ready","unknownField":"dropped"})");
    return conclusion;
  };
  world_.create_boat("a");
  world_.sync();
  run();
  EXPECT_FALSE(memory_.empty());
  calls_.clear();

  EXPECT_EQ(settle().writes, 0U);

  EXPECT_THAT(verbs(), testing::IsEmpty());
}

TEST_F(PassTest, AChildThatIsStoredDifferentlyMayChangeElsewhere) {
  // The server drops what the schema does not know.
  operator_.on_decide = [](const TestOperator::Seen&) {
    return Plan{}.apply(parsed(R"({"apiVersion":"sea.example.com/v1","kind":"Boat",
        "metadata":{"name":"kid"},"unknownField":"dropped"})"));
  };
  world_.create_boat("a");
  settle();
  EXPECT_FALSE(memory_.empty());
  calls_.clear();

  for (const std::string phase : {"Building", "Afloat", "Sunk"}) {
    world_.patch(kBoats, "kid", R"({"status":{"phase":")" + phase + R"("}})", "status");
    world_.sync();
    EXPECT_EQ(run().writes, 0U) << phase;
  }
  EXPECT_THAT(verbs(), testing::IsEmpty());
}

TEST_F(PassTest, WaitsForAChildThatIsBeingDeleted) {
  world_.create_boat("a");
  settle();
  world_.patch(kMaps, "a-map", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  world_.remove(kMaps, "a-map");
  world_.sync();
  calls_.clear();

  const PassEnd end = run();

  EXPECT_EQ(end.outcomes.steps[0].state, StepState::Waiting);
  EXPECT_EQ(end.outcomes.steps[0].reason, "Terminating");
  EXPECT_EQ(end.result, PassEnd::Result::RequeueAfter);
  EXPECT_THAT(verbs(), ElementsAre("patch boats/status"));
}

TEST_F(PassTest, SharedObjectsAreNotMarkedAndTwoOwnersKeepTheirFields) {
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    const std::string name{seen.primary.get("metadata", "name").as_string()};
    json::Draft data = json::Draft::object();
    data[name] = "here";
    Plan plan;
    plan.branch("shared").steps.emplace_back(
        ApplyStep{TestOperator::map("fleet", data), Ownership::Shared});
    return plan;
  };
  world_.create_boat("a");
  world_.create_boat("b");

  settle("a");
  settle("b");
  settle("a");

  const auto map = world_.get(kMaps, "fleet");
  EXPECT_EQ(json::to_text(map.get("data")), R"({"a":"here","b":"here"})");
  EXPECT_TRUE(map.get("metadata", "ownerReferences").is_null());
}

// A boat's treasure: of the ownership its spec names, with a stamp.
Plan treasure_plan(const TestOperator::Seen& seen) {
  json::Draft object(TestOperator::map("treasure", json::Draft::object({
                                                       {"gold", "1"}
  })));
  if (seen.primary.get("spec", "stamp").is_string()) {
    object.object_at("metadata").object_at("annotations")[kStampAnnotation] =
        seen.primary.get("spec", "stamp");
  }
  const bool kept = seen.primary.get("spec", "keep").as_bool();
  Plan plan;
  plan.branch("treasure")
      .steps.emplace_back(ApplyStep{object.freeze(), kept ? Ownership::Kept : Ownership::Owned});
  return plan;
}

TEST_F(PassTest, AKeptObjectOutlivesItsOwnerAndIsFoundAgainByItsStamp) {
  operator_.on_decide = treasure_plan;
  operator_.declared.finalizer = "sea.example.com/cleanup";
  world_.create_boat("a", R"({"keep":true,"stamp":"boat a"})");
  settle();
  const auto uid = world_.text(kMaps, "treasure", "metadata", "uid");
  EXPECT_EQ(world_.text(kMaps, "treasure", "metadata", "ownerReferences"), "");
  const auto treasure = world_.get(kMaps, "treasure");
  EXPECT_EQ(owner_key_of(treasure, kBoatKind.group_kind()), (kube::Key{"ns", "a"}));

  world_.remove(kBoats, "a");
  for (int pass = 0; pass < 3; ++pass) {
    world_.sync();
    (void)run();
  }
  EXPECT_TRUE(world_.get(kBoats, "a").is_null());
  world_.create_boat("a", R"({"keep":true,"stamp":"boat a"})");
  settle();

  EXPECT_EQ(world_.text(kMaps, "treasure", "metadata", "uid"), uid);
}

TEST_F(PassTest, AKeptObjectWithAnotherStampIsForeign) {
  operator_.on_decide = treasure_plan;
  world_.create_map("treasure");
  world_.patch(kMaps, "treasure",
               R"({"metadata":{"annotations":{"fixpoint.dev/kept-for":"another"}}})");
  world_.create_boat("a", R"({"keep":true,"stamp":"boat a"})");

  world_.sync();
  const auto end = run();

  EXPECT_EQ(end.outcomes.steps[0].reason, "OwnershipConflict");
  EXPECT_EQ(world_.text(kMaps, "treasure", "data", "gold"), "");
}

TEST_F(PassTest, WhetherAnObjectIsKeptMayChange) {
  const auto owners_of_treasure = [&] {
    const auto treasure = world_.get(kMaps, "treasure");
    return treasure.get("metadata", "ownerReferences").size();
  };
  operator_.on_decide = treasure_plan;
  world_.create_boat("a", R"({"keep":false,"stamp":"boat a"})");
  settle();
  EXPECT_EQ(owners_of_treasure(), 1U);

  world_.patch(kBoats, "a", R"({"spec":{"keep":true}})");
  settle();
  EXPECT_EQ(owners_of_treasure(), 0U);

  world_.patch(kBoats, "a", R"({"spec":{"keep":false}})");
  settle();
  EXPECT_EQ(owners_of_treasure(), 1U);
}

TEST_F(PassTest, AKeptObjectNeedsAStamp) {
  operator_.on_decide = treasure_plan;
  world_.create_boat("a", R"({"keep":true})");

  world_.sync();

  EXPECT_THAT(run().outcomes.steps[0].message, HasSubstr("needs the annotation"));
}

TEST_F(PassTest, KnowsWhetherAKindIsServed) {
  std::vector<bool> served;
  operator_.on_observe = [&](const Reader& reader, Probes&) {
    served = {reader.serves(kMapKind), reader.serves({"sea.example.com", "v1", "Whale"})};
    return Result<json::Value>{json::Value{}};
  };
  world_.create_boat("a");
  settle();

  EXPECT_THAT(served, ElementsAre(true, false));
}

TEST_F(PassTest, CreateStepLeavesTheObjectAloneAfterwards) {
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    Plan plan;
    plan.create(TestOperator::color_map(seen));
    return plan;
  };
  world_.create_boat("a");
  settle();
  world_.patch(kMaps, "a-map", R"({"data":{"color":"pink"}})");

  EXPECT_EQ(settle().writes, 0U);

  EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "pink");
}

TEST_F(PassTest, PatchesOnlyWhatItSawAndOnlyWhenItChangesSomething) {
  const auto map = world_.create_map("theirs");
  const kube::Uid uid{std::string{map.get("metadata", "uid").as_string()}};
  operator_.on_decide = [&](const TestOperator::Seen&) {
    Plan plan;
    plan.branch("p").steps.emplace_back(PatchStep{
        .target = {kMapKind, {"ns", "theirs"}},
        .uid = uid,
        .body = parsed(R"({"data":{"x":"1"}})")
    });
    return plan;
  };
  world_.create_boat("a");
  settle();
  EXPECT_EQ(world_.text(kMaps, "theirs", "data", "x"), "1");

  world_.remove(kMaps, "theirs");
  world_.create_map("theirs");
  world_.sync();
  const PassEnd stale = run();

  EXPECT_EQ(stale.outcomes.steps[0].state, StepState::Failed);
  EXPECT_EQ(stale.outcomes.steps[0].error_class, ErrorClass::Transient);
  EXPECT_EQ(world_.text(kMaps, "theirs", "data", "x"), "");
}

TEST_F(PassTest, AsksEverythingAtOnceAndObservesAgain) {
  world_.create_boat("a");
  world_.create_map("live");
  world_.sync();
  operator_.on_observe = [](const Reader& reader, Probes& probes) -> Result<json::Value> {
    auto one = probes.ask({.name = "one"});
    auto two = probes.ask({.name = "two"});
    auto live = reader.live({
        kMapKind, {"ns", "live"}
    });
    FP_TRY(first, std::move(one));
    FP_TRY(second, std::move(two));
    FP_TRY(object, std::move(live));
    EXPECT_EQ(object.get("data", "a").as_string(), "b");
    return json::Value::integer(first.as_int() + second.as_int());
  };

  Pass pass = start();
  const auto effects = pass.take_effects();

  ASSERT_EQ(effects.size(), 3U);
  for (const auto& effect : effects)
    pass.answer(effect.id, carry_out(effect), world_, world_.clock.wall());
  EXPECT_EQ(operator_.observed, 2);
  finish(std::move(pass));
}

TEST_F(PassTest, LooksUpKindsThatNobodyDeclared) {
  operator_.declared.watches.pop_back();
  operator_.on_observe = [](const Reader& reader, Probes&) -> Result<json::Value> {
    return reader.live({
        {"no.such", "v1", "Thing"},
        {"ns", "x"}
    });
  };
  world_.create_boat("a");
  world_.sync();

  const PassEnd end = run();

  EXPECT_TRUE(end.outcomes.all_succeeded());
  EXPECT_EQ(resolved_, 1);
}

TEST_F(PassTest, ACopyOfAPassGoesItsOwnWay) {
  world_.create_boat("a");
  world_.sync();
  Pass pass = start();
  const auto effects = pass.take_effects();
  ASSERT_EQ(effects.size(), 1U);
  Pass copy = pass;

  pass.answer(effects[0].id, client::Reply{std::unexpected(refused(403, "Forbidden"))}, world_, {});
  copy.answer(effects[0].id, carry_out(effects[0]), world_, {});

  const PassEnd failed_end = finish(std::move(pass));
  const PassEnd good_end = finish(std::move(copy));
  EXPECT_EQ(failed_end.outcomes.steps[0].state, StepState::Failed);
  EXPECT_EQ(good_end.outcomes.steps[0].state, StepState::Done);
}

TEST_F(PassTest, AnAbortedPassDoubtsTheWriteThatWasOut) {
  world_.create_boat("a");
  world_.sync();
  Pass pass = start();
  ASSERT_EQ(pass.take_effects().size(), 1U);

  pass.abort({.reason = "DeadlineExceeded", .message = "too slow"});

  const PassEnd end = finish(std::move(pass));
  EXPECT_TRUE(end.backoff);
  EXPECT_THAT(end.memory.doubts, ElementsAre(ObjectRef{
                                     kMapKind, {"ns", "a-map"}
  }));
}

TEST_F(PassTest, ReadsLiveWhatTheLastPassLeftInDoubt) {
  world_.create_boat("a");
  world_.sync();
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.verb != client::Verb::Create) return std::nullopt;
    EXPECT_TRUE(world_.call(call).has_value());  // it happened, but nobody hears of it
    return std::unexpected(lost());
  };
  EXPECT_TRUE(run().backoff);
  on_call_ = nullptr;
  calls_.clear();

  run();

  EXPECT_THAT(verbs(), ElementsAre("get configmaps", "patch boats/status"));
  EXPECT_TRUE(memory_.doubts.empty());
}

TEST_F(PassTest, SaysAnEventAgainOnlyWhenItWasNotTrueInBetween) {
  bool stormy = true;
  operator_.on_decide = [&](const TestOperator::Seen&) {
    Plan plan;
    if (stormy) plan.emit(EventType::Warning, "Storm", "it is stormy");
    return plan;
  };
  world_.create_boat("a");
  world_.sync();

  EXPECT_EQ(run().events.size(), 1U);
  EXPECT_EQ(run().events.size(), 0U);
  stormy = false;
  EXPECT_EQ(run().events.size(), 0U);
  stormy = true;
  EXPECT_EQ(run().events.size(), 1U);
}

TEST_F(PassTest, ConditionsKeepTheirTimeUntilTheyChange) {
  world_.create_boat("a");
  settle();
  const auto settled = world_.get(kBoats, "a");
  const json::View before = settled.get("status", "conditions")[0];
  const std::string since{before.get("lastTransitionTime").as_string()};
  EXPECT_EQ(before.get("observedGeneration").as_int(), 1);
  world_.clock.advance(100s);
  world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
  settle();

  const auto boat = world_.get(kBoats, "a");

  const json::View after = boat.get("status", "conditions")[0];
  EXPECT_EQ(after.get("lastTransitionTime").as_string(), since);
  EXPECT_EQ(after.get("observedGeneration").as_int(), 2);
  EXPECT_EQ(boat.get("status", "observedGeneration").as_int(), 2);
}

TEST_F(PassTest, Rule10ATransientFailureIsNoNewPhaseUntilItLasts) {
  world_.create_boat("a");
  settle();
  world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
  world_.sync();
  on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
    if (call.subresource == "status") return std::nullopt;
    return std::unexpected(refused(500, "InternalError", "down"));
  };

  for (std::uint32_t failure = 0; failure < kTransientsUnsaid; ++failure)
    EXPECT_TRUE(run().backoff);
  EXPECT_EQ(world_.text(kBoats, "a", "status", "phase"), "Ready");
  EXPECT_TRUE(run().backoff);

  EXPECT_EQ(world_.text(kBoats, "a", "status", "phase"), "Failed");
}

// An edit is a reason to look again, but none to press a server that failed.
TEST_F(PassTest, Rule10AnOvertakenPassThatFailedWaitsAllTheSame) {
  operator_.on_decide = [](const TestOperator::Seen& seen) {
    Plan plan;
    plan.branch("map").steps.emplace_back(ApplyStep{TestOperator::color_map(seen)});
    plan.branch("once").steps.emplace_back(
        CreateStep{TestOperator::map("once", json::Draft::object())});
    return plan;
  };
  world_.create_boat("a");
  world_.sync();
  client::CallError error = refused(500, "InternalError", "down");
  on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
    if (call.resource != kMaps) return std::nullopt;
    world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
    world_.sync();
    return std::unexpected(error);
  };

  const PassEnd failed = run();
  EXPECT_TRUE(failed.overtaken);
  EXPECT_TRUE(failed.backoff);
  EXPECT_EQ(failed.memory.transients, 1U);
  EXPECT_EQ(failed.requeue_after, std::nullopt);

  world_.patch(kBoats, "a", R"({"spec":{"color":"red"}})");
  world_.sync();
  error = refused(429, "TooManyRequests", "later");
  error.retry_after = std::chrono::seconds(7);
  const PassEnd throttled = run();
  EXPECT_TRUE(throttled.overtaken);
  EXPECT_FALSE(throttled.backoff);
  EXPECT_EQ(throttled.requeue_after, std::chrono::seconds(7));

  world_.patch(kBoats, "a", R"({"spec":{"color":"red"}})");
  world_.sync();
  error = refused(422, "Invalid", "no such colour");
  const PassEnd invalid = run();
  EXPECT_TRUE(invalid.overtaken);
  EXPECT_EQ(invalid.requeue_after, Duration::zero());  // what was invalid is not what is there
}

TEST_F(PassTest, WhatAnotherLeaderAppliedIsNotAppliedAgain) {
  world_.create_boat("a");
  settle();
  world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
  world_.sync();
  const Contents as_created = world_.contents.at(kMapKind);
  ASSERT_TRUE(run().outcomes.all_succeeded());
  ASSERT_EQ(world_.text(kMaps, "a-map", "data", "color"), "blue");
  calls_.clear();

  world_.contents.at(kMapKind) = as_created;  // what the other process still knows
  const PassEnd end = run();

  EXPECT_THAT(verbs(), ElementsAre("get configmaps"));
  EXPECT_EQ(end.outcomes.steps[0].state, StepState::Unchanged);
}

TEST_F(PassTest, SaysAnEventWhenObservingFailsForGood) {
  operator_.on_observe = [](const Reader&, Probes&) -> Result<json::Value> {
    return fail(ErrorKind::Internal, "no chart of these waters");
  };
  world_.create_boat("a");
  world_.sync();

  const PassEnd first = run();
  const PassEnd second = run();

  ASSERT_EQ(first.events.size(), 1U);
  EXPECT_EQ(first.events[0].note, "no chart of these waters");
  EXPECT_TRUE(second.events.empty());
}

TEST_F(PassTest, WaitingIsARequeue) {
  operator_.on_decide = [](const TestOperator::Seen&) {
    Plan plan;
    plan.branch("w").steps.emplace_back(WaitStep{"PodsReady", "2 of 3 pods", 7s});
    plan.look_again = 30s;
    return plan;
  };
  world_.create_boat("a");
  world_.sync();

  const PassEnd end = run();

  EXPECT_EQ(end.result, PassEnd::Result::RequeueAfter);
  EXPECT_EQ(end.requeue_after, 7s);
}

TEST_F(PassTest, ComesBackToReleaseWhenTheKindWasNotServed) {
  operator_.declared.finalizer = "fixpoint.dev/boats";
  world_.create_boat("a");
  settle();
  world_.remove(kBoats, "a");
  world_.remove(kMaps, "a-map");
  world_.sync();
  on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
    if (call.patch_type != client::PatchType::Json) return std::nullopt;
    return std::unexpected(
        refused(404, "NotFound", "the server could not find the requested resource"));
  };

  const PassEnd end = run();

  EXPECT_EQ(end.result, PassEnd::Result::Error);
  EXPECT_TRUE(end.backoff);
  EXPECT_FALSE(world_.get(kBoats, "a").is_null());
}

TEST_F(PassTest, SaysThatAKindServesNoStatusAndComesBack) {
  world_.create_boat("a");
  world_.sync();
  on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
    if (call.subresource != "status") return std::nullopt;
    return std::unexpected(
        refused(404, "NotFound", "the server could not find the requested resource"));
  };

  const PassEnd end = run();

  EXPECT_EQ(end.result, PassEnd::Result::Error);
  EXPECT_EQ(end.failure.reason, "NoStatus");
  EXPECT_TRUE(end.backoff);
}

}  // namespace
}  // namespace fixpoint::runtime
