// SPDX-License-Identifier: Apache-2.0
//
// Text in a web page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixpoint::verify {

// With the characters that HTML reads as its own replaced.
std::string escaped(std::string_view text);
// At most this many bytes, whole characters, and dots in place of the rest.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace fixpoint::verify
