// SPDX-License-Identifier: Apache-2.0
//
// Cutting text without cutting a character.
#pragma once

#include <cstddef>
#include <string_view>

namespace fixpoint {

// As many whole characters as fit.
inline std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t size = bytes_max;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace fixpoint
