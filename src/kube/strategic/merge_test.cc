// SPDX-License-Identifier: Apache-2.0
//
// Strategic merge against what a real kube-apiserver 1.34.4 made of the same patches.
#include "kube/strategic/merge.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/ownership/within_for_tests.h"
#include "kube/schema/schema_for_tests.h"
#include "kube/table_for_tests.h"
#include "kube/texts_for_tests.h"

namespace fixpoint::kube {
namespace {

// What the server puts back when a patch leaves it out.
const std::set<std::string, std::less<>> kDefaulted{"dnsPolicy",
                                                    "imagePullPolicy",
                                                    "protocol",
                                                    "restartPolicy",
                                                    "schedulerName",
                                                    "securityContext",
                                                    "resources",
                                                    "terminationMessagePath",
                                                    "terminationMessagePolicy",
                                                    "path",
                                                    "type",
                                                    "terminationGracePeriodSeconds"};

TEST(StrategicMerge, AnswersWhatARealServerAnswers) {
  const json::Value table = read_table("kube/strategic.json");
  const TestSchemas schemas(table.get("schemas"));
  ASSERT_GT(table.get("rows").size(), 80U);

  for (const json::View row : table.get("rows").elements()) {
    SCOPED_TRACE(json::to_text(row.get("patch")));
    const json::Value target =
        table.get("targets")[static_cast<std::size_t>(row.get("target").as_int())];
    const auto answer = strategic_merge(schemas.of("PodTemplate"), target, row.get("patch"));
    if (const auto status = row.find("status")) {
      ASSERT_FALSE(answer.has_value()) << json::to_text(*answer);
      EXPECT_EQ(answer.error().message, text_of(status->get("message")));
      EXPECT_EQ(answer.error().reason, text_of(status->get("reason")));
      EXPECT_EQ(answer.error().code, row.get("code").as_int());
      continue;
    }
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    expect_within(*answer, row.get("object"), "");
    expect_within(row.get("object"), *answer, "", kDefaulted);
  }
}

// PodDisruptionBudget's selector is the one object that a patch replaces whole.
TEST(StrategicMerge, AnObjectMarkedReplaceIsTakenWhole) {
  const json::Value kinds = parsed(R"({"K": {"type": "object", "go": "Struct", "properties": {
      "whole": {"type": "object", "go": "Struct", "patch": "replace", "properties": {"a": {}, "b": {}}},
      "parts": {"type": "object", "go": "Struct", "properties": {"a": {}, "b": {}}}}}})");
  const TestSchemas schemas(kinds);

  const json::Value patch = parsed(R"({"parts":{"b":2},"whole":{"b":2}})");
  const auto merged =
      strategic_merge(schemas.of("K"), parsed(R"({"parts":{"a":1},"whole":{"a":1}})"), patch);

  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  EXPECT_EQ(json::to_text(*merged), R"({"parts":{"a":1,"b":2},"whole":{"b":2}})");
}

TEST(StrategicMerge, ListsOfListsAreRefusedLikeAnyPatchTheServerCannotUse) {
  const json::Value kinds = parsed(R"({"K": {"type": "object", "go": "Struct", "properties": {
      "set": {"type": "array", "patch": "merge", "items": {}}}}})");
  const TestSchemas schemas(kinds);

  const json::Value patch = parsed(R"({"set":[["b"]]})");
  const auto merged = strategic_merge(schemas.of("K"), parsed(R"({"set":[["a"]]})"), patch);

  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code, 422);
  EXPECT_EQ(merged.error().reason, "Invalid");
  EXPECT_EQ(merged.error().message,
            "the server rejected our request due to an error in our request");
}

// Two lists of this length fit into a request; the product of their lengths is most of a minute.
TEST(StrategicMerge, LongListsTakeNotTheProductOfTheirLengths) {
  const json::Value kinds = parsed(R"({"K": {"type": "object", "go": "Struct", "properties": {
      "set": {"type": "array", "patch": "merge", "items": {}},
      "list": {"type": "array", "patch": "merge", "mergeKey": "name", "items":
          {"type": "object", "go": "Struct", "properties": {"name": {}, "value": {}}}}}}})");
  const TestSchemas schemas(kinds);
  constexpr int kItems = 20'000;
  const auto item = [](int i, std::string_view value) {
    return json::Draft::object({
        {"name",  std::to_string(i)},
        {"value", value            }
    });
  };
  auto target = json::Draft::object();
  auto patch = json::Draft::object();
  for (int i = 0; i < kItems; ++i) {
    target.array_at("list").push_back(item(i, "old"));
    target.array_at("set").push_back(std::to_string(i));
    patch.array_at("list").push_back(item(kItems - i, "new"));
    patch.array_at("set").push_back(std::to_string(kItems - i));
  }

  const json::Value change = patch.freeze();
  const auto merged = strategic_merge(schemas.of("K"), target.freeze(), change);

  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  const json::View list = merged->get("list");
  ASSERT_EQ(list.size(), kItems + 1U);
  EXPECT_EQ(list[0].get("name").as_string(), std::to_string(kItems));
  EXPECT_EQ(list[0].get("value").as_string(), "new");
  EXPECT_EQ(list[1].get("name").as_string(), "0");
  EXPECT_EQ(list[1].get("value").as_string(), "old");
  EXPECT_EQ(merged->get("set").size(), kItems + 1U);
}

}  // namespace
}  // namespace fixpoint::kube
