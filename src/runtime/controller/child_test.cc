// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/child.h"

#include "json/patch/patch.h"
#include "json/print.h"
#include "kube/texts_for_tests.h"
#include "runtime/ownership.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using kube::parsed;

const Owner kOwner{
    {"sea.example.com", "v1", "Boat"},
    {"ns", "a"},
    "u1"
};

TEST(Child, CarriesAReferenceInItsOwnersNamespaceAndALabelElsewhere) {
  const json::Value desired = parsed(R"({"kind":"ConfigMap","metadata":{"name":"m"}})");

  const json::Value near = as_child(desired, {"ns", "m"}, kOwner, "h");
  const json::Value far = as_child(desired, {"other", "m"}, kOwner, "h");

  EXPECT_EQ(standing(near, kOwner), Standing::Ours);
  EXPECT_EQ(standing(far, kOwner), Standing::Ours);
  EXPECT_EQ(near.get("metadata", "ownerReferences").size(), 1U);
  EXPECT_TRUE(far.get("metadata", "ownerReferences").is_null());
  EXPECT_EQ(far.get("metadata", "labels", kOwnerLabel).as_string(), "u1");
}

TEST(Child, IsFoundByItsOwnersKey) {
  const json::Value desired = parsed(R"({"kind":"ConfigMap","metadata":{"name":"m"}})");
  const kube::GroupKind boats{"sea.example.com", "Boat"};
  const json::Value near = as_child(desired, {"ns", "m"}, kOwner, "");
  const json::Value far = as_child(desired, {"", "m"}, kOwner, "");

  EXPECT_EQ(owner_key_of(near, boats), kOwner.key);
  EXPECT_EQ(owner_key_of(far, boats), kOwner.key);
  EXPECT_FALSE(owner_key_of(near, {"other.example.com", "Boat"}).has_value());
  EXPECT_FALSE(owner_key_of(desired, boats).has_value());
}

TEST(Child, OfAnEarlierOwnerOfTheSameNameIsTheGarbageCollectors) {
  const json::Value plain = parsed(R"({"metadata":{"name":"m"}})");
  const json::Value former = as_child(plain, {"ns", "m"}, {kOwner.kind, kOwner.key, "u0"}, "");

  EXPECT_EQ(standing(former, kOwner), Standing::Former);
  EXPECT_EQ(standing(plain, kOwner), Standing::Foreign);
}

TEST(Child, NeedsANameOfItsOwn) {
  const json::Value generated =
      parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"x-"}})");
  const json::Value named = parsed(R"({"apiVersion":"apps/v1","kind":"Deployment",
                                       "metadata":{"name":"d","namespace":"ns"}})");

  EXPECT_FALSE(ref_of(generated).has_value());
  const auto ref = ref_of(named);
  ASSERT_TRUE(ref.has_value());
  EXPECT_EQ(ref->kind.group, "apps");
  EXPECT_EQ(ref->key, (kube::Key{"ns", "d"}));
}

TEST(Child, WhatCreatingOwnsIsTurnedIntoWhatApplyOwns) {
  const json::Value live = parsed(R"({"metadata":{"uid":"u","resourceVersion":"7","managedFields":[
      {"manager":"us","operation":"Update","apiVersion":"v1","fieldsV1":{"f:data":{"f:a":{}}}},
      {"manager":"us","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{"f:b":{}}}},
      {"manager":"us","operation":"Update","subresource":"status","fieldsV1":{}},
      {"manager":"them","operation":"Update","apiVersion":"v1","fieldsV1":{"f:data":{"f:c":{}}}}]}})");

  const auto patch = ownership_patch(live, "us");

  ASSERT_TRUE(patch.has_value());
  const auto turned = json::apply_patch(live, *patch);
  ASSERT_TRUE(turned.has_value());
  const json::View entries = turned->get("metadata", "managedFields");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].get("subresource").as_string(), "status");
  EXPECT_EQ(entries[1].get("manager").as_string(), "them");
  EXPECT_EQ(entries[2].get("operation").as_string(), "Apply");
  EXPECT_EQ(json::to_text(entries[2].get("fieldsV1")), R"({"f:data":{"f:a":{},"f:b":{}}})");
  EXPECT_FALSE(ownership_patch(*turned, "us").has_value());
}

}  // namespace
}  // namespace fixpoint::runtime
