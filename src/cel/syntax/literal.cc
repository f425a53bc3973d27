// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/literal.h"

#include <charconv>
#include <cstdint>

namespace fixpoint::cel {
namespace {

using Outcome = std::expected<Value, std::string>;

template <class Number>
bool read_in_base(std::string_view text, int base, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc{} && end == text.data() + text.size();
}

Outcome integer(std::string_view text, bool negative) {
  const bool hex = text.starts_with("0x");
  std::string digits{hex ? text.substr(2) : text};
  if (negative) digits.insert(0, "-");
  std::int64_t value = 0;
  if (!read_in_base(digits, hex ? 16 : 10, value)) return std::unexpected("invalid int literal");
  return Value::integer(value);
}

Outcome unsigned_integer(std::string_view text) {
  text.remove_suffix(1);
  const bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  if (!read_in_base(hex ? text.substr(2) : text, hex ? 16 : 10, value)) {
    return std::unexpected("invalid uint literal");
  }
  return Value::unsigned_integer(value);
}

Outcome real(std::string_view text, bool negative) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::unexpected("invalid double literal");
  }
  return Value::number(negative ? -value : value);
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// The lexer let only whole escapes through.
std::expected<void, std::string> append_escape(std::string_view& text, bool bytes,
                                               std::string& out) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
  constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v\\'\"`?";
  const char c = text[1];
  if (const auto known = kLetters.find(c); known != kLetters.npos) {
    out += kMeaning[known];
    text.remove_prefix(2);
    return {};
  }
  const bool octal = c >= '0' && c <= '3';
  const std::size_t skip = octal ? 1 : 2;
  const std::size_t digits = octal ? 3 : (c == 'u' ? 4 : (c == 'U' ? 8 : 2));
  std::uint32_t point = 0;
  if (bytes && (c == 'u' || c == 'U')) return std::unexpected("unable to unescape string");
  if (text.size() < skip + digits ||
      !read_in_base(text.substr(skip, digits), octal ? 8 : 16, point)) {
    return std::unexpected("unable to unescape string");
  }
  if (!bytes && (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))) {
    return std::unexpected("invalid unicode code point");
  }
  if (bytes) {
    out += static_cast<char>(point);
  } else {
    append_utf8(out, point);
  }
  text.remove_prefix(skip + digits);
  return {};
}

Outcome unquoted(std::string_view text, bool bytes) {
  const bool raw = text.starts_with('r') || text.starts_with('R');
  if (raw) text.remove_prefix(1);
  const std::size_t quotes =
      text.size() >= 6 && (text.starts_with("'''") || text.starts_with(R"(""")")) ? 3 : 1;
  text = text.substr(quotes, text.size() - 2 * quotes);
  std::string out;
  while (!text.empty()) {
    if (text.front() == '\r') {
      out += '\n';
      text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
    } else if (text.front() == '\\' && !raw) {
      if (auto done = append_escape(text, bytes, out); !done) return std::unexpected(done.error());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return bytes ? Value::bytes(std::move(out)) : Value::string(std::move(out));
}

}  // namespace

Outcome literal_value(Token token, std::string_view text, bool negative) {
  switch (token) {
    case Token::Int: return integer(text, negative);
    case Token::Uint: return unsigned_integer(text);
    case Token::Float: return real(text, negative);
    case Token::String: return unquoted(text, false);
    case Token::Bytes: return unquoted(text.substr(1), true);
    case Token::True: return Value::boolean(true);
    case Token::False: return Value::boolean(false);
    default: return Value{};
  }
}

}  // namespace fixpoint::cel
