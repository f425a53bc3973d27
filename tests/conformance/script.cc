// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/script.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPatches{
    {{"MERGE", "application/merge-patch+json"},
     {"JSON", "application/json-patch+json"},
     {"STRATEGIC", "application/strategic-merge-patch+json"},
     {"APPLY", "application/apply-patch+yaml"}}
};
constexpr std::string_view kMethods[] = {"GET",  "HEAD",  "POST",   "PUT",
                                         "EDIT", "PATCH", "DELETE", "WATCH"};

Step step_of(std::string_view verb, std::string_view target) {
  Step step;
  step.method = verb;
  const auto mark = target.find('?');
  step.path = target.substr(0, mark);
  if (mark != std::string_view::npos) step.query = target.substr(mark + 1);
  for (const auto& [name, type] : kPatches) {
    if (verb != name) continue;
    step.method = "PATCH";
    step.content_type = type;
  }
  if (verb == "EDIT") {
    step.method = "PUT";
    step.base = step.path;
  }
  return step;
}

bool is_verb(std::string_view word) {
  return std::ranges::find(kMethods, word) != std::end(kMethods) ||
         std::ranges::find(kPatches, word, [](const auto& patch) { return patch.first; }) !=
             kPatches.end();
}

// Everything that is neither a title, a request nor a header belongs to the body.
void add_line(Step& step, std::string_view line) {
  const auto colon = line.find(": ");
  const bool header = step.body.empty() && colon != std::string_view::npos &&
                      line.substr(0, colon).find_first_of("{[\" ") == std::string_view::npos;
  if (!header) {
    step.body += (step.body.empty() ? "" : "\n") + std::string{line};
    return;
  }
  const auto name = line.substr(0, colon);
  const auto value = line.substr(colon + 2);
  if (name == "content-type") {
    step.content_type = value;
  } else if (name == "accept") {
    step.accept = value;
  } else if (name == "settle") {
    step.settle = std::chrono::seconds(std::strtol(std::string{value}.c_str(), nullptr, 10));
  } else {
    step.headers.add(std::string{name}, std::string{value});
  }
}

}  // namespace

Result<std::vector<Sequence>> parse_script(std::string_view text) {
  std::vector<Sequence> sequences;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.starts_with("# ")) {
      sequences.emplace_back().area = line.substr(2);
      continue;
    }
    if (sequences.empty()) return fail(ErrorKind::Invalid, "a script begins with a title, \"# …\"");
    auto& steps = sequences.back().steps;
    const auto space = line.find(' ');
    if (space != std::string_view::npos && is_verb(line.substr(0, space))) {
      steps.push_back(step_of(line.substr(0, space), line.substr(space + 1)));
    } else if (!steps.empty()) {
      add_line(steps.back(), line);
    } else {
      return fail(ErrorKind::Invalid, "not a request: " + std::string{line});
    }
  }
  return sequences;
}

}  // namespace fixpoint::conformance
