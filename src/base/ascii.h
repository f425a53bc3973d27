// SPDX-License-Identifier: Apache-2.0
//
// What a byte is, by ASCII alone: JSON and what Kubernetes writes in it know no other digits and
// letters, whatever the locale says.
#pragma once

namespace fixpoint {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace fixpoint
