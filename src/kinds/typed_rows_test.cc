// SPDX-License-Identifier: Apache-2.0
//
// Typed decoding against what Kubernetes' own decoder answered (tools/kinds/decode).
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/kind.h"
#include "kube/typed/typed.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

const kube::Schema* schema_for(json::View object) {
  const std::string version{object.get("apiVersion").as_string()};
  const auto slash = version.find('/');
  const auto group = slash == std::string::npos ? "" : version.substr(0, slash);
  const auto* kind = find(kube::GroupVersionKind{
      group, slash == std::string::npos ? version : version.substr(slash + 1),
      std::string{object.get("kind").as_string()}});
  return kind == nullptr ? nullptr : kind->schema();
}

void expect_decoded(json::View row) {
  const auto input = row.get("input");
  const auto* schema = schema_for(input);
  ASSERT_NE(schema, nullptr);

  const auto decoded = kube::decode_typed(*schema, input);

  if (row.contains("error")) {
    ASSERT_FALSE(decoded.has_value()) << json::to_text(decoded->value);
    EXPECT_EQ(decoded.error().message, row.get("error").as_string());
    return;
  }
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(json::to_text(decoded->value), json::to_text(row.get("output")));
  std::vector<std::string> unknown;
  for (const auto field : row.get("unknown").elements()) unknown.emplace_back(field.as_string());
  std::vector<std::string> found;
  for (const auto& problem : decoded->problems) found.push_back(problem.path);
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(unknown));
}

TEST(TypedDecoding, AnswersEveryRowAsGoDoes) {
  std::ifstream file{"tests/testdata/typed/rows.jsonl"};
  ASSERT_TRUE(file);
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = json::parse(line);
    ASSERT_TRUE(row.has_value()) << line;
    SCOPED_TRACE(json::to_text(row->get("input")));
    expect_decoded(*row);
  }
  EXPECT_GT(rows, 200U);
}

TEST(TypedDecoding, AnswersItsOwnOutputWithoutACopy) {
  const auto input =
      json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},
    "spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"0.5"}}}]}}}})");
  const auto& schema = *find(kube::GroupVersionKind{"apps", "v1", "Deployment"})->schema();
  const auto once = kube::decode_typed(schema, *input);
  ASSERT_TRUE(once.has_value());

  const auto twice = kube::decode_typed(schema, once->value);

  EXPECT_TRUE(twice->value.view().same_as(once->value.view()));
}

TEST(TypedDecoding, WalksSchemasNestedAsDeeplyAsJsonMayBe) {
  std::string text = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "spec":{"versions":[{"schema":{"openAPIV3Schema":)";
  constexpr std::size_t kLevels = json::kDepthMax - 10;
  for (std::size_t i = 0; i < kLevels; ++i) text += R"({"not":)";
  text += R"({"type":5})";
  text.append(kLevels, '}');
  text += "}}]}}";
  const auto input = json::parse(text);
  ASSERT_TRUE(input.has_value()) << input.error().message;

  const auto decoded = kube::decode_typed(
      *find(kube::GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"})
           ->schema(),
      *input);

  ASSERT_FALSE(decoded.has_value());
  EXPECT_TRUE(decoded.error().message.ends_with(".not.type of type string"));
}

}  // namespace
}  // namespace fixpoint::kinds
