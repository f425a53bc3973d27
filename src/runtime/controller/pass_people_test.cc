// SPDX-License-Identifier: Apache-2.0
//
// Where a pass and people meet: what an author says of a refused spec, and what a person gives up.
#include "runtime/controller/pass_fixture.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using PeopleTest = PassFixture;

TEST_F(PeopleTest, AnAuthorNamesTheEventOfARefusedSpec) {
  class Named final : public TestOperator {
   public:
    Conclusion reject(json::View object, const kube::FieldErrors& errors) const override {
      auto conclusion = TestOperator::reject(object, errors);
      conclusion.event =
          EmitStep{.type = EventType::Warning, .reason = "BadBoat", .note = "both of its mistakes"};
      return conclusion;
    }
  } named;
  named.on_check = [](json::View) -> kube::FieldErrors {
    return {kube::invalid(kube::FieldPath{"spec"}, "x", "is wrong")};
  };
  settings_.reconciler = &named;
  world_.create_boat("a");
  world_.sync();

  const auto end = run();
  ASSERT_EQ(end.events.size(), 1U);
  EXPECT_EQ(end.events[0].reason, "BadBoat");
  EXPECT_EQ(end.events[0].note, "both of its mistakes");

  world_.sync();
  EXPECT_TRUE(run().events.empty()) << "it is said once";
}

TEST_F(PeopleTest, AnAuthorsNewsOfAStatusIsSaidWhenTheStatusIs) {
  class Proud final : public TestOperator {
   public:
    Conclusion conclude(const Facts& facts, const Outcomes& outcomes) const override {
      auto conclusion = TestOperator::conclude(facts, outcomes);
      conclusion.event = EmitStep{
          .type = EventType::Normal, .reason = "Launched", .note = fmt::format("wave {}", ++waves)};
      return conclusion;
    }
    mutable int waves = 0;
  } proud;
  settings_.reconciler = &proud;
  world_.create_boat("a");
  int said = 0;
  for (int pass = 0; pass < 6; ++pass) {
    world_.sync();
    for (const auto& event : run().events) said += event.reason == "Launched" ? 1 : 0;
  }

  EXPECT_GE(said, 1);
  EXPECT_LT(said, proud.waves) << "a status that is there already is no news";
}

TEST_F(PeopleTest, WhatAPersonLeavesBehindDoesNotHoldTheFinalizer) {
  operator_.declared.finalizer = "sea.example.com/cleanup";
  world_.create_boat("a");
  settle();
  world_.remove(kBoats, "a");
  world_.patch(kMaps, "a-map", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  for (int pass = 0; pass < 3; ++pass) {
    world_.sync();
    (void)run();
  }
  ASSERT_FALSE(world_.get(kBoats, "a").is_null()) << "the map is held by somebody";

  operator_.on_cleanup = [](const TestOperator::Seen&) {
    Plan plan;
    plan.left_behind.push_back({
        kMapKind, {"ns", "a-map"}
    });
    return plan;
  };
  world_.sync();
  (void)run();

  EXPECT_TRUE(world_.get(kBoats, "a").is_null());
  EXPECT_NE(world_.text(kMaps, "a-map", "metadata", "ownerReferences"), "")
      << "garbage collection must find it";
}

}  // namespace
}  // namespace fixpoint::runtime
