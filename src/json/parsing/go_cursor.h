// SPDX-License-Identifier: Apache-2.0
//
// GoCursor: walks a JSON text that go_check() has accepted, value by value, in the order of the
// text and with nothing lost: keys given twice, the digits of numbers.
//
// It looks at no byte twice and cannot run past the end of a checked text; over any other text it
// must not be used. Read next: go_parse.cc makes trees with it, kube/typed/read.cc Go's structs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixpoint::json {

// Go's word for a value that begins like this: "object", "null".
std::string_view go_word_for(char first);

class GoCursor {
 public:
  explicit GoCursor(std::string_view checked) : text_(checked) {}

  // The first byte of the value that comes next: one of { [ " t f n - 0…9.
  char next() {
    skip_space();
    return text_[at_];
  }

  // On a container's opening bracket.
  void enter() { ++at_; }
  // After enter() and after each element or member: true when the container ended, and then the
  // cursor is past it; else on the next element or key.
  bool leaves(char close);

  // On a key: its text; the cursor goes on to the value.
  std::string key();
  // On a string: its text, invalid UTF-8 and lone surrogates repaired as Go does.
  std::string string();
  // On a number: its digits as written.
  std::string_view number();
  // On true, false or null.
  void literal() { at_ += text_[at_] == 'f' ? 5 : 4; }
  // On any value: its text; the cursor goes past it.
  std::string_view skip();

 private:
  void skip_space();
  void skip_string();
  void escape(std::string& out);
  void unicode(std::string& out);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace fixpoint::json
