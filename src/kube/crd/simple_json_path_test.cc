// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/simple_json_path.h"

#include "base/file.h"
#include "base/rfc3339.h"
#include "json/print.h"
#include "kube/texts_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

TEST(SimpleJsonPath, FillsCellsAsARealServerDoes) {
  const auto recorded = parsed(read_file("tests/testdata/schema/columns.json").value_or(""));
  const auto now = parse_rfc3339(recorded.get("now").as_string()).value();
  const auto object = recorded.get("object");
  ASSERT_GT(recorded.get("rows").size(), 40U);
  for (const auto row : recorded.get("rows").elements()) {
    const auto text = row.get("path").as_string();
    const auto path = SimpleJsonPath::parse(text);
    ASSERT_TRUE(path.has_value()) << text << ": " << path.error().message;
    for (const std::string_view type : {"string", "integer", "number", "boolean", "date"}) {
      const auto cell = table_cell(*path, type, object, now).freeze();

      EXPECT_EQ(json::to_text(cell), json::to_text(row.get(type))) << text << " as " << type;
    }
  }
}

TEST(SimpleJsonPath, SaysWhyAPathIsWrong) {
  const auto error = [](std::string_view text) {
    const auto path = SimpleJsonPath::parse(text);
    return path ? std::string{"fine"} : path.error().message;
  };

  EXPECT_EQ(error(".a[0"), "unterminated array");
  EXPECT_EQ(error(".a[x]"), "invalid array index x");
  EXPECT_EQ(error(".a[1:2:3:4]"), "invalid array index 1:2:3:4");
  EXPECT_EQ(error(".a[?(@.b==1]"), "unterminated filter");
  EXPECT_EQ(error(".a[?(@.b==\"x)]"), "unterminated filter");
  EXPECT_EQ(error(".a....b"), "invalid multiple recursive descent");
  EXPECT_EQ(error(".a[?(@.b==1)"), "unclosed array expect ]");
  EXPECT_EQ(error(".a b"), "unrecognized identifier b");
}

TEST(SimpleJsonPath, BoundsNesting) {
  std::string text = "@";
  for (int i = 0; i < 100; ++i) text = "@.a[?(" + text + ")]";

  EXPECT_FALSE(SimpleJsonPath::parse(text).has_value());
}

TEST(SimpleJsonPath, GivesSelectorsTheTextOfOneValue) {
  const auto object = parsed(R"({"spec":{"color":"red","on":true,"n":3,"l":[1,2],"none":null}})");
  const auto value = [&](std::string_view path) {
    return selectable_value(SimpleJsonPath::parse(path).value(), object);
  };

  EXPECT_EQ(value(".spec.color"), "red");
  EXPECT_EQ(value(".spec.on"), "true");
  EXPECT_EQ(value(".spec.n"), "3");
  EXPECT_EQ(value(".spec.none"), "");
  EXPECT_EQ(value(".spec.absent"), "");
}

}  // namespace
}  // namespace fixpoint::kube
