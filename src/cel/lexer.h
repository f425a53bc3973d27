// SPDX-License-Identifier: Apache-2.0
//
// The words of an expression. What is none is reported and skipped, as a real server's lexer does.
#pragma once

#include "cel/source.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
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

struct Lexeme {
  Token token = Token::End;
  std::string_view text;
  std::size_t byte = 0;  // where it begins
  std::size_t at = 0;    // the same in code points
};

struct Lexed {
  std::vector<Lexeme> words;  // ends with Token::End
  // Where what is no word lies: bytes from, and to.
  std::vector<std::pair<std::size_t, std::size_t>> skipped;
};

Lexed lex(std::string_view expression, Issues& issues);

// As messages name it: "'=='", "IDENTIFIER", "<EOF>".
std::string_view token_name(Token token);

}  // namespace fixpoint::cel
