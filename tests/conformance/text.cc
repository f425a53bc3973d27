// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/text.h"

#include "base/utf8.h"

#include <charconv>

namespace fixpoint::conformance {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  const auto kept = utf8_prefix(text, bytes_max);
  return kept.size() == text.size() ? std::string{text} : std::string{kept} + "…";
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace fixpoint::conformance
