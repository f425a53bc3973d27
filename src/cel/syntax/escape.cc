// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/escape.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fixpoint::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved{
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEscapedSigns{
    {{"underscores", "__"}, {"dot", "."}, {"dash", "-"}, {"slash", "/"}}
};

bool is_escaped_word(std::string_view word) {
  return std::ranges::find(kReserved, word) != kReserved.end();
}

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What `__contents__` stands for; `whole` says whether it is all of the name.
std::optional<std::string_view> meaning(std::string_view contents, bool whole) {
  for (const auto& [word, sign] : kEscapedSigns) {
    if (word == contents) return sign;
  }
  if (is_escaped_word(contents) && whole) return contents;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> escaped(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (is_escaped_word(property)) return "__" + std::string{property} + "__";
  std::string out;
  while (!property.empty()) {
    const auto sign = std::ranges::find_if(
        kEscapedSigns, [&](const auto& each) { return property.starts_with(each.second); });
    if (sign != kEscapedSigns.end()) {
      out += "__" + std::string{sign->first} + "__";
      property.remove_prefix(sign->second.size());
      continue;
    }
    if (!plain(property.front())) return std::nullopt;
    out += property.front();
    property.remove_prefix(1);
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view name) {
  std::string out;
  std::size_t at = 0;
  while (at < name.size()) {
    if (!name.substr(at).starts_with("__")) {
      out += name[at++];
      continue;
    }
    // Two underscores, something without underscores, two underscores.
    const auto end = name.find('_', at + 2);
    if (end == name.npos || end == at + 2 || !name.substr(end).starts_with("__")) {
      out += name[at++];
      continue;
    }
    const auto found =
        meaning(name.substr(at + 2, end - at - 2), at == 0 && end + 2 == name.size());
    if (!found) return std::nullopt;
    out += *found;
    at = end + 2;
  }
  return out;
}

}  // namespace fixpoint::cel
