// SPDX-License-Identifier: Apache-2.0
//
// The syntax check of go_parse.h. An error names the first byte that cannot continue the text; at
// the end of the text Go tries a space, which is why half a number complains about ' '.
#include "base/ascii.h"
#include "json/parsing/go_parse.h"
#include "json/text.h"
#include "json/value.h"

#include <string>
#include <vector>

namespace fixpoint::json {
namespace {

std::string hex(unsigned code, std::size_t digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(digits, '0');
  for (auto at = digits; at-- > 0; code >>= 4U) out[at] = kDigits[code & 0xFU];
  return out;
}

// A byte as Go quotes it: bytes from 0x80 on are taken for the code points of Latin-1.
std::string quoted_byte(char c) {
  const auto code = static_cast<unsigned char>(c);
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\'";
  constexpr std::string_view kNames = "abfnrtv\\'";
  if (const auto at = kNamed.find(c); at != std::string_view::npos) {
    return std::string{"'\\"} + kNames[at] + "'";
  }
  if (code < 0x20 || code == 0x7F) return "'\\x" + hex(code, 2) + "'";
  if (code < 0x7F) return std::string{"'"} + c + "'";
  if (code <= 0xA0 || code == 0xAD) return "'\\u" + hex(code, 4) + "'";
  std::string out = "'";
  append_rune(code, out);
  return out + "'";
}

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  Result<void> check() {
    bool good = value();
    while (good && !open_.empty()) good = after_value();
    if (good) {
      skip_space();
      if (at_ < text_.size()) good = unexpected("after top-level value");
    }
    if (good) return {};
    return fail(ErrorKind::Invalid, std::move(error_));
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : ' '; }
  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }
  // Moves to the next byte that means something; false at the end of the text.
  bool find_next() {
    skip_space();
    if (at_ < text_.size()) return true;
    return ended();
  }
  bool ended() {
    error_ = "unexpected end of JSON input";
    return false;
  }
  bool unexpected(std::string_view context) {
    error_ = "invalid character " + quoted_byte(peek()) + " ";
    error_.append(context);
    return false;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool open(char kind) {
    if (open_.size() == kDepthMax) return unexpected("exceeded max depth");
    open_.push_back(kind);
    ++at_;
    return true;
  }

  // One value, or the beginning of one: containers stay on `open_` for after_value().
  bool value() {
    for (;;) {
      if (!find_next()) return false;
      const char c = peek();
      if (c != '{' && c != '[') return literal(c);
      if (!open(c) || !find_next()) return false;
      if (take(c == '{' ? '}' : ']')) {
        open_.pop_back();
        return true;
      }
      if (c == '{' && !key()) return false;
    }
  }

  bool after_value() {
    if (!find_next()) return false;
    const bool object = open_.back() == '{';
    if (take(object ? '}' : ']')) {
      open_.pop_back();
      return true;
    }
    if (!take(','))
      return unexpected(object ? "after object key:value pair" : "after array element");
    return (!object || key()) && value();
  }

  bool key() {
    if (!find_next()) return false;
    if (peek() != '"') return unexpected("looking for beginning of object key string");
    if (!string() || !find_next()) return false;
    return take(':') || unexpected("after object key");
  }

  bool literal(char c) {
    if (c == '"') return string();
    if (c == 't') return word("true");
    if (c == 'f') return word("false");
    if (c == 'n') return word("null");
    if (c == '-' || is_digit(c)) return number();
    return unexpected("looking for beginning of value");
  }

  bool word(std::string_view expected) {
    for (const char c : expected) {
      if (take(c)) continue;
      return unexpected("in literal " + std::string{expected} + " (expecting '" + c + "')");
    }
    return true;
  }

  bool digits(std::string_view context) {
    if (!is_digit(peek())) return unexpected(context);
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits("in numeric literal")) return false;
    if (take('.') && !digits("after decimal point in numeric literal")) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits("in exponent of numeric literal");
  }

  bool string() {
    ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return unexpected("in string literal");
      if (c == '\\' && !escape()) return false;
    }
    return ended();
  }

  // On the backslash; ends on the last byte of the escape.
  bool escape() {
    ++at_;
    if (peek() != 'u') {
      return std::string_view{"bfnrt\\/\""}.contains(peek()) || unexpected("in string escape code");
    }
    for (int i = 0; i < 4; ++i) {
      ++at_;
      if (!is_hex(peek())) return unexpected("in \\u hexadecimal character escape");
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // the containers being read, '{' or '['
  std::string error_;
};

}  // namespace

Result<void> go_check(std::string_view text) {
  return Checker{text}.check();
}

}  // namespace fixpoint::json
