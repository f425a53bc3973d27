// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/page.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::string_view kTable = R"({
  "columnDefinitions": [{"name": "Name"}, {"name": "Replicas"}, {"name": "Note", "priority": 1}],
  "rows": [{"cells": ["orders", 3, "x"]}, {"cells": ["a", null, "y"]}]})";

TEST(DemoPage, ShowsATableAsKubectlDoes) {
  const auto table = json::parse(kTable);

  const auto text = aligned(rows_of(*table));

  EXPECT_EQ(text,
            "NAME     REPLICAS\n"
            "orders   3\n"
            "a        \n");
}

TEST(DemoPage, ShowsTheRowsOfATableWithoutHeadings) {
  const auto table = json::parse(R"({"columnDefinitions": null, "rows": [{"cells": ["a", 1]}]})");

  EXPECT_EQ(body_rows(*table), (std::vector<Row>{
                                   {"a", "1"}
  }));
}

}  // namespace
}  // namespace fixpoint::cli::demo
