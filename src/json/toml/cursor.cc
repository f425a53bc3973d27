// SPDX-License-Identifier: Apache-2.0
#include "json/toml/cursor.h"

#include "base/ascii.h"
#include "json/parsing/number.h"
#include "json/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::json {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20U && c != '\t') || byte == 0x7FU;
}

// Underscores stand between digits only; nothing when one does not.
std::optional<std::string> without_digit_separators(std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '_') {
      out += word[i];
    } else if (i == 0 || i + 1 == word.size() || !is_hex(word[i - 1]) || !is_hex(word[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::int64_t> integer_in(std::string_view digits, int base) {
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

// Digits, with a point and an exponent in the right places.
bool is_float(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const auto first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  if (!text.empty() && text[0] == '-') ++at;
  const bool zero = at < text.size() && text[at] == '0';
  const auto first = at;
  if (!digits() || (zero && at - first > 1)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

bool is_date_or_time(std::string_view word) {
  const auto number = [&](std::size_t at, std::size_t count) {
    return word.size() >= at + count && std::ranges::all_of(word.substr(at, count), is_digit);
  };
  return (number(0, 4) && word.substr(4, 1) == "-") || (number(0, 2) && word.substr(2, 1) == ":");
}

}  // namespace

std::unexpected<Error> TomlCursor::wrong_at(std::size_t place, std::string_view why) const {
  const auto before = text_.substr(0, std::min(place, text_.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column = std::ranges::count_if(
                          before.substr(begin),
                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) +
                      1;
  return fail(ErrorKind::Invalid, fmt::format("line {}, column {}: {}", line, column, why));
}

Result<void> TomlCursor::check_characters() const {
  if (valid_utf8(text_)) return {};
  std::size_t place = 0;
  while (place < text_.size()) {
    const auto rune = decode_rune(text_.substr(place));
    if (rune.code == kReplacementRune && rune.bytes == 1) break;
    place += rune.bytes;
  }
  return wrong_at(place, "not UTF-8");
}

void TomlCursor::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') skip();
}

Result<void> TomlCursor::comment() {
  if (peek() != '#') return {};
  while (!at_end() && !at_line_end()) {
    if (is_control(peek())) return wrong("a control character in a comment");
    skip();
  }
  return {};
}

Result<void> TomlCursor::skip_lines() {
  while (true) {
    skip_blanks();
    FP_TRY_VOID(comment());
    if (at_end() || !at_line_end()) return {};
    skip(peek() == '\r' ? 2 : 1);
  }
}

Result<void> TomlCursor::end_line() {
  skip_blanks();
  FP_TRY_VOID(comment());
  if (at_end()) return {};
  if (!at_line_end()) return wrong("only a comment may follow on this line");
  skip(peek() == '\r' ? 2 : 1);
  return {};
}

Result<std::string> TomlCursor::key_part() {
  if (peek() == '"' || peek() == '\'') {
    if (looking_at("\"\"\"") || looking_at("'''")) return wrong("a key is on one line");
    return string();
  }
  const auto begin = at_;
  while (!at_end() && is_bare(peek())) skip();
  if (at_ == begin) return wrong("a key is expected here");
  return std::string{text_.substr(begin, at_ - begin)};
}

Result<std::string> TomlCursor::string() {
  if (looking_at("\"\"\"")) return basic(true);
  if (looking_at("'''")) return literal(true);
  return peek() == '"' ? basic(false) : literal(false);
}

Result<void> TomlCursor::one_character(std::string& out, bool many_lines) {
  if (at_line_end()) {
    if (!many_lines) return wrong("the string does not end on its line");
    skip(peek() == '\r' ? 2 : 1);
    out += '\n';
    return {};
  }
  if (is_control(peek())) return wrong("a control character in a string");
  out += peek();
  skip();
  return {};
}

Result<void> TomlCursor::code_point(std::size_t digits, std::string& out) {
  const auto begin = at_ - 2;
  const auto hex = text_.substr(at_, digits);
  const bool only_hex = hex.find_first_of("+-") == std::string_view::npos;
  const auto value = hex.size() == digits && only_hex ? integer_in(hex, 16) : std::nullopt;
  if (!value) return wrong_at(begin, fmt::format("{} hexadecimal digits are needed", digits));
  if (*value > 0x10FFFF || (*value >= 0xD800 && *value <= 0xDFFF)) {
    return wrong_at(begin, "no character has this number");
  }
  skip(digits);
  append_rune(static_cast<char32_t>(*value), out);
  return {};
}

Result<void> TomlCursor::escape(std::string& out) {
  constexpr std::string_view kNames = "btnfr\"\\";
  constexpr std::string_view kMeaning = "\b\t\n\f\r\"\\";
  const char c = peek(1);
  if (c == 'u' || c == 'U') {
    skip(2);
    return code_point(c == 'u' ? 4 : 8, out);
  }
  const auto found = kNames.find(c);
  if (c == '\0' || found == std::string_view::npos) return wrong("no such escape in a string");
  out += kMeaning[found];
  skip(2);
  return {};
}

Result<std::string> TomlCursor::basic(bool many_lines) {
  const auto begin = at_;
  const std::string_view quotes = many_lines ? "\"\"\"" : "\"";
  skip(quotes.size());
  if (many_lines && at_line_end()) skip(peek() == '\r' ? 2 : 1);
  std::string out;
  while (!looking_at(quotes)) {
    if (at_end()) return wrong_at(begin, "the string does not end");
    if (peek() == '\\') {
      // A backslash at the end of a line swallows the blanks up to the next word.
      auto next = at_ + 1;
      while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
      const auto rest = text_.substr(next);
      if (many_lines && (rest.starts_with('\n') || rest.starts_with("\r\n"))) {
        at_ = std::min(text_.find_first_not_of(" \t\r\n", next), text_.size());
        continue;
      }
      FP_TRY_VOID(escape(out));
      continue;
    }
    FP_TRY_VOID(one_character(out, many_lines));
  }
  skip(quotes.size());
  // Up to two quotes may stand before the three that end it.
  for (int i = 0; many_lines && i < 2 && peek() == '"'; ++i) {
    out += '"';
    skip();
  }
  return out;
}

Result<std::string> TomlCursor::literal(bool many_lines) {
  const auto begin = at_;
  const std::string_view quotes = many_lines ? "'''" : "'";
  skip(quotes.size());
  if (many_lines && at_line_end()) skip(peek() == '\r' ? 2 : 1);
  std::string out;
  while (!looking_at(quotes)) {
    if (at_end()) return wrong_at(begin, "the string does not end");
    FP_TRY_VOID(one_character(out, many_lines));
  }
  skip(quotes.size());
  for (int i = 0; many_lines && i < 2 && peek() == '\''; ++i) {
    out += '\'';
    skip();
  }
  return out;
}

Result<Draft> TomlCursor::word() {
  const auto begin = at_;
  while (!at_end() && (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':')) skip();
  const auto word = text_.substr(begin, at_ - begin);
  if (word.empty()) return wrong_at(begin, "a value is expected here");
  if (word == "true") return Draft{true};
  if (word == "false") return Draft{false};
  if (is_date_or_time(word)) return wrong_at(begin, "dates and times are not read here");
  const auto unsigned_word = word.substr(word.starts_with('+') || word.starts_with('-') ? 1 : 0);
  if (unsigned_word == "inf" || unsigned_word == "nan") {
    return wrong_at(begin, "only finite numbers are read here");
  }
  const auto no_number = [&] {
    return wrong_at(begin, fmt::format("\"{}\" is no value: texts need quotes", word));
  };
  auto digits = without_digit_separators(word);
  if (!digits) return no_number();
  for (const auto& [prefix, base] : {
           std::pair{"0x", 16},
           {"0o", 8 },
           {"0b", 2 }
  }) {
    if (!digits->starts_with(prefix)) continue;
    const auto rest = std::string_view{*digits}.substr(2);
    const auto value = rest.starts_with('-') ? std::nullopt : integer_in(rest, base);
    if (!value) return no_number();
    return Draft{*value};
  }
  if (digits->starts_with('+')) {
    digits->erase(0, 1);
    if (digits->starts_with('-')) return no_number();
  }
  if (!is_float(*digits)) return no_number();
  if (digits->find_first_of(".eE") == std::string::npos) {
    const auto value = integer_in(*digits, 10);
    if (!value) return wrong_at(begin, "the number needs more than 64 bits");
    return Draft{*value};
  }
  const auto value = read_double(*digits);
  if (!value) return wrong_at(begin, "the number is too large");
  return Draft{*value};
}

}  // namespace fixpoint::json
