// SPDX-License-Identifier: Apache-2.0
//
// Columns and cells against the tables that a real server sent for the same objects.
#include "base/rfc3339.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/kind.h"

#include <algorithm>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string columns_text() {
  std::string text;
  for (const auto& kind : all()) {
    if (std::ranges::find(kind.verbs, "list") == kind.verbs.end()) continue;
    text += fmt::format("{}/{} {}:", kind.gvk.group, kind.gvk.version, kind.gvk.kind);
    for (std::size_t i = 0; i < kind.columns.size(); ++i) {
      const auto& column = kind.columns[i];
      text += fmt::format("{} {}|{}|{}|{}", i == 0 ? "" : ",", column.name, column.type,
                          column.format, column.priority);
    }
    text += "\n";
  }
  return text;
}

TEST(Columns, AreThoseOfARealServer) {
  std::ifstream file{"tests/testdata/kinds/columns.txt"};
  ASSERT_TRUE(file);
  std::string wanted;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) wanted += line + "\n";
  }

  EXPECT_EQ(columns_text(), wanted);
}

TEST(Columns, AreAllDescribed) {
  for (const auto& kind : all()) {
    for (const auto& column : kind.columns) {
      EXPECT_FALSE(column.description.empty()) << kind.gvk.to_string() << " " << column.name;
    }
  }
}

// Ages depend on when the server was asked; the table has null for them.
std::string shown_cell(const json::Draft& cell) {
  const auto frozen = cell.freeze();
  const auto text = json::to_text(frozen);
  static const std::regex ago{R"(\([^)]* ago\))"};
  return std::regex_replace(text, ago, "(AGE ago)");
}

void expect_cells(json::View row, Instant now) {
  const auto* kind = find(kube::GroupVersionKind{std::string{row.get("group").as_string()},
                                                 std::string{row.get("version").as_string()},
                                                 std::string{row.get("kind").as_string()}});
  ASSERT_NE(kind, nullptr);

  const auto cells = kind->cells(row.get("object"), now);

  ASSERT_EQ(cells.size(), row.get("cells").size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto wanted = row.get("cells")[i];
    if (wanted.is_null()) {
      EXPECT_NE(shown_cell(cells[i]), "\"<unknown>\"") << i;
    } else {
      EXPECT_EQ(shown_cell(cells[i]), json::to_text(wanted)) << i;
    }
  }
}

TEST(Cells, AreThoseOfARealServer) {
  const auto now = *parse_rfc3339("2027-01-01T00:00:00Z");
  std::ifstream file{"tests/testdata/kinds/cells.jsonl"};
  ASSERT_TRUE(file);
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = json::parse(line);
    ASSERT_TRUE(row.has_value()) << line;
    SCOPED_TRACE(std::string{row->get("kind").as_string()} + " " +
                 std::string{row->get("object", "metadata", "name").as_string()});
    expect_cells(*row, now);
  }
  EXPECT_GT(rows, 100U);
}

TEST(Cells, ShowAgesAndRestartsRelativeToNow) {
  const auto now = *parse_rfc3339("2026-01-01T00:05:00Z");
  const auto pod =
      json::parse(R"({"metadata":{"name":"p","creationTimestamp":"2026-01-01T00:00:00Z"},
    "spec":{"containers":[{"name":"a"}]},
    "status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":2,
      "state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2026-01-01T00:04:30Z"}}}]}})");

  const auto cells = find(kube::GroupVersionKind{"", "v1", "Pod"})->cells(*pod, now);

  EXPECT_EQ(cells[3].as_string(), "2 (30s ago)");
  EXPECT_EQ(cells[4].as_string(), "5m");
}

}  // namespace
}  // namespace fixpoint::kinds
