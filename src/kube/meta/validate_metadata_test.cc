// SPDX-License-Identifier: Apache-2.0
//
// The texts are those a real server answered to the same objects.
#include "kube/meta/validate_metadata.h"

#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/texts_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

const FieldPath kMetadata{"metadata"};

std::vector<std::string> create_errors(std::string_view metadata) {
  const auto object = parsed(R"({"metadata":)" + std::string{metadata} + "}");
  return texts(validate_object_meta(object, name_is_dns_subdomain, Scope::Namespaced, kMetadata));
}

std::vector<std::string> update_errors(std::string_view metadata, std::string_view old_metadata) {
  const auto object = parsed(R"({"metadata":)" + std::string{metadata} + "}");
  const auto old_object = parsed(R"({"metadata":)" + std::string{old_metadata} + "}");
  return texts(validate_object_meta_update(object, old_object, kMetadata));
}

using Texts = std::vector<std::string>;

TEST(ObjectMeta, AGoodOneHasNoErrors) {
  EXPECT_EQ(create_errors(R"({"name":"a","namespace":"n","labels":{"a":"b"},
      "annotations":{"EXAMPLE.com/a":"any text"},"finalizers":["example.com/f"],
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"D","name":"d","uid":"u","controller":true}]})"),
            Texts{});
}

TEST(ObjectMeta, NeedsANameAndTheRightNamespace) {
  EXPECT_EQ(create_errors("{}"),
            (Texts{"metadata.name: Required value: name or generateName is required",
                   "metadata.namespace: Required value"}));
  const auto object = parsed(R"({"metadata":{"name":"a","namespace":"n"}})");
  EXPECT_EQ(texts(validate_object_meta(object, name_is_dns_subdomain, Scope::Cluster, kMetadata)),
            Texts{"metadata.namespace: Forbidden: not allowed on this type"});
}

TEST(ObjectMeta, RefusesIncompleteAndCompetingOwners) {
  EXPECT_EQ(
      create_errors(R"({"name":"a","namespace":"n","ownerReferences":[{}]})"),
      (Texts{"metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
             "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
             "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
             "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"}));
  EXPECT_EQ(
      create_errors(R"({"name":"a","namespace":"n","ownerReferences":[
          {"apiVersion":"v1","kind":"A","name":"x","uid":"1","controller":true,"blockOwnerDeletion":true},
          {"apiVersion":"v1","kind":"B","name":"y","uid":"2","controller":true}]})"),
      Texts{
          "metadata.ownerReferences: Invalid value: "
          "[{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"x\",\"uid\":\"1\",\"controller\":true,"
          "\"blockOwnerDeletion\":true},"
          "{\"apiVersion\":\"v1\",\"kind\":\"B\",\"name\":\"y\",\"uid\":\"2\",\"controller\":true}]"
          ": "
          "Only one reference can have Controller set to true. Found \"true\" in references for "
          "A/x "
          "and B/y"});
  EXPECT_EQ(create_errors(R"({"name":"a","namespace":"n","ownerReferences":[
          {"apiVersion":"v1","kind":"Event","name":"x","uid":"1"}]})"),
            Texts{"metadata.ownerReferences: Invalid value: "
                  "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"x\",\"uid\":\"1\"}: "
                  "/v1, Kind=Event is disallowed from being an owner"});
}

TEST(ObjectMeta, BoundsAnnotations) {
  auto object = json::Draft{parsed(R"({"metadata":{"name":"a","namespace":"n"}})")};
  auto& annotations = object["metadata"].object_at("annotations");
  annotations["a"] = std::string(kAnnotationBytesMax - 1, 'x');
  const auto fits = object.freeze();
  EXPECT_EQ(validate_object_meta(fits, name_is_dns_subdomain, Scope::Namespaced, kMetadata).size(),
            0U);

  annotations["a"] = std::string(kAnnotationBytesMax, 'x');
  const auto full = object.freeze();
  EXPECT_EQ(texts(validate_object_meta(full, name_is_dns_subdomain, Scope::Namespaced, kMetadata)),
            Texts{"metadata.annotations: Too long: may not be more than 262144 bytes"});
}

TEST(ObjectMeta, FinalizersAreQualifiedNamesAndOnePropagation) {
  EXPECT_EQ(
      create_errors(R"({"name":"a","namespace":"n","finalizers":["orphan","foregroundDeletion"]})"),
      Texts{"metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer "
            "orphan and foregroundDeletion cannot be both set"});
  EXPECT_EQ(create_errors(R"({"name":"a","namespace":"n","finalizers":["/"]})").size(), 3U);
}

TEST(ObjectMeta, ManagedFieldsEntriesAreChecked) {
  EXPECT_EQ(
      create_errors(R"({"name":"a","namespace":"n","managedFields":[
                {"operation":"Merge","fieldsType":"V2","manager":"a\u0007"}]})"),
      (Texts{"metadata.managedFields[0].operation: Invalid value: \"Merge\": must be `Apply` or "
             "`Update`",
             "metadata.managedFields[0].fieldsType: Invalid value: \"V2\": must be `FieldsV1`",
             "metadata.managedFields[0].manager: Invalid value: \"a\\a\": invalid character "
             "U+0007 (at position 1)"}));
}

TEST(ObjectMeta, IdentityIsImmutable) {
  constexpr std::string_view kOld =
      R"({"name":"a","namespace":"n","uid":"1","creationTimestamp":"2026-01-01T00:00:00Z",
          "resourceVersion":"5","generation":3})";
  EXPECT_EQ(update_errors(kOld, kOld), Texts{});
  EXPECT_EQ(update_errors(R"({"name":"b","namespace":"n","uid":"2","generation":2,
                        "creationTimestamp":"2026-01-01T00:00:01Z"})",
                          kOld),
            (Texts{"metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
                   "metadata.generation: Invalid value: 2: must not be decremented",
                   "metadata.name: Invalid value: \"b\": field is immutable",
                   "metadata.uid: Invalid value: \"2\": field is immutable",
                   "metadata.creationTimestamp: Invalid value: \"2026-01-01T00:00:01Z\": field is "
                   "immutable"}));
}

TEST(ObjectMeta, NoFinalizerJoinsAnObjectThatIsLeaving) {
  constexpr std::string_view kOld =
      R"({"name":"a","namespace":"n","resourceVersion":"5","deletionTimestamp":"2026-01-01T00:00:00Z",
          "deletionGracePeriodSeconds":0,"finalizers":["example.com/a"]})";
  EXPECT_EQ(
      update_errors(
          R"({"name":"a","namespace":"n","resourceVersion":"5",
              "deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,
              "finalizers":["example.com/new"]})",
          kOld),
      Texts{"metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
            "deleted, found new finalizers []string{\"example.com/new\"}"});
  EXPECT_EQ(update_errors(R"({"name":"a","namespace":"n","resourceVersion":"5",
              "deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":3})",
                          kOld),
            Texts{"metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"});
}

TEST(Conditions, HaveATypeAStatusATimeAndAReason) {
  const auto conditions = parsed(R"([{"type":"A","status":"True","reason":"Good",
      "lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"A","status":"Maybe","reason":"1"}])");
  const FieldPath status{"status"};
  const auto errors = texts(validate_conditions(conditions, status.child("conditions")));
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0], "status.conditions[1].type: Duplicate value: \"A\"");
  EXPECT_EQ(errors[1],
            "status.conditions[1].status: Unsupported value: \"Maybe\": supported values: "
            "\"False\", \"True\", \"Unknown\"");
  EXPECT_EQ(errors[2], "status.conditions[1].lastTransitionTime: Required value");
}

TEST(Metadata, ReadsOwnersAndConditions) {
  const auto object = parsed(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r",
      "namespace":"n","uid":"u","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",
      "name":"d","uid":"o","controller":true}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");

  EXPECT_EQ(key_of(object), (Key{"n", "r"}));
  EXPECT_EQ(gvk_of(object), (GroupVersionKind{"apps", "v1", "ReplicaSet"}));
  EXPECT_EQ(controller_of(object)->uid, "o");
  EXPECT_TRUE(owned_by(object, "o"));
  EXPECT_FALSE(owned_by(object, "u"));
  EXPECT_TRUE(condition_is_true(object, "Ready"));
  EXPECT_FALSE(condition_is_true(object, "Gone"));
  EXPECT_FALSE(being_deleted(object));
  const auto reference = controller_reference(object);
  const auto round_trip = reference.to_json();
  EXPECT_EQ(OwnerReference::from(round_trip), reference);
}

}  // namespace
}  // namespace fixpoint::kube
