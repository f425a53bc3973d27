// SPDX-License-Identifier: Apache-2.0
//
// Diagram: a table in words, and its pictures: Mermaid for pages that draw it, SVG for all others.
//
// Rows between the same two phases share an arrow. An event that leads from every phase to the same
// one is drawn once, from "any phase", or the picture would be nothing but those arrows.
#pragma once

#include "fsm/table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::fsm {

struct Arrow {
  std::string from;  // empty: from any phase
  std::string to;
  std::vector<std::string> events;  // "Event" or "Event [Guard]"

  bool operator==(const Arrow&) const = default;
};

struct Diagram {
  std::string title;
  std::string initial;
  std::string last;  // empty: none
  std::vector<std::string> phases;
  std::vector<Arrow> arrows;
};

struct NamedRow {
  std::string from;
  std::string event;
  std::string guard;  // empty: always
  std::string to;
};
// Rows that change nothing are left out, the others gathered into arrows.
Diagram gather(Diagram bare, const std::vector<NamedRow>& rows);

template <class T>
Diagram diagram_of(const T& table, std::string_view title) {
  const auto name = [](auto value) {
    return std::string{enum_names(value)[static_cast<std::size_t>(value)]};
  };
  Diagram bare{.title = std::string{title},
               .initial = name(table.initial),
               .last = {},
               .phases = {},
               .arrows = {}};
  if (table.last) bare.last = name(*table.last);
  for (const auto phase : enum_names(table.initial)) bare.phases.emplace_back(phase);
  std::vector<NamedRow> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto& [from, event, to, guard] = table.rows[row];
    const bool always = guard == typename T::Guard{};
    for (std::size_t at = 0; at < bare.phases.size(); ++at) {
      if (!counts_from(table, row, static_cast<typename T::Phase>(at))) continue;
      rows.push_back({bare.phases[at], name(event), always ? "" : name(guard), name(to)});
    }
  }
  return gather(std::move(bare), rows);
}

std::string mermaid(const Diagram& diagram);
std::string svg(const Diagram& diagram);

}  // namespace fixpoint::fsm
