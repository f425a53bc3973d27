// SPDX-License-Identifier: Apache-2.0
//
// The exact reader: slower than simdjson, but it accepts, refuses and repairs precisely what Go's
// decoder does (as Kubernetes configures it) and says so in the same words.
//
// Two walks, as in Go: the whole text is checked first, so a syntax error is reported even if an
// earlier number is out of range.
#pragma once

#include "base/error.h"
#include "json/parsing/parse.h"

#include <string_view>

namespace fixpoint::json {

// Kubernetes stops collecting after as many.
inline constexpr std::size_t kDuplicatesMax = 100;

Result<Parsed> go_parse(std::string_view text);

// The error of the first wrong byte, or nothing.
Result<void> go_check(std::string_view text);

}  // namespace fixpoint::json
