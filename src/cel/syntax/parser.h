// SPDX-License-Identifier: Apache-2.0
//
// From text to an expression: the tree that the recognizer reads (recognizer.h) becomes nodes, with
// macros expanded on the way (macros.h).
#pragma once

#include "cel/syntax/expr.h"
#include "cel/syntax/source.h"

#include <cstddef>
#include <string_view>

namespace fixpoint::cel {

// Both are a real server's. They bound every recursion over an expression.
inline constexpr std::size_t kExpressionCodePointsMax = 100'000;
inline constexpr std::size_t kExpressionDepthMax = 250;

struct Parsed {
  ExprPtr root;  // usable only without issues
  Issues issues;
  std::uint32_t nodes = 0;  // ids are below this
};

Parsed parse(std::string_view expression);

}  // namespace fixpoint::cel
