// SPDX-License-Identifier: Apache-2.0
#include "base/pem.h"

#include "base/base64.h"

#include <algorithm>

namespace fixpoint {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";

// The first line without its end and trailing blanks; `text` becomes the rest.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

// Where the line that ends a block begins, from its dashes on: at the start of a line.
std::size_t end_of_block(std::string_view text) {
  for (std::size_t at = 0; (at = text.find(kEnd, at)) != std::string_view::npos; ++at) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

// True when there were any.
bool skip_headers(std::string_view& text) {
  for (bool skipped = false;; skipped = true) {
    auto rest = text;
    const auto line = take_line(rest);
    if (line.find(':') == std::string_view::npos) return skipped;
    text = rest;
  }
}

std::optional<std::string> bytes_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') digits += c;
  }
  auto decoded = base64_decode(digits);
  if (!decoded) return std::nullopt;
  return *std::move(decoded);
}

// What stands between a line that begins and the next that ends; `rest` is what follows them.
std::optional<PemBlock> block_of(std::string_view body, std::string_view& rest) {
  const auto first = take_line(body);
  if (!first.ends_with(kDashes)) return std::nullopt;
  const auto type = first.substr(0, first.size() - kDashes.size());
  const auto last = take_line(rest);
  if (last != std::string{kEnd} + std::string{type} + std::string{kDashes}) return std::nullopt;
  const bool has_headers = skip_headers(body);
  auto bytes = bytes_of(body);
  if (!bytes) return std::nullopt;
  return PemBlock{
      .type = std::string{type}, .bytes = *std::move(bytes), .has_headers = has_headers};
}

}  // namespace

std::optional<PemBlock> next_pem_block(std::string_view& text) {
  auto rest = text;
  for (;;) {
    const auto end = end_of_block(rest);
    if (end == std::string_view::npos) return std::nullopt;
    const auto before = rest.substr(0, end);
    // The last that begins before the first that ends: one without an end of its own is text.
    const auto begin = before.rfind(kBegin);
    rest.remove_prefix(end);
    const bool at_line =
        begin != std::string_view::npos && (begin == 0 || before[begin - 1] == '\n');
    if (at_line) {
      auto after = rest;
      if (auto block = block_of(before.substr(begin + kBegin.size()), after)) {
        text = after;
        return block;
      }
    }
    rest.remove_prefix(kEnd.size());
  }
}

}  // namespace fixpoint
