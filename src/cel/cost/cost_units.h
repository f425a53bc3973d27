// SPDX-License-Identifier: Apache-2.0
//
// What single steps cost, the same where a cost is estimated and where it is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace fixpoint::cel {

// Of each byte that is gone through, and of each byte of an expression that is matched.
inline constexpr double kTextFactor = 0.1;
inline constexpr double kRegexFactor = 0.25;
// Of making one.
inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;

// Whether a function or an overload is among those of one price.
inline bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace fixpoint::cel
