// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/source.h"

#include "kube/go/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// More would not help anybody; a real server stops there too.
constexpr std::size_t kIssuesShownMax = 100;
// Longer lines are not repeated.
constexpr std::size_t kSnippetBytesMax = 16'384;

struct SourcePlace {
  std::size_t line = 0;    // from 1
  std::size_t column = 0;  // from 0, in code points
  std::string_view text;   // of the line
};

SourcePlace place_of(std::string_view expression, std::size_t at) {
  SourcePlace place{.line = 1, .column = 0, .text = {}};
  std::size_t line_begin = 0;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < at && byte < expression.size(); ++i) {
    const auto point = kube::first_code_point(expression.substr(byte));
    byte += point.bytes;
    ++place.column;
    if (point.value == U'\n') {
      ++place.line;
      place.column = 0;
      line_begin = byte;
    }
  }
  place.text = expression.substr(line_begin, expression.find('\n', line_begin) - line_begin);
  return place;
}

// Wide characters get wide dots, so that the mark stays under its place.
std::string mark(std::string_view line, std::size_t column) {
  std::string out;
  for (std::size_t i = 0; i < column && !line.empty(); ++i) {
    const auto bytes = kube::first_code_point(line).bytes;
    out += bytes > 1 ? "\uff0e" : ".";
    line.remove_prefix(bytes);
  }
  return out + (!line.empty() && kube::first_code_point(line).bytes > 1 ? "\uff3e" : "^");
}

std::string shown_one(std::string_view expression, const Issue& issue) {
  if (issue.at == kNowhere) return fmt::format("ERROR: <input>:-1:0: {}", issue.message);
  const bool before = issue.at == kBeforeStart;
  const auto place = place_of(expression, before ? 0 : issue.at);
  auto out = fmt::format("ERROR: <input>:{}:{}: {}", place.line, before ? 0 : place.column + 1,
                         issue.message);
  if (place.text.size() > kSnippetBytesMax) return out;
  std::string line{place.text};
  std::ranges::replace(line, '\t', ' ');
  return out + fmt::format("\n | {}\n | {}", line, mark(line, place.column));
}

}  // namespace

std::string shown(std::string_view expression, Issues issues) {
  const auto reported = issues.size();
  if (reported > kIssuesShownMax) issues.resize(kIssuesShownMax);
  // What has no place comes first.
  std::ranges::stable_sort(issues, {}, [](const Issue& issue) { return issue.at + 2; });
  std::string out;
  for (const auto& issue : issues) {
    if (!out.empty()) out += '\n';
    out += shown_one(expression, issue);
  }
  if (reported > kIssuesShownMax) {
    out += fmt::format("\n{} more errors were truncated", reported - kIssuesShownMax);
  }
  return out;
}

}  // namespace fixpoint::cel
