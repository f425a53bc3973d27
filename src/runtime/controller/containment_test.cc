// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/containment.h"

#include "json/parsing/parse.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

const kube::GroupVersionKind kPod{"", "v1", "Pod"};
const kube::GroupVersionKind kBoat{"sea.example.com", "v1", "Boat"};

bool contains(const kube::GroupVersionKind& kind, std::string_view live, std::string_view desired) {
  const json::Value there = json::parse(live).value();
  const json::Value wanted = json::parse(desired).value();
  return contains_desired(kind, there, wanted);
}

TEST(Containment, WhatOthersAddedDoesNotCount) {
  EXPECT_TRUE(contains(kBoat, R"({"spec":{"crew":2,"color":"red"},"status":{}})",
                       R"({"spec":{"crew":2}})"));
  EXPECT_FALSE(contains(kBoat, R"({"spec":{"crew":3}})", R"({"spec":{"crew":2}})"));
  EXPECT_FALSE(contains(kBoat, R"({"spec":{}})", R"({"spec":{"crew":2}})"));
  EXPECT_TRUE(contains(kBoat, R"({"spec":{}})", R"({"spec":{"crew":null}})"));
}

TEST(Containment, ListsOfUnknownKindsAreComparedPlaceByPlace) {
  EXPECT_TRUE(contains(kBoat, R"({"a":[{"x":1,"y":2}]})", R"({"a":[{"x":1}]})"));
  EXPECT_FALSE(contains(kBoat, R"({"a":[{"x":1},{"x":2}]})", R"({"a":[{"x":2},{"x":1}]})"));
  EXPECT_FALSE(contains(kBoat, R"({"a":[1,2]})", R"({"a":[1]})"));
}

TEST(Containment, ListsOfBuiltInKindsAreComparedByTheirKeys) {
  const char* live = R"({"spec":{"containers":[
      {"name":"sidecar","image":"s"},
      {"name":"web","image":"w","ports":[{"containerPort":80,"protocol":"TCP"},
                                         {"containerPort":80,"protocol":"UDP"}]}]}})";

  EXPECT_TRUE(contains(kPod, live, R"({"spec":{"containers":[{"name":"web","image":"w"}]}})"));
  EXPECT_TRUE(contains(kPod, live, R"({"spec":{"containers":[
      {"name":"web","ports":[{"containerPort":80}]}]}})"));
  EXPECT_FALSE(contains(kPod, live, R"({"spec":{"containers":[{"name":"web","image":"x"}]}})"));
  EXPECT_FALSE(contains(kPod, live, R"({"spec":{"containers":[{"name":"db"}]}})"));
}

TEST(Containment, AZeroThatGoLeavesOutIsNoDifference) {
  const auto probe = [](const std::string& fields) {
    return R"({"spec":{"containers":[{"name":"a","readinessProbe":)" + fields + "}]}}";
  };
  const std::string live = probe(R"({"periodSeconds":1})");

  EXPECT_TRUE(contains(kPod, live, probe(R"({"initialDelaySeconds":0,"periodSeconds":1})")));
  EXPECT_FALSE(contains(kPod, live, probe(R"({"initialDelaySeconds":5,"periodSeconds":1})")));
  // Unset and zero are two things there.
  EXPECT_FALSE(contains(kPod, live, probe(R"({"terminationGracePeriodSeconds":0})")));
  // It is not unset.
  EXPECT_FALSE(contains(kPod, live, probe(R"({"periodSeconds":0})")));
  // Nothing is known of other kinds.
  EXPECT_FALSE(contains(kBoat, "{}", R"({"speed":0})"));
}

TEST(Containment, AnEchoIsWhatAnObjectSaysWhereWeSaySomething) {
  const json::Value desired = json::parse(R"({"spec":{"size":"0.5","list":[1]}})").value();
  const auto echo = [&](const char* live) {
    const json::Value there = json::parse(live).value();
    return echo_of(there, desired);
  };
  const auto before = echo(R"({"spec":{"size":"500m","list":[1]},"status":{}})");

  EXPECT_EQ(echo(R"({"spec":{"size":"500m","list":[1],"other":1},"status":{"up":true}})"), before);
  EXPECT_NE(echo(R"({"spec":{"size":"600m","list":[1]}})"), before);
  EXPECT_NE(echo(R"({"spec":{"size":"500m","list":[1,2]}})"), before);
  EXPECT_NE(echo(R"({"spec":{"list":[1]}})"), before);
  EXPECT_NE(echo(R"({})"), before);
}

TEST(Containment, QuantitiesOfBuiltInKindsAreComparedByValue) {
  const char* live =
      R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"500m"}}}]}})";

  EXPECT_TRUE(
      contains(kPod, live,
               R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"0.5"}}}]}})"));
  EXPECT_FALSE(
      contains(kPod, live,
               R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"0.6"}}}]}})"));
}

TEST(Containment, OwnerReferencesOfAnyKindAreFoundByUid) {
  EXPECT_TRUE(contains(kBoat, R"({"metadata":{"ownerReferences":[{"uid":"a"},{"uid":"b"}]}})",
                       R"({"metadata":{"ownerReferences":[{"uid":"b"}]}})"));
  EXPECT_FALSE(contains(kBoat, R"({"metadata":{"ownerReferences":[{"uid":"a"}]}})",
                        R"({"metadata":{"ownerReferences":[{"uid":"b"}]}})"));
}

TEST(Containment, WhatGoLeavesOutWhenEmptyIsNoDifference) {
  EXPECT_TRUE(contains(kPod, R"({"metadata":{"name":"a"}})",
                       R"({"metadata":{"name":"a","labels":{},"finalizers":[]}})"));
  EXPECT_FALSE(contains(kPod, R"({"spec":{"volumes":[{"name":"v"}]}})",
                        R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})"));
}

}  // namespace
}  // namespace fixpoint::runtime
