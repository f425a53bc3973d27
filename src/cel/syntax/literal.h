// SPDX-License-Identifier: Apache-2.0
//
// What a literal stands for: 0x1F, 3u, 1e3, 'text', r"\d", b'bytes'.
#pragma once

#include "cel/evaluation/value.h"
#include "cel/syntax/lexer.h"

#include <expected>
#include <string>
#include <string_view>

namespace fixpoint::cel {

// The error is a message: "invalid int literal".
std::expected<Value, std::string> literal_value(Token token, std::string_view text, bool negative);

}  // namespace fixpoint::cel
