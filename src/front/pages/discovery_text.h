// SPDX-License-Identifier: Apache-2.0
//
// Discovery documents and the version as JSON text, members in the order in which a real server
// writes them: scripts look for pieces of this text, and it is what people see of `get --raw`.
//
// Trees have their members sorted, so the order is a table of its own; what the tables do not name
// comes last.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <string>

namespace fixpoint::front {

enum class Indent : std::uint8_t { None, TwoSpaces };

// Without a final newline. Any other document is printed as it is.
std::string discovery_text(json::View document, Indent indent);

}  // namespace fixpoint::front
