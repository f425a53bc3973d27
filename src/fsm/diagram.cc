// SPDX-License-Identifier: Apache-2.0
//
// Gathering rows into arrows, and Mermaid.
#include "fsm/diagram.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::fsm {
namespace {

std::string words_of(const NamedRow& row) {
  return row.guard.empty() ? row.event : fmt::format("{} [{}]", row.event, row.guard);
}

// Every phase but the target and the last, and more than one, has this event and guard to this
// target.
bool from_anywhere(const Diagram& diagram, const std::vector<NamedRow>& rows, const NamedRow& row) {
  std::size_t sources = 0;
  for (const std::string& phase : diagram.phases) {
    if (phase == row.to || phase == diagram.last) continue;
    const bool has = std::ranges::any_of(rows, [&](const NamedRow& other) {
      return other.from == phase && other.to == row.to && words_of(other) == words_of(row);
    });
    if (!has) return false;
    ++sources;
  }
  return sources > 1;
}

void add(std::vector<Arrow>& arrows, std::string from, std::string to, std::string words) {
  const auto same = std::ranges::find_if(
      arrows, [&](const Arrow& arrow) { return arrow.from == from && arrow.to == to; });
  if (same == arrows.end()) {
    arrows.push_back({std::move(from), std::move(to), {std::move(words)}});
  } else if (std::ranges::find(same->events, words) == same->events.end()) {
    same->events.push_back(std::move(words));
  }
}

}  // namespace

Diagram gather(Diagram bare, const std::vector<NamedRow>& rows) {
  for (const NamedRow& row : rows) {
    if (row.from == row.to) continue;
    const bool anywhere = from_anywhere(bare, rows, row);
    add(bare.arrows, anywhere ? "" : row.from, row.to, words_of(row));
  }
  return bare;
}

std::string mermaid(const Diagram& diagram) {
  std::string text = fmt::format("---\ntitle: {}\n---\nstateDiagram-v2\n", diagram.title);
  text += fmt::format("    [*] --> {}\n", diagram.initial);
  const bool anywhere = std::ranges::any_of(diagram.arrows, &std::string::empty, &Arrow::from);
  if (anywhere) text += "    state \"any phase\" as any\n";
  for (const Arrow& arrow : diagram.arrows) {
    text += fmt::format("    {} --> {} : {}\n", arrow.from.empty() ? "any" : arrow.from, arrow.to,
                        fmt::join(arrow.events, ", "));
  }
  if (!diagram.last.empty()) text += fmt::format("    {} --> [*]\n", diagram.last);
  return text;
}

}  // namespace fixpoint::fsm
