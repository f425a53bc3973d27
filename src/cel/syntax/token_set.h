// SPDX-License-Identifier: Apache-2.0
//
// Sets of words, as the parser expects and reports them.
#pragma once

#include "cel/syntax/lexer.h"

#include <bitset>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fixpoint::cel {

class Tokens {
 public:
  Tokens() = default;
  Tokens(std::initializer_list<Token> tokens) {
    for (const auto token : tokens) bits_.set(static_cast<std::size_t>(token));
  }
  bool has(Token token) const { return bits_.test(static_cast<std::size_t>(token)); }
  friend Tokens operator|(Tokens a, const Tokens& b) {
    a.bits_ |= b.bits_;
    return a;
  }
  // "{'[', '{'}", or the only one bare.
  std::string shown() const {
    // The end comes first, as if it were the least of all words.
    std::string out{has(Token::End) ? token_name(Token::End) : ""};
    for (std::size_t i = 0; i + 1 < bits_.size(); ++i) {
      if (!bits_.test(i)) continue;
      if (!out.empty()) out += ", ";
      out += token_name(static_cast<Token>(i));
    }
    return bits_.count() == 1 ? out : "{" + out + "}";
  }

 private:
  std::bitset<kTokens> bits_;
};

// "_+_" for '+'.
std::string_view operator_function(Token token);
// Words that are neither names nor anything else yet.
bool reserved(std::string_view word);

}  // namespace fixpoint::cel
