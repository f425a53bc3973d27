// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/suggest.h"

#include <algorithm>
#include <vector>

namespace fixpoint::cli {
namespace {

// A word longer than this is no misspelling of ours; the table below stays small.
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kShortestPrefix = 2;
// "complete" for "completion": too many letters apart, and yet what was meant.
constexpr std::size_t kShortestStem = 4;

std::size_t common_prefix(std::string_view one, std::string_view other) {
  const auto ends = std::ranges::mismatch(one, other);
  return static_cast<std::size_t>(ends.in1 - one.begin());
}

// Of the candidates that begin as more than half of the word does, the one with the most of it.
std::optional<std::string_view> of_one_stem(std::string_view word,
                                            std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t longest = std::max(kShortestStem, word.size() / 2 + 1) - 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t common = common_prefix(word, candidate);
    if (common <= longest) continue;
    best = candidate;
    longest = common;
  }
  return best;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // rows[i][j]: the distance between the first i letters of `from` and the first j of `to`.
  std::vector<std::vector<std::size_t>> rows(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= to.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = rows[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0U : 1U);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[from.size()][to.size()];
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (word.size() >= kShortestPrefix && candidate.starts_with(word)) return candidate;
    const std::size_t distance = edit_distance(word, candidate);
    // A one-letter word is one edit away from every other: that is no likeness.
    if (distance < best_distance && distance < std::min(word.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best ? best : of_one_stem(word, candidates);
}

}  // namespace fixpoint::cli
