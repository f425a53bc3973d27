// SPDX-License-Identifier: Apache-2.0
//
// Classes of ASCII characters, whatever the locale.
#pragma once

namespace fixpoint {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace fixpoint
