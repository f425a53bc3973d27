// SPDX-License-Identifier: Apache-2.0
//
// label_selector.json: [text, canonical text, error]; label_match.json: the label sets, then
// [text, one digit per set]; field_selector.json as the first.
#include "kube/selectors/label_selector.h"

#include "json/parsing/parse.h"
#include "kube/selectors/field_selector.h"
#include "kube/table_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

TEST(LabelSelector, ParsesAndComplainsAsARealServerDoes) {
  const auto table = read_table("kube/label_selector.json");
  for (const json::View row : table.view().elements()) {
    const auto text = text_of(row[0]);
    const auto selector = LabelSelector::parse(text);
    if (row[1].is_null()) {
      ASSERT_FALSE(selector) << text;
      EXPECT_EQ(selector.error().message, text_of(row[2])) << text;
      continue;
    }
    ASSERT_TRUE(selector) << text << ": " << selector.error().message;
    EXPECT_EQ(selector->to_string(), text_of(row[1])) << text;
    EXPECT_EQ(LabelSelector::parse(selector->to_string()), *selector) << text;
  }
}

TEST(LabelSelector, MatchesTheSameObjectsAsARealServer) {
  const auto table = read_table("kube/label_match.json");
  const auto sets = table.view()[0][1];
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto row = table.view()[i];
    const auto selector = LabelSelector::parse(row[0].as_string());
    ASSERT_TRUE(selector) << text_of(row[0]);
    std::string matched;
    for (const json::View labels : sets.elements())
      matched += selector->matches(labels) ? '1' : '0';
    EXPECT_EQ(matched, text_of(row[1])) << text_of(row[0]);
  }
}

TEST(LabelSelector, ReadsTheObjectForm) {
  const auto object = json::parse(
      R"({"matchLabels":{"app":"web"},"matchExpressions":[
          {"key":"tier","operator":"In","values":["b","a"]},{"key":"old","operator":"DoesNotExist"}]})");
  ASSERT_TRUE(object);

  const auto selector = LabelSelector::from_object(*object);

  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->to_string(), "app=web,!old,tier in (a,b)");
}

TEST(LabelSelector, AnAbsentObjectSelectsNothingAndAnEmptyOneEverything) {
  const auto labels = json::parse(R"({"a":"b"})");
  const auto empty = json::Value::empty_object();
  EXPECT_FALSE(LabelSelector::from_object(json::View{})->matches(*labels));
  EXPECT_TRUE(LabelSelector::from_object(empty)->matches(*labels));
  EXPECT_TRUE(LabelSelector::from_object(empty)->matches(json::View{}));
}

TEST(LabelSelector, NamesTheOperatorItDoesNotKnow) {
  const auto object = json::parse(R"({"matchExpressions":[{"key":"a","operator":"Near"}]})");
  const auto selector = LabelSelector::from_object(*object);
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().message, "\"Near\" is not a valid label selector operator");
}

TEST(LabelSelector, ReportsEveryFieldThatIsWrong) {
  const auto object = json::parse(
      R"({"matchLabels":{"a":"-"},"matchExpressions":[{"key":"a","operator":"In"},
          {"key":"b","operator":"Exists","values":["x"]},{"key":"c","operator":"Near"}]})");

  const FieldPath spec{"spec"};
  const auto errors = validate_label_selector(*object, spec.child("selector"));

  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].field, "spec.selector.matchLabels");
  EXPECT_EQ(errors[1].to_string(),
            "spec.selector.matchExpressions[0].values: Required value: must be specified when "
            "`operator` is 'In' or 'NotIn'");
  EXPECT_EQ(errors[2].to_string(),
            "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when "
            "`operator` is 'Exists' or 'DoesNotExist'");
  EXPECT_EQ(errors[3].to_string(),
            "spec.selector.matchExpressions[2].operator: Invalid value: \"Near\": not a valid "
            "selector operator");
}

TEST(FieldSelector, ParsesAndComplainsAsARealServerDoes) {
  const auto table = read_table("kube/field_selector.json");
  for (const json::View row : table.view().elements()) {
    const auto text = text_of(row[0]);
    const auto selector = FieldSelector::parse(text);
    if (row[1].is_null()) {
      ASSERT_FALSE(selector) << text;
      EXPECT_EQ(selector.error().message, text_of(row[2])) << text;
      continue;
    }
    ASSERT_TRUE(selector) << text << ": " << selector.error().message;
    EXPECT_EQ(selector->to_string(), text_of(row[1])) << text;
  }
}

TEST(FieldSelector, MatchesThroughAGetter) {
  const auto get = [](std::string_view field) {
    return std::string{field == "metadata.name" ? "web" : ""};
  };
  EXPECT_TRUE(FieldSelector::parse("metadata.name=web,spec.nodeName!=n1")->matches(get));
  EXPECT_FALSE(FieldSelector::parse("metadata.name!=web")->matches(get));
  EXPECT_TRUE(FieldSelector{}.matches(get));
  EXPECT_EQ(FieldSelector::parse("metadata.name=web")->exact_value("metadata.name"), "web");
  EXPECT_EQ(FieldSelector::parse("metadata.name!=web")->exact_value("metadata.name"), std::nullopt);
}

}  // namespace
}  // namespace fixpoint::kube
