// SPDX-License-Identifier: Apache-2.0
//
// The nearest right word for a wrong one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace fixpoint::cli {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate somebody who typed `word` most likely meant, if any is near: the one `word` begins,
// or else the one within a third of its letters. Ties go to the first.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

}  // namespace fixpoint::cli
