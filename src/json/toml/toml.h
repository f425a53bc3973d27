// SPDX-License-Identifier: Apache-2.0
//
// TOML 1.0 as a tree: tables are objects, arrays of tables are arrays of objects.
//
// The whole grammar but two things that a tree of JSON cannot hold and no configuration we read
// has: dates and times, and infinities. Errors name the place: "line 3, column 7: …", columns in
// characters, both from one.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <string_view>

namespace fixpoint::json {

// Tables and arrays in each other; configuration files have three or four.
inline constexpr int kTomlDepthMax = 64;

Result<Value> parse_toml(std::string_view text);

}  // namespace fixpoint::json
