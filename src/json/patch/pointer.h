// SPDX-License-Identifier: Apache-2.0
//
// JSON Pointer (RFC 6901): `/spec/containers/0/image`, with ~1 for a slash and ~0 for a tilde.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::json {

// The reference tokens, unescaped. Empty text is the whole document; otherwise it begins with '/'.
Result<std::vector<std::string>> parse_pointer(std::string_view text);

// What a pointer names, or nothing if it is malformed or some step is not there. Indexes are plain
// decimal numbers without leading zeros.
std::optional<View> resolve(View root, std::string_view pointer);

std::string escape_token(std::string_view token);
// ~1 and ~0 undone; any other tilde is kept, as Kubernetes' patches do.
std::string unescape_token(std::string_view token);

}  // namespace fixpoint::json
