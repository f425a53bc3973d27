// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/meta.h"

#include "json/parsing/parse.h"

#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

constexpr std::string_view kUsual = R"({"annotations":{"a":""},"labels":{"b":"c"},
  "creationTimestamp":"2026-11-16T06:10:55Z","deletionGracePeriodSeconds":0,
  "deletionTimestamp":"2026-11-16T06:10:55Z","finalizers":["x/y"],"generateName":"n-",
  "generation":1,"name":"n","namespace":"m","resourceVersion":"78","uid":"u","selfLink":"s",
  "managedFields":[{"apiVersion":"g/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{}}},
    "manager":"me","operation":"Update","subresource":"status","time":"2026-11-16T06:10:55Z"}],
  "ownerReferences":[{"apiVersion":"v1","blockOwnerDeletion":false,"controller":true,"kind":"K",
    "name":"","uid":"o"}]})";

// What decoding changes, drops, refuses or calls unknown, one thing each.
constexpr std::string_view kOthers[] = {
    R"({"annotations":{}})",
    R"({"annotations":null})",
    R"({"annotations":["a"]})",
    R"({"labels":{"a":null}})",
    R"({"labels":{"a":1}})",
    R"({"creationTimestamp":null})",
    R"({"creationTimestamp":"0001-01-01T00:00:00Z"})",
    R"({"creationTimestamp":"2026-11-16T06:10:55.5Z"})",
    R"({"creationTimestamp":"2026-11-16T06:10:55+01:00"})",
    R"({"creationTimestamp":"yesterday"})",
    R"({"creationTimestamp":5})",
    R"({"deletionGracePeriodSeconds":null})",
    R"({"finalizers":[]})",
    R"({"finalizers":[null]})",
    R"({"finalizers":[1]})",
    R"({"finalizers":"a"})",
    R"({"generation":0})",
    R"({"generation":1.0})",
    R"({"generation":1.5})",
    R"({"generation":"1"})",
    R"({"name":""})",
    R"({"name":7})",
    R"({"managedFields":[]})",
    R"({"managedFields":[null]})",
    R"({"managedFields":[{"manager":""}]})",
    R"({"managedFields":[{"fieldsV1":null}]})",
    R"({"managedFields":[{"time":"2026-11-16T06:10:55.5Z"}]})",
    R"({"managedFields":[{"unknown":1}]})",
    R"({"ownerReferences":[{"controller":"yes"}]})",
    R"({"ownerReferences":[{"uid":null}]})",
    R"({"ownerReferences":{}})",
    R"({"unknown":"field"})",
    R"("text")",
    R"(null)",
};

bool stays(json::View metadata) {
  auto coerced = coerce_object_meta(metadata, BadMeta::Refuse);
  if (!coerced || !coerced->unknown_fields.empty()) return false;
  return coerced->metadata.freeze() == metadata;
}

TEST(CrdMeta, MetadataAsAServerStoresItNeedsNoWork) {
  const auto metadata = json::parse(kUsual);
  ASSERT_TRUE(metadata);

  EXPECT_TRUE(stays(*metadata));
  EXPECT_TRUE(is_coerced_object_meta(*metadata));
}

TEST(CrdMeta, MetadataThatDecodingChangesIsSeenAtAGlance) {
  for (const auto text : kOthers) {
    const auto metadata = json::parse(text);
    ASSERT_TRUE(metadata) << text;

    EXPECT_FALSE(stays(*metadata)) << text;
    EXPECT_FALSE(is_coerced_object_meta(*metadata)) << text;
  }
}

}  // namespace
}  // namespace fixpoint::kube
