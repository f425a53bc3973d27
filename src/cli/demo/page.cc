// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/page.h"

#include "base/print_to.h"
#include "json/print.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kIndent = "   ";
constexpr std::size_t kGap = 3;

std::string upper(std::string_view text) {
  std::string out{text};
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

bool shown(json::View table, std::size_t column) {
  const auto definitions = table.get("columnDefinitions");
  return definitions.empty() || definitions[column].get("priority").as_int() == 0;
}

std::string cell_text(json::View cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? std::string{cell.as_string()} : json::to_text(cell);
}

}  // namespace

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - row[i].size() + kGap, ' ');
    }
    out += '\n';
  }
  return out;
}

std::vector<Row> body_rows(json::View table) {
  std::vector<Row> rows;
  for (const auto row : table.get("rows").elements()) {
    Row cells;
    const auto values = row.get("cells");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (shown(table, i)) cells.push_back(cell_text(values[i]));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::vector<Row> rows_of(json::View table) {
  Row headings;
  const auto definitions = table.get("columnDefinitions");
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (shown(table, i)) headings.push_back(upper(definitions[i].get("name").as_string()));
  }
  auto rows = body_rows(table);
  rows.insert(rows.begin(), std::move(headings));
  return rows;
}

void Page::write(std::string_view line) const {
  // The reader follows along, also through a pipe.
  if (!print_to(stdout, line)) problem_ = "the account could not be written to stdout";
}

void Page::print(std::string_view style, std::string_view lines, std::string_view indent) const {
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    const auto line = lines.substr(0, end);
    if (colour_ == Colour::On) {
      write(fmt::format("{}{}{}{}\n", indent, style, line, kPlain));
    } else {
      write(fmt::format("{}{}\n", line.empty() ? "" : indent, line));
    }
    lines = end == std::string_view::npos ? std::string_view{} : lines.substr(end + 1);
  }
}

void Page::title(std::string_view text) const {
  print(kBold, text, "");
}

void Page::section(std::string_view heading, std::string_view why) {
  write("\n");
  print(kBold, fmt::format("{}. {}", ++sections_, heading), "");
  print(kDim, why, kIndent);
  write("\n");
}

void Page::command(std::string_view line) const {
  print(kCyan, fmt::format("$ {}", line), kIndent);
}

void Page::text(std::string_view lines) const {
  print("", lines, kIndent);
}

void Page::proved(std::string_view line) const {
  print(kGreen, fmt::format("=> {}", line), kIndent);
}

}  // namespace fixpoint::cli::demo
