// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/go_cursor.h"

#include "json/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace fixpoint::json {
namespace {

char32_t hex_value(std::string_view digits) {
  std::uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return code;
}

bool is_high(char32_t code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_low(char32_t code) {
  return code >= 0xDC00 && code < 0xE000;
}

}  // namespace

std::string_view go_word_for(char first) {
  switch (first) {
    case '{': return "object";
    case '[': return "array";
    case '"': return "string";
    case 't':
    case 'f': return "bool";
    case 'n': return "null";
    default: return "number";
  }
}

void GoCursor::skip_space() {
  while (is_json_space(text_[at_])) ++at_;
}

bool GoCursor::leaves(char close) {
  if (next() == ',') {
    ++at_;
    skip_space();
    return false;
  }
  if (text_[at_] != close) return false;
  ++at_;
  return true;
}

std::string GoCursor::key() {
  auto name = string();
  skip_space();
  ++at_;  // the colon
  return name;
}

std::string_view GoCursor::number() {
  const auto begin = at_;
  at_ = std::min(text_.find_first_not_of("+-.0123456789eE", begin), text_.size());
  return text_.substr(begin, at_ - begin);
}

std::string GoCursor::string() {
  std::string out;
  for (++at_; text_[at_] != '"';) {
    if (text_[at_] == '\\') {
      escape(out);
    } else if (static_cast<unsigned char>(text_[at_]) < 0x80) {
      out.push_back(text_[at_++]);
    } else {
      const auto rune = decode_rune(text_.substr(at_));
      append_rune(rune.code, out);
      at_ += rune.bytes;
    }
  }
  ++at_;
  return out;
}

void GoCursor::escape(std::string& out) {
  constexpr std::string_view kNames = "bfnrt";
  constexpr std::string_view kNamed = "\b\f\n\r\t";
  const char c = text_[at_ + 1];
  if (c == 'u') return unicode(out);
  const auto named = kNames.find(c);
  out.push_back(named == std::string_view::npos ? c : kNamed[named]);
  at_ += 2;
}

void GoCursor::unicode(std::string& out) {
  auto code = hex_value(text_.substr(at_ + 2, 4));
  at_ += 6;
  if (is_high(code) && text_.substr(at_, 2) == "\\u") {
    if (const auto low = hex_value(text_.substr(at_ + 2, 4)); is_low(low)) {
      at_ += 6;
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
  }
  if (is_high(code) || is_low(code)) code = kReplacementRune;
  append_rune(code, out);
}

void GoCursor::skip_string() {
  for (++at_; text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') ++at_;
  }
  ++at_;
}

std::string_view GoCursor::skip() {
  skip_space();
  const auto begin = at_;
  std::size_t open = 0;
  do {
    switch (text_[at_]) {
      case '{':
      case '[':
        ++open;
        ++at_;
        break;
      case '}':
      case ']':
        --open;
        ++at_;
        break;
      case '"': skip_string(); break;
      case 't':
      case 'f':
      case 'n': literal(); break;
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ':':
      case ',': ++at_; break;
      default: number(); break;
    }
  } while (open > 0);
  return text_.substr(begin, at_ - begin);
}

}  // namespace fixpoint::json
