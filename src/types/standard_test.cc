// SPDX-License-Identifier: Apache-2.0
#include "types/standard.h"

#include "json/parsing/parse.h"
#include "kube/selectors/label_selector.h"
#include "types/decode.h"
#include "types/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::types {
namespace {

TEST(Standard, TablesHaveNoMistakes) {
  for (const auto* table :
       {&table_of<LabelSelector>(), &table_of<LocalReference>(), &table_of<KeyReference>()}) {
    EXPECT_THAT(mistakes(*table), testing::IsEmpty());
  }
}

TEST(Standard, SelectorsMatchAsKubernetesDoes) {
  const auto object = *json::parse(R"({"matchLabels":{"app":"web"},
    "matchExpressions":[{"key":"tier","operator":"In","values":["a","b"]}]})");
  const auto decoded = decode<LabelSelector>(object);
  ASSERT_TRUE(decoded.ok());

  const auto written = encode(decoded.value);
  const auto selector = kube::LabelSelector::from_object(written);

  ASSERT_TRUE(selector.has_value());
  const auto labels = *json::parse(R"({"app":"web","tier":"b"})");
  const auto others = *json::parse(R"({"app":"web","tier":"c"})");
  EXPECT_TRUE(selector->matches(labels));
  EXPECT_FALSE(selector->matches(others));
}

}  // namespace
}  // namespace fixpoint::types
