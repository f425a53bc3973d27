// SPDX-License-Identifier: Apache-2.0
#include "verify/checks.h"

#include <fmt/format.h>

namespace fixpoint::verify {

void Findings::reset(std::size_t properties) {
  premise.assign(properties, 0);
  met.assign(properties, 0);
  breach.assign(properties, std::nullopt);
  rows.resize(properties);
}

void Findings::absorb(const Findings& later) {
  for (std::size_t i = 0; i < premise.size(); ++i) {
    premise[i] |= later.premise[i];
    met[i] |= later.met[i];
    if (!breach[i]) breach[i] = later.breach[i];
    if (rows[i].size() < later.rows[i].size()) rows[i].resize(later.rows[i].size(), 0);
    for (std::size_t row = 0; row < later.rows[i].size(); ++row) rows[i][row] |= later.rows[i][row];
  }
}

std::string rows_not_taken(const PhaseTable& table, const std::vector<std::uint8_t>& taken) {
  std::string text;
  for (const auto& [from, to] : table.allowed) {
    const auto row =
        static_cast<std::size_t>(from) * table.names.size() + static_cast<std::size_t>(to);
    if (row < taken.size() && taken[row] != 0) continue;
    text += fmt::format("{}{} -> {}", text.empty() ? "never taken: " : ", ",
                        table.names[static_cast<std::size_t>(from)],
                        table.names[static_cast<std::size_t>(to)]);
  }
  return text;
}

}  // namespace fixpoint::verify
