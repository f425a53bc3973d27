// SPDX-License-Identifier: Apache-2.0
//
// Base64 (RFC 4648), standard and URL-safe, with Go's words for what is wrong with a text.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint {

enum class Base64 : std::uint8_t {
  Standard,  // + / with padding
  RawUrl,    // - _ without padding
};

std::string base64_encode(std::string_view bytes, Base64 form = Base64::Standard);
// The error is "illegal base64 data at input byte N". Line breaks are skipped, as Go does.
Result<std::string> base64_decode(std::string_view text, Base64 form = Base64::Standard);

}  // namespace fixpoint
