// SPDX-License-Identifier: Apache-2.0
//
// TomlCursor: a place in TOML text, and what can be read there: blanks, keys, strings, numbers.
// parse.cc puts tables together from these.
#pragma once

#include "base/error.h"
#include "json/draft.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace fixpoint::json {

class TomlCursor {
 public:
  explicit TomlCursor(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void skip(std::size_t count = 1) { at_ += count; }
  std::size_t place() const { return at_; }

  // All of the text is UTF-8.
  Result<void> check_characters() const;

  void skip_blanks();  // spaces and tabs
  // Blanks, line ends and comments.
  Result<void> skip_lines();
  // Nothing but a comment may follow on this line.
  Result<void> end_line();

  // One part of a dotted key: bare or quoted.
  Result<std::string> key_part();
  Result<std::string> string();
  // true, false or a number.
  Result<Draft> word();

  // "line 3, column 7: …", here or at an earlier place.
  std::unexpected<Error> wrong(std::string_view why) const { return wrong_at(at_, why); }
  std::unexpected<Error> wrong_at(std::size_t place, std::string_view why) const;

 private:
  Result<void> comment();
  bool at_line_end() const { return peek() == '\n' || looking_at("\r\n"); }
  Result<std::string> basic(bool many_lines);
  Result<std::string> literal(bool many_lines);
  Result<void> escape(std::string& out);
  Result<void> code_point(std::size_t digits, std::string& out);
  Result<void> one_character(std::string& out, bool many_lines);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace fixpoint::json
