// SPDX-License-Identifier: Apache-2.0
//
// Looking up a server's addresses with the system's resolver, which blocks: for Background.
#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::client {

bool is_numeric_address(const std::string& host);
// Numeric addresses in the order the system prefers; at least one.
Result<std::vector<std::string>> resolve_name(const std::string& name);

}  // namespace fixpoint::client
