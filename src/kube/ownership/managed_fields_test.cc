// SPDX-License-Identifier: Apache-2.0
//
// What the recorded requests cannot show: schemas and versions that changed under stored entries.
#include "kube/ownership/managed_fields.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/crd/schema.h"
#include "kube/schema/schema_for_tests.h"
#include "kube/texts_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

class ManagedFields : public ::testing::Test {
 protected:
  Writer writer(const std::string& kind, std::string manager) const {
    Writer out;
    out.schema = &schemas_.of(kind);
    out.kind = {"g", "v1", "K"};
    out.manager = std::move(manager);
    out.now = Instant{} + std::chrono::hours(1);
    return out;
  }

  static json::Value stored(std::string_view spec, std::string_view fields, const char* version) {
    return parsed(
        std::string(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","uid":"u",)") +
        R"("managedFields":[{"apiVersion":")" + version +
        R"(","fieldsType":"FieldsV1","fieldsV1":)" + std::string(fields) +
        R"(,"manager":"old","operation":"Apply","time":"2026-01-01T00:00:00Z"}]},"spec":)" +
        std::string(spec) + "}");
  }

  // The entries after an ordinary write that changes spec.text.
  static std::string entries_after_write(const Writer& by, const json::Value& live) {
    json::Draft object(live);
    object["spec"]["text"] = json::Draft("new");
    EXPECT_TRUE(track_update(by, live, object).has_value());
    const json::Value after = object.freeze();
    return json::to_text(after.get("metadata", "managedFields"));
  }

  json::Value kinds_ =
      parsed(R"({"K": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
      "text": {"type": "string"},
      "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
      "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
      "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {"name": {"type": "string"}, "v": {"type": "string"}}}}}}}}})");
  TestSchemas schemas_{kinds_};
};

TEST_F(ManagedFields, EntriesOfVersionsThatAreGoneAreDropped) {
  const json::Value live = stored(R"({"text":"a"})", R"({"f:spec":{"f:text":{}}})", "g/v0");
  Writer by = writer("K", "m");
  by.api_versions = {"g/v1"};

  EXPECT_EQ(entries_after_write(by, live),
            R"([{"apiVersion":"g/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:text":{}}},)"
            R"("manager":"m","operation":"Update","time":"1970-01-01T01:00:00Z"}])");
}

TEST_F(ManagedFields, APartThatBecameAtomicIsOwnedWhole) {
  const json::Value live = stored(R"({"text":"a","whole":{"x":"1","y":"2"}})",
                                  R"({"f:spec":{"f:whole":{"f:x":{}}}})", "g/v1");

  EXPECT_NE(entries_after_write(writer("K", "m"), live).find(R"({"f:spec":{"f:whole":{}}})"),
            std::string::npos);
}

TEST_F(ManagedFields, ListItemsThatShareAKeyAreOneField) {
  const json::Value live =
      stored(R"({"set":["a","a","b"],"keyed":[{"name":"x","v":"1"},{"name":"x","v":"2"}]})",
             R"({"f:spec":{"f:set":{"v:\"b\"":{}}}})", "g/v1");
  const json::Value config = parsed(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},
      "spec":{"set":["a"],"keyed":[{"name":"x","v":"3"}]}})");

  const auto merged = apply(writer("K", "m"), live, config, Force::No);

  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  EXPECT_EQ(json::to_text(merged->get("spec")),
            R"({"keyed":[{"name":"x","v":"3"}],"set":["a","b"]})");
}

TEST_F(ManagedFields, AnObjectThatDoesNotFitItsSchemaKeepsNoOwners) {
  const json::Value live =
      stored(R"({"text":"a","keyed":[{"v":"nameless"}]})", R"({"f:spec":{"f:text":{}}})", "g/v1");
  json::Draft object(live);
  object["spec"]["keyed"].push_back(json::Draft("no object"));

  ASSERT_TRUE(track_update(writer("K", "m"), live, object).has_value());

  EXPECT_FALSE(object.find("metadata")->contains("managedFields"));
}

TEST_F(ManagedFields, AnObjectOfNobodyThatDoesNotFitItsSchemaIsRefusedByApplyWithTheWay) {
  const json::Value live = parsed(
      R"({"apiVersion":"g/v1","kind":"K","metadata":{"namespace":"m","name":"n","uid":"u"},
          "spec":{"keyed":[{"v":"1"}]}})");
  const json::Value config = parsed(R"({"apiVersion":"g/v1","kind":"K"})");
  const auto answer = apply(writer("K", "m"), live, config, Force::No);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().message,
            "failed to create manager for existing fields: failed to convert new object (m/n; "
            "g/v1, Kind=K) to smd typed: .spec.keyed: element 0: associative list with keys has an "
            "element that omits all key fields [\"name\"] (and doesn't have default values for any "
            "key fields)");
}

TEST_F(ManagedFields, AnObjectThatDoesNotFitAnOwnersVersionIsRefusedByApply) {
  const json::Value older =
      parsed(R"({"K": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
          "whole": {"type": "object", "additionalProperties": {"type": "string"}}}}}}})");
  const TestSchemas schemas{older};
  Writer by = writer("K", "m");
  by.api_versions = {"g/v1", "g/v0"};
  by.version_schemas = {by.schema, &schemas.of("K")};
  const auto message = [&](std::string_view live_spec, std::string_view spec) {
    const json::Value live = stored(live_spec, R"({"f:spec":{"f:whole":{"f:x":{}}}})", "g/v0");
    const json::Value config =
        parsed(R"({"apiVersion":"g/v1","kind":"K","spec":)" + std::string(spec) + "}");
    return apply(by, live, config, Force::Yes).error().message;
  };

  EXPECT_EQ(message(R"({"text":"a","whole":{"x":"1"}})", "{}"),
            ".spec.text: field not declared in schema");
  EXPECT_EQ(message(R"({"whole":{"x":"1"}})", R"({"text":"a"})"),
            "failed to convert new object: .spec.text: field not declared in schema");
  by.manager = "old";
  EXPECT_EQ(message(R"({"whole":{"x":"1"}})", R"({"text":"a"})"),
            "failed to prune fields: failed to convert merged object to last applied version: "
            ".spec.text: field not declared in schema");
}

TEST_F(ManagedFields, WhatIsPreservedAroundMetadataIsNotPreservedInIt) {
  const json::Value declared = parsed(R"({"type": "object", "properties": {
      "child": {"type": "object", "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true}}})");
  const auto compiled = compile_schema(declared).value();
  Writer by = writer("K", "m");
  by.schema = compiled.typed;
  const auto message = [&](std::string_view child) {
    const auto config =
        parsed(R"({"apiVersion":"g/v1","kind":"K","child":)" + std::string(child) + "}");
    const auto answer = apply(by, {}, config, Force::No);
    return answer ? std::string{"applied"} : answer.error().message;
  };

  EXPECT_EQ(message(R"({"apiVersion":"v1","kind":"X","free":1,"metadata":{"name":"n"}})"),
            "applied");
  EXPECT_EQ(
      message(R"({"apiVersion":"v1","kind":"X","metadata":{"free":1}})"),
      "failed to create typed patch object (/; g/v1, Kind=K): .child.metadata.free: field not "
      "declared in schema");
}

TEST_F(ManagedFields, TimesAreKeptWhenNothingElseChanged) {
  const json::Value live = stored(R"({"text":"a"})", R"({"f:spec":{"f:text":{}}})", "g/v1");
  json::Draft later(live);
  later["metadata"]["managedFields"].elements()[0]["time"] = json::Draft("2026-02-02T00:00:00Z");
  json::Draft changed = later;
  changed["spec"]["text"] = json::Draft("b");
  const json::Draft wanted = changed;

  keep_unchanged_times(live, later);
  keep_unchanged_times(live, changed);

  EXPECT_EQ(later, json::Draft(live));
  EXPECT_EQ(changed, wanted);
}

TEST_F(ManagedFields, TheLastAppliedAnnotationGoesWhenItGrowsTooBig) {
  json::Draft live(stored(R"({"text":"a"})", R"({"f:spec":{"f:text":{}}})", "g/v1"));
  live["metadata"]["annotations"] = json::Draft::object({
      {"kubectl.kubernetes.io/last-applied-configuration", json::Draft("{}")}
  });
  const json::Value before = live.freeze();
  const auto annotation_after = [&](std::size_t bytes) {
    const json::Value config =
        parsed(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"spec":{"text":")" +
               std::string(bytes, 'x') + R"("}})");
    const auto merged = apply(writer("K", "kubectl"), before, config, Force::Yes).value();
    return merged.get("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
        .as_string()
        .size();
  };

  EXPECT_GT(annotation_after(1000), 1000U);
  EXPECT_EQ(annotation_after(std::size_t{256} << 10U), 0U);
}

}  // namespace
}  // namespace fixpoint::kube
