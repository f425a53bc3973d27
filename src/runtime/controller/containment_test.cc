// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/containment.h"

#include "json/parse.h"

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
