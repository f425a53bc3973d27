// SPDX-License-Identifier: Apache-2.0
//
// The grammar of expressions as a network of states: what may come where.
//
// Kubernetes' CEL is read by a parser that a generator made of such a network. What that parser
// says of a malformed expression, and where it goes on after it, follows from the network and from
// general rules about any network, so the grammar is data here and those rules are code of their
// own: lookahead.h foresees, recognizer.h reads and recovers.
#pragma once

#include "cel/syntax/token_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fixpoint::cel {

enum class Production : std::uint8_t {
  Start,
  Expression,
  Disjunction,
  Conjunction,
  Relation,
  Calculation,
  Unary,
  Member,
  Primary,
  Arguments,
  Elements,
  Fields,
  FieldName,
  Entries,
  Name,
  OptionalExpression,
  Constant,
};
inline constexpr std::size_t kProductions = 17;

// What a word or a part is to the rule that it stands in.
enum class Label : std::uint8_t {
  None,
  Operand,   // the first or only one
  Other,     // the right one, or what a condition picks when it holds
  Else,      // what it picks otherwise
  Sign,      // of an operator, or what opens a list, a map or an index
  Optional,  // a question mark
  Dot,       // in front of a name
  Id,
  Open,
  Arguments,
  Key,
  Colon,
  Value,
};

// The alternatives of rules that have several, as the tree notes them; 0 is none.
namespace alternative {
inline constexpr int kMember = 1;
inline constexpr int kNot = 2;
inline constexpr int kMinus = 3;
inline constexpr int kSelect = 1;
inline constexpr int kMethod = 2;
inline constexpr int kIndex = 3;
inline constexpr int kIdent = 1;
inline constexpr int kCall = 2;
inline constexpr int kNested = 3;
inline constexpr int kList = 4;
inline constexpr int kMap = 5;
inline constexpr int kMessage = 6;
inline constexpr int kConstant = 7;
inline constexpr int kSimpleName = 1;
inline constexpr int kQuotedName = 2;
}  // namespace alternative

enum class StateKind : std::uint8_t {
  Plain,
  Block,      // the start of alternatives, or of what may be missing
  PlusBlock,  // the start of what comes once or more
  BlockEnd,
  StarEntry,
  StarBack,
  PlusBack,
  Stop,  // of a rule
};

enum class EdgeKind : std::uint8_t { Empty, Word, Call, Precedence };

struct Edge {
  EdgeKind kind = EdgeKind::Empty;
  int target = 0;
  Tokens words;                         // Word
  Label label = Label::None;            // Word, Call
  Production rule = Production::Start;  // Call
  int precedence = 0;                   // Call: of the rule; Precedence: what it may be at most
  int follow = 0;                       // Call: where it goes on
  bool outermost_precedence = false;    // from a Stop: back to a call that is no operand's
};

struct State {
  StateKind kind = StateKind::Plain;
  Production rule = Production::Start;
  std::vector<Edge> edges;
  bool decision = false;
  bool one_word = false;   // the next word alone decides
  bool outer = false;      // its alternative is the rule's
  bool recursive = false;  // of the loop that a left-recursive rule is
};

// What may come next from a state; `end` when its rule may end there too.
struct Next {
  Tokens words;
  bool end = false;
};

class Grammar {
 public:
  static const Grammar& get();

  const State& state(int number) const { return states_[static_cast<std::size_t>(number)]; }
  int start_of(Production rule) const { return starts_[static_cast<std::size_t>(rule)]; }
  int size() const { return static_cast<int>(states_.size()); }
  // Within the state's own rule.
  const Next& next(int number) const { return next_[static_cast<std::size_t>(number)]; }

 private:
  friend class GrammarBuilder;
  std::vector<State> states_;
  std::vector<Next> next_;
  std::array<int, kProductions> starts_{};
  std::array<int, kProductions> stops_{};
};

}  // namespace fixpoint::cel
