// SPDX-License-Identifier: Apache-2.0
//
// Issue: what is wrong with an expression, and where; and how several of them are shown.
//
// Places are counted in code points from the start of the expression, as an author counts them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

// An issue of the expression as a whole.
inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
// What is left where nothing was understood; it is shown in front of the first line.
inline constexpr std::size_t kBeforeStart = kNowhere - 1;

struct Issue {
  std::size_t at = kNowhere;
  std::string message;
};
using Issues = std::vector<Issue>;

// Each issue with its line and a mark under the place, in the order of the places:
//   ERROR: <input>:1:5: undefined field 'x'
//    | self.x
//    | ....^
std::string shown(std::string_view expression, Issues issues);

}  // namespace fixpoint::cel
