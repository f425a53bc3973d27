// SPDX-License-Identifier: Apache-2.0
//
// tests/testdata/schema holds what a real kube-apiserver 1.34 said about each value; here ours says
// the same.
#include "kube/validate.h"

#include "json/draft.h"
#include "json/parse.h"
#include "json/print.h"
#include "kube/crd_coerce.h"
#include "kube/crd_schema.h"
#include "kube/default.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : json::Value{};
}

json::Value recorded(const std::string& name) {
  std::ifstream file("tests/testdata/schema/" + name);
  return parsed(std::string{std::istreambuf_iterator<char>(file), {}});
}

CompiledSchema compiled(const json::Value& schema) {
  auto result = compile_schema(schema);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result ? *result : CompiledSchema{};
}

std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(error.to_string());
  return out;
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
  const auto rows = recorded("keywords.json");
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

}  // namespace
}  // namespace fixpoint::kube
