// SPDX-License-Identifier: Apache-2.0
//
// The recognizer: reads the words of an expression into a tree, and goes on after mistakes.
//
// Mistakes are told in the words of the parser generator that Kubernetes' CEL is made with, and
// mended where that one mends them: a word too many is skipped, a missing one is made up, or else
// words are skipped until one fits a rule that is still open. What is said of a malformed
// expression is part of what a server answers, so none of this is a matter of taste.
#pragma once

#include "cel/syntax/grammar.h"
#include "cel/syntax/lexer.h"
#include "cel/syntax/source.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

struct SyntaxNode;

// A word or a part of a rule.
struct SyntaxChild {
  Label label = Label::None;
  const SyntaxNode* node = nullptr;  // null of a word
  std::string_view text;             // of a word
  Token token = Token::End;
  std::size_t at = 0;
};

struct SyntaxNode {
  Production rule = Production::Start;
  int alternative = 0;  // grammar.h; 0 before the rule knew which
  std::size_t at = 0;   // of its first word
  std::vector<SyntaxChild> children;

  // The first with that label, if it came that far.
  const SyntaxChild* find(Label label) const;
};

struct SyntaxTree {
  std::deque<SyntaxNode> nodes;      // all that there are
  const SyntaxNode* root = nullptr;  // null when reading was given up
};

// `depth_max`: how often a rule may be open at a time.
SyntaxTree recognize(std::string_view expression, std::size_t depth_max, Issues& issues);

}  // namespace fixpoint::cel
