// SPDX-License-Identifier: Apache-2.0
//
// A custom resource in two versions of different schemas: what each shows, keeps and owns.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kKites = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "kites.sky.example.com"},
  "spec": {"group": "sky.example.com", "scope": "Namespaced",
    "names": {"plural": "kites", "kind": "Kite"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
        "properties": {"spec": {"type": "object",
          "properties": {"size": {"type": "integer"}, "color": {"type": "string", "default": "red"},
                         "tail": {"type": "string"}}}, "status": {"type": "object"}}}},
        "selectableFields": [{"jsonPath": ".spec.color"}],
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size",
                                                 "statusReplicasPath": ".status.size"}}},
      {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"spec": {"type": "object", "properties": {
          "size": {"type": "integer"}, "color": {"type": "string"},
          "old": {"type": "string", "default": "gone"}}}}}}}]}})";
constexpr auto kNew = "/apis/sky.example.com/v1/namespaces/ns/kites";
constexpr auto kOld = "/apis/sky.example.com/v1beta1/namespaces/ns/kites";

class Versions : public ApiFixture {
 protected:
  Versions() { create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kKites); }

  static std::string kite(std::string_view version, std::string_view spec) {
    return R"({"apiVersion":"sky.example.com/)" + std::string{version} +
           R"(","kind":"Kite","metadata":{"name":"k"},"spec":)" + std::string{spec} + "}";
  }
  static std::string spec(const Response& response) {
    return json::to_text(response.body.get("spec"));
  }
};

TEST_F(Versions, AVersionShowsOnlyWhatItKnows) {
  create(kNew, kite("v1", R"({"size":1,"tail":"long"})"));

  EXPECT_EQ(spec(get(std::string{kOld} + "/k")), R"({"color":"red","size":1})");
  EXPECT_EQ(spec(get(std::string{kNew} + "/k")), R"({"color":"red","size":1,"tail":"long"})");
}

TEST_F(Versions, WhatIsStoredGetsTheDefaultsOfItsVersion) {
  const auto made = create(kOld, kite("v1beta1", R"({"size":1})"));
  const auto tried = create(kOld, kite("v1beta1", R"({"size":1})"), "dryRun=All");

  EXPECT_EQ(spec(made), R"({"color":"red","size":1})");
  EXPECT_EQ(tried.code, 409);
}

TEST_F(Versions, OwnershipIsLostWhenAnOwnersVersionCannotHoldTheObject) {
  create(kNew, kite("v1", R"({"size":1})"));

  const auto patched = patch(std::string{kOld} + "/k", R"({"spec":{"size":2}})");

  ASSERT_EQ(patched.code, 200) << message(patched);
  EXPECT_FALSE(patched.body.get("metadata").contains("managedFields"));
}

TEST_F(Versions, AnApplyIsRefusedThen) {
  create(kNew, kite("v1", R"({"size":1})"));

  const auto refused = apply(std::string{kOld} + "/k", kite("v1beta1", R"({"old":"x"})"), "one");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(message(refused),
            "failed to convert new object: .spec.old: field not declared in schema");
}

TEST_F(Versions, AStatusWriteLosesTheOwnersThatItCannotTrack) {
  create(kNew, kite("v1", R"({"size":1})"));
  apply(std::string{kOld} + "/k", kite("v1beta1", R"({"size":1})"), "old");
  const auto made = get(std::string{kNew} + "/k");
  ASSERT_TRUE(made.body.get("metadata").contains("managedFields"));

  const auto written = patch(std::string{kNew} + "/k/status", R"({"status":{}})");

  ASSERT_EQ(written.code, 200) << message(written);
  EXPECT_FALSE(written.body.get("metadata").contains("managedFields"));
}

TEST_F(Versions, AStatusWriteInTheNameOfAnotherKindLosesAllOwners) {
  create(kNew, kite("v1", R"({"size":1})"));

  const auto written = patch(std::string{kNew} + "/k/status", R"({"kind":"Other"})");

  ASSERT_EQ(written.code, 200) << message(written);
  EXPECT_EQ(written.body.get("kind").as_string(), "Kite");
  EXPECT_FALSE(written.body.get("metadata").contains("managedFields"));
}

TEST_F(Versions, AnObjectIsSelectedByTheDefaultsItIsShownWith) {
  create(kOld, kite("v1beta1", R"({"size":1})"));

  EXPECT_EQ(list(kNew, "fieldSelector=spec.color=red").list->items.size(), 1U);
  EXPECT_EQ(list(kNew, "fieldSelector=spec.color!=red").list->items.size(), 0U);
}

TEST_F(Versions, AnApplyThatSaysNothingNewSetsNoDefaults) {
  const auto body = kite("v1beta1", R"({"size":1})");
  apply(std::string{kOld} + "/k", body, "one");

  const auto again = apply(std::string{kOld} + "/k", body, "one");

  EXPECT_EQ(spec(again), R"({"color":"red","size":1})");
  EXPECT_EQ(meta(again, "generation"), "1");
}

TEST_F(Versions, ScalingWhatNobodyOwnsLeavesNoEmptyList) {
  create(kNew, kite("v1", R"({"size":1})"));
  patch(std::string{kNew} + "/k", R"({"metadata":{"managedFields":[{}]}})");
  ASSERT_EQ(patch(std::string{kNew} + "/k/scale", R"({"spec":{"replicas":2}})").code, 200);

  const auto scaled = get(std::string{kNew} + "/k");
  const auto nothing = patch(std::string{kNew} + "/k", "{}");

  EXPECT_EQ(meta(nothing, "resourceVersion"), meta(scaled, "resourceVersion"));
}

}  // namespace
}  // namespace fixpoint::apiserver
