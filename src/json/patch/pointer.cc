// SPDX-License-Identifier: Apache-2.0
//
// JSON Pointer: splitting, escaping, following.
#include "json/patch/pointer.h"

#include <charconv>

namespace fixpoint::json {
namespace {

bool well_escaped(std::string_view token) {
  for (auto at = token.find('~'); at != std::string_view::npos; at = token.find('~', at + 1)) {
    if (at + 1 == token.size() || (token[at + 1] != '0' && token[at + 1] != '1')) return false;
  }
  return true;
}

std::optional<std::size_t> to_index(std::string_view token) {
  std::size_t index = 0;
  const auto* end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return index;
}

std::optional<View> step(View at, std::string_view token) {
  if (at.is_object()) return at.find(token);
  const auto index = to_index(token);
  if (!at.is_array() || !index || *index >= at.size()) return std::nullopt;
  return at[*index];
}

}  // namespace

Result<std::vector<std::string>> parse_pointer(std::string_view text) {
  std::vector<std::string> tokens;
  if (text.empty()) return tokens;
  if (text.front() != '/') {
    return fail(ErrorKind::Invalid, "JSON pointer \"" + std::string{text} + "\" must start with /");
  }
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto token = text.substr(0, text.find('/'));
    if (!well_escaped(token)) {
      return fail(ErrorKind::Invalid, "JSON pointer token \"" + std::string{token} +
                                          "\": ~ must be followed by 0 or 1");
    }
    tokens.push_back(unescape_token(token));
    text.remove_prefix(token.size());
  }
  return tokens;
}

std::optional<View> resolve(View root, std::string_view pointer) {
  const auto tokens = parse_pointer(pointer);
  if (!tokens) return std::nullopt;
  std::optional<View> at = root;
  for (const auto& token : *tokens) {
    at = step(*at, token);
    if (!at) return std::nullopt;
  }
  return at;
}

std::string escape_token(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      out.append("~0");
    } else if (c == '/') {
      out.append("~1");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string unescape_token(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = token[i] == '~' && i + 1 < token.size() ? token[i + 1] : '\0';
    if (next == '0' || next == '1') {
      out.push_back(next == '0' ? '~' : '/');
      ++i;
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

}  // namespace fixpoint::json
