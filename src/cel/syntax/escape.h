// SPDX-License-Identifier: Apache-2.0
//
// Property names as expressions spell them: `__dash__` for '-', `__namespace__` for a keyword.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cel {

// Nothing when no expression can name the property.
std::optional<std::string> escaped(std::string_view property);
// Nothing when no property is escaped so.
std::optional<std::string> unescaped(std::string_view name);

}  // namespace fixpoint::cel
