// SPDX-License-Identifier: Apache-2.0
//
// One command to a Valkey server and its answer, in its own protocol (RESP), over a connection of
// its own.
#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli::demo {

// A simple or bulk answer as text; an error answer is an error.
Result<std::string> ask_valkey_server(const std::string& address,
                                      const std::vector<std::string>& words);

// The first answer in these bytes; Unavailable when it is not complete.
Result<std::string> read_valkey_answer(std::string_view bytes);

}  // namespace fixpoint::cli::demo
