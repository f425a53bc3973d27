// SPDX-License-Identifier: Apache-2.0
//
// tests/testdata/schema holds what a real kube-apiserver 1.34 said about each value; here ours says
// the same.
#include "kube/schema/validate.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/crd/coerce.h"
#include "kube/crd/schema.h"
#include "kube/schema/default.h"
#include "kube/table_for_tests.h"
#include "kube/texts_for_tests.h"

#include <algorithm>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

CompiledSchema compiled(const json::Value& schema) {
  auto result = compile_schema(schema);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result ? *result : CompiledSchema{};
}

json::Draft object_schema(std::string_view property, json::Draft schema) {
  auto out = json::Draft::object({
      {"type", "object"}
  });
  out.object_at("properties")[property] = std::move(schema);
  return out;
}

// What a create does: decode, default, validate.
struct Created {
  json::Value object;
  std::vector<std::string> errors;
};

Created create(const json::Value& object, const CompiledSchema& schema) {
  auto coerced = coerce_resource(object, schema, BadMeta::Refuse);
  if (!coerced) {
    return {object,
            {R"(Case in version "v1" cannot be handled as a Case: )" + coerced.error().message}};
  }
  const auto defaulted = set_defaults(coerced->value, *schema.declared);
  return {defaulted,
          texts(validate_custom_resource({defaulted, std::nullopt}, schema, std::nullopt))};
}

TEST(Validate, SaysWhatARealServerSaysAboutEveryKeywordAndFormat) {
  const auto rows = read_table("schema/keywords.json");
  ASSERT_GT(rows.size(), 80U);
  for (const auto row : rows.view().elements()) {
    const auto field = row.get("field").as_string();
    const auto schema = compiled(
        object_schema("spec", object_schema(field, json::Draft{row.get("schema")})).freeze());
    for (const auto value : row.get("values").elements()) {
      auto object = json::Draft::object({
          {"apiVersion", "a/v1"},
          {"kind",       "Case"}
      });
      object.object_at("spec")[field] = json::Draft{value.get("value")};

      const auto created = create(object.freeze(), schema);

      std::vector<std::string> expected;
      for (const auto error : value.get("errors").elements()) {
        expected.emplace_back(error.as_string());
      }
      EXPECT_THAT(created.errors, UnorderedElementsAreArray(expected))
          << field << " " << json::to_text(value.get("value"));
      if (const auto spec = value.find("spec")) {
        EXPECT_EQ(json::to_text(created.object.get("spec")), json::to_text(*spec));
      }
    }
  }
}

json::Value resource(json::View row, std::string_view field, std::string_view part) {
  auto object = json::Draft::object({
      {"apiVersion", "a/v1"},
      {"kind",       "Rat" }
  });
  object[part] = json::Draft{row.get(field)};
  return object.freeze();
}

TEST(Validate, LetsThroughOnUpdateWhatARealServerLetsThrough) {
  const auto table = read_table("schema/ratchet.json");
  const auto schema = compiled(json::Value(table.get("schema")));
  ASSERT_GT(table.get("rows").size(), 30U);
  for (const auto row : table.get("rows").elements()) {
    const auto old = resource(row, "old", "spec");
    const auto now = resource(row, "new", "spec");

    const auto errors = texts(validate_custom_resource({now, old.view()}, schema, std::nullopt));

    EXPECT_THAT(errors, UnorderedElementsAreArray(texts_of(row.get("errors"))))
        << json::to_text(row.get("old")) << " -> " << json::to_text(row.get("new"));
  }
}

TEST(Validate, ChecksStatusAloneUnderItsShorterPath) {
  const auto table = read_table("schema/ratchet.json");
  const auto schema = compiled(json::Value(table.get("schema")));
  ASSERT_EQ(table.get("status").size(), 6U);
  for (const auto row : table.get("status").elements()) {
    const auto old = resource(row, "old", "status");
    const auto now = coerce_resource(resource(row, "new", "status"), schema, BadMeta::Refuse);
    ASSERT_TRUE(now.has_value());

    const auto errors =
        texts(validate_custom_resource_status({now->value, old.view()}, schema, std::nullopt));

    EXPECT_THAT(errors, UnorderedElementsAreArray(texts_of(row.get("errors"))))
        << json::to_text(row.get("new"));
  }
}

TEST(Coerce, PrunesDefaultsAndWarnsAsARealServerDoes) {
  const auto table = read_table("schema/decode.json");
  const auto schema = compiled(json::Value(table.get("schema")));
  ASSERT_GT(table.get("rows").size(), 30U);
  for (const auto row : table.get("rows").elements()) {
    json::Draft object{row.get("object")};
    object["apiVersion"] = "a/v1";
    object["kind"] = "Flow";
    const auto about = json::to_text(row.get("object"));

    const auto coerced = coerce_resource(object.freeze(), schema, BadMeta::Refuse);

    if (row.get("code").as_int() == 400) {
      ASSERT_FALSE(coerced.has_value()) << about;
      EXPECT_EQ(R"(Flow in version "v1" cannot be handled as a Flow: )" + coerced.error().message,
                row.get("errors")[0].as_string());
      continue;
    }
    ASSERT_TRUE(coerced.has_value()) << about << coerced.error().message;
    std::vector<std::string> warnings;
    for (const auto& path : coerced->unknown_fields) {
      warnings.push_back("unknown field " + shown(path));
    }
    EXPECT_EQ(warnings, texts_of(row.get("warnings"))) << about;
    const auto made = set_defaults(coerced->value, *schema.declared);
    for (auto [part, expected] : row.get("result").members()) {
      EXPECT_EQ(json::to_text(made.get(part)), json::to_text(expected)) << about;
    }
    EXPECT_THAT(texts(validate_custom_resource({made, std::nullopt}, schema, std::nullopt)),
                UnorderedElementsAreArray(texts_of(row.get("errors"))));
  }
}

TEST(Coerce, GivesBackTheSameValueWhenThereIsNothingToDo) {
  const auto schema =
      compiled(parsed(R"({"type":"object","properties":{"spec":{"type":"object","properties":{
                 "a":{"type":"integer","default":1}}}}})"));
  const auto object =
      parsed(R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n"},"spec":{"a":2}})");

  const auto coerced = coerce_resource(object, schema, BadMeta::Refuse);
  const auto made = set_defaults(coerced->value, *schema.declared);

  EXPECT_TRUE(made.view().same_as(object.view()));
}

TEST(Default, DoesNotFillWithoutBound) {
  const auto schema = compiled(parsed(
      R"({"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{
            "a":{"type":"string","default":")" +
      std::string(100'000, 'x') + R"("}}}}}})"));
  std::string text = R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n"},"list":[{})";
  for (int i = 0; i < 5000; ++i) text += ",{}";

  const auto made = set_defaults(parsed(text + "]}"), *schema.declared);

  EXPECT_EQ(made.get("list")[0].get("a").as_string().size(), 100'000U);
  EXPECT_LT(made.block_bytes(), 2 * kDefaultBytesMax);
}

TEST(Coerce, PrunesBelowAnyDepthOfLists) {
  const auto schema = compiled(
      parsed(R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}})"));
  constexpr std::size_t kDepth = 900;
  const auto object =
      parsed(R"({"a":)" + std::string(kDepth, '[') + R"({"b":1})" + std::string(kDepth, ']') + "}");

  const auto coerced = coerce_resource(object, schema, BadMeta::Refuse);

  ASSERT_TRUE(coerced.has_value());
  ASSERT_EQ(coerced->unknown_fields.size(), 1U);
  EXPECT_TRUE(coerced->unknown_fields[0].ends_with("[0].b"));
}

TEST(Coerce, DropsOnlyTheBadFieldsOfStoredMetadata) {
  const auto schema = compiled(parsed(R"({"type":"object"})"));
  const auto object = parsed(
      R"({"metadata":{"name":"n","labels":{"a":1},"finalizers":["x/y"],"generation":"no"}})");

  const auto coerced = coerce_resource(object, schema, BadMeta::Drop);

  ASSERT_TRUE(coerced.has_value());
  EXPECT_EQ(json::to_text(coerced->value), R"({"metadata":{"finalizers":["x/y"],"name":"n"}})");
}

TEST(Validate, SaysThatRulesWereNotCheckedWhenTheObjectIsInvalidAnyway) {
  const auto schema = compiled(parsed(
      R"({"type":"object","properties":{"a":{"type":"integer","minimum":5},"b":{"type":"integer"}},
          "x-kubernetes-validations":[{"rule":"self.a > 1"}]})"));
  const auto low = parsed(R"({"a":1})");
  const auto wrong = parsed(R"({"b":"x"})");

  EXPECT_THAT(texts(validate_custom_resource({low, std::nullopt}, schema, std::nullopt)),
              ElementsAre("a: Invalid value: 1: a in body should be greater than or equal to 5"));
  EXPECT_THAT(
      texts(validate_custom_resource({wrong, std::nullopt}, schema, std::nullopt)),
      ElementsAre(R"(b: Invalid value: "string": b in body must be of type integer: "string")",
                  "<nil>: Invalid value: null: some validation rules were not checked because the "
                  "object was invalid; correct the existing errors to complete validation"));
}

TEST(Validate, ChecksWhereScaleReads) {
  const auto schema =
      compiled(parsed(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"));
  const ScalePaths paths{
      .spec_replicas = ".spec.n", .status_replicas = ".status.n", .label_selector = ".status.sel"};
  const auto errors = [&](std::string_view text) {
    const auto object = parsed(text);
    return texts(validate_custom_resource({object, std::nullopt}, schema, paths));
  };

  EXPECT_THAT(errors(R"({"spec":{"n":3},"status":{"sel":"a=b"}})"), IsEmpty());
  EXPECT_THAT(errors(R"({"spec":{"n":-1},"status":{"n":2147483648}})"),
              ElementsAre(".spec.n: Invalid value: -1: should be a non-negative integer",
                          ".status.n: Invalid value: 2147483648: should be less than or equal to "
                          "2147483647"));
  EXPECT_THAT(
      errors(R"({"spec":{"n":"x"},"status":{"sel":5}})"),
      ElementsAre(".spec.n: Invalid value: 0: .spec.n accessor error: x is of the type "
                  "string, expected int64",
                  ".status.sel: Invalid value: \"\": .status.sel accessor error: 5 is of the "
                  "type int64, expected string"));
}

TEST(Validate, PrintsWhatScaleFoundAsGoDoes) {
  const auto schema =
      compiled(parsed(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"));
  const ScalePaths paths{
      .spec_replicas = ".spec.n", .status_replicas = ".status.n", .label_selector = ".spec.sel"};
  const auto errors = [&](std::string_view text) {
    const auto object = parsed(text);
    return texts(validate_custom_resource({object, std::nullopt}, schema, paths));
  };

  EXPECT_THAT(errors(R"({"spec":{"n":{"a":1}}})"),
              ElementsAre(".spec.n: Invalid value: 0: .spec.n accessor error: map[a:1] is of the "
                          "type map[string]interface {}, expected int64"));
  EXPECT_THAT(errors(R"({"spec":{"n":null}})"),
              ElementsAre(".spec.n: Invalid value: 0: .spec.n accessor error: <nil> is of the type "
                          "<nil>, expected int64"));
  EXPECT_THAT(errors(R"({"spec":["a"]})"),
              ElementsAre(".spec.n: Invalid value: 0: .spec.n accessor error: [a] is of the type "
                          "[]interface {}, expected map[string]interface{}",
                          ".spec.sel: Invalid value: \"\": .spec.sel accessor error: [a] is of the "
                          "type []interface {}, expected map[string]interface{}"));
  EXPECT_THAT(errors(R"({"spec":null})"), IsEmpty());
}

TEST(Validate, KeepsTheCrdsWordOnNames) {
  const auto schema = compiled(parsed(R"({"type":"object","properties":{"metadata":{"type":"object",
      "properties":{"name":{"type":"string","maxLength":5,"pattern":"^x"}}}}})"));
  const auto errors = [&](std::string_view name) {
    auto object = json::Draft::object();
    object.object_at("metadata")["name"] = name;
    const auto frozen = object.freeze();
    return texts(validate_custom_resource({frozen, std::nullopt}, schema, std::nullopt));
  };

  EXPECT_THAT(errors("xlongname"),
              ElementsAre("metadata.name: Too long: may not be more than 5 bytes"));
  EXPECT_THAT(errors("yy"), ElementsAre("metadata.name: Invalid value: \"yy\": metadata.name in "
                                        "body should match '^x'"));
}

TEST(CompileSchema, ImpliesTypeAndMetadataForServerSideApplyOnly) {
  const auto schema = compiled(parsed(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
          "pod":{"type":"object","x-kubernetes-embedded-resource":true,
                 "x-kubernetes-preserve-unknown-fields":true},
          "n":{"type":"integer"}}}}})"));

  EXPECT_EQ(schema.declared->property("metadata"), nullptr);
  const auto* meta = schema.typed->property("metadata")->schema;
  EXPECT_EQ(meta->property("finalizers")->schema->list_type, ListType::Set);
  EXPECT_THAT(meta->property("ownerReferences")->schema->list_map_keys, ElementsAre("uid"));
  const auto* spec = schema.typed->property("spec")->schema;
  EXPECT_NE(spec->property("pod")->schema->property("metadata"), nullptr);
  EXPECT_EQ(spec->property("n")->schema,
            schema.declared->property("spec")->schema->property("n")->schema)
      << "what holds no resource is shared";
}

TEST(CompileSchema, RefusesWhatNestsTooDeep) {
  std::string text = R"({"type":"string"})";
  for (std::size_t i = 0; i < kSchemaDepthMax + 1; ++i)
    text = R"({"type":"array","items":)" + text + "}";

  const auto deep = parsed(text);
  EXPECT_FALSE(compile_schema(deep).has_value());
}

}  // namespace
}  // namespace fixpoint::kube
