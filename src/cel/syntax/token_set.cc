// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/token_set.h"

#include <algorithm>
#include <array>

namespace fixpoint::cel {

std::string_view operator_function(Token token) {
  switch (token) {
    case Token::Equals: return "_==_";
    case Token::NotEquals: return "_!=_";
    case Token::In: return "@in";
    case Token::Less: return "_<_";
    case Token::LessEquals: return "_<=_";
    case Token::Greater: return "_>_";
    case Token::GreaterEquals: return "_>=_";
    case Token::Plus: return "_+_";
    case Token::Minus: return "_-_";
    case Token::Star: return "_*_";
    case Token::Slash: return "_/_";
    default: return "_%_";
  }
}

bool reserved(std::string_view word) {
  constexpr std::array<std::string_view, 17> kReserved{
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::ranges::find(kReserved, word) != kReserved.end();
}

}  // namespace fixpoint::cel
