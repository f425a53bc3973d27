// SPDX-License-Identifier: Apache-2.0
//
// What a run of text contains, asked once when it is stored so that printing need not ask again;
// and the repair of invalid UTF-8, as Go does it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::json {

struct TextTraits {
  bool clean;  // prints between quotes as it is, in both escape modes
  bool ascii;
};
TextTraits traits_of(std::string_view text);

// One code point from the front of `text`; an invalid byte is U+FFFD of length 1.
struct Rune {
  char32_t code;
  std::uint32_t bytes;
};
inline constexpr char32_t kReplacementRune = 0xFFFD;
Rune decode_rune(std::string_view text);
void append_rune(char32_t code, std::string& out);

// White space between the tokens of JSON.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool valid_utf8(std::string_view text);
// Every invalid byte becomes U+FFFD.
std::string repaired_utf8(std::string_view text);

}  // namespace fixpoint::json
