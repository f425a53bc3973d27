// SPDX-License-Identifier: Apache-2.0
//
// The words of an expression. What is none is noted and skipped, as a real server's lexer does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

// In the order in which messages list what was expected.
enum class Token : std::uint8_t {
  Equals,
  NotEquals,
  In,
  Less,
  LessEquals,
  GreaterEquals,
  Greater,
  And,
  Or,
  OpenBracket,
  CloseBracket,
  OpenBrace,
  CloseBrace,
  OpenParen,
  CloseParen,
  Dot,
  Comma,
  Minus,
  Exclamation,
  Question,
  Colon,
  Plus,
  Star,
  Slash,
  Percent,
  True,
  False,
  Null,
  Float,
  Int,
  Uint,
  String,
  Bytes,
  Identifier,
  QuotedIdentifier,
  End,
};
inline constexpr std::size_t kTokens = static_cast<std::size_t>(Token::End) + 1;

struct Lexeme {
  Token token = Token::End;
  std::string_view text;
  std::size_t byte = 0;  // where it begins
  std::size_t at = 0;    // the same in code points
};

// What is no word.
struct Skipped {
  std::string_view text;
  std::size_t byte = 0;
  std::size_t at = 0;
  std::size_t before = 0;  // which word
};

struct Lexed {
  std::vector<Lexeme> words;  // ends with Token::End
  std::vector<Skipped> skipped;
};

Lexed lex(std::string_view expression);

// As messages name it: "'=='", "IDENTIFIER", "<EOF>".
std::string_view token_name(Token token);

}  // namespace fixpoint::cel
