// SPDX-License-Identifier: Apache-2.0
//
// Text as Go's fmt verbs print it; Kubernetes' messages are full of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// %q: double quotes, Go's escapes; what is not printable is escaped, invalid bytes as \x...
std::string go_quoted(std::string_view text);
// What go_quoted() was given; nothing if `quoted` is no such text.
std::optional<std::string> go_unquoted(std::string_view quoted);

// %#v of a []string: []string{"a", "b"}.
std::string go_syntax(std::span<const std::string> strings);

// unicode.IsPrint of one code point, by ranges: the blocks that people's names and texts use are
// printable, controls, separators other than the space, surrogates and private use are not.
bool printable(char32_t code_point);

// The code point at the front of `text` and its length; U+FFFD with length 1 for an invalid byte.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
  bool valid;
};
CodePoint first_code_point(std::string_view text);

// ASCII only, as far as Kubernetes lower-cases names.
std::string lower_case(std::string_view text);

// Without ASCII white space at either end.
std::string_view trimmed(std::string_view text);

// "a, b, c"
std::string joined(std::span<const std::string> parts, std::string_view between);

// An aggregate of errors: one as it is, several as "[a, b]".
std::string go_aggregate(std::span<const std::string> messages);

}  // namespace fixpoint::kube
