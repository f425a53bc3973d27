// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/grammar.h"

#include <initializer_list>
#include <utility>

namespace fixpoint::cel {

class GrammarBuilder {
 public:
  Grammar build() {
    for (std::size_t i = 0; i < kProductions; ++i) {
      rule_ = static_cast<Production>(i);
      grammar_.starts_[i] = add(StateKind::Plain);
      grammar_.stops_[i] = add(StateKind::Stop);
    }
    expressions();
    operands();
    primary();
    lists();
    constants();
    shorten_tails();
    return_edges();
    for (int i = 0; i < grammar_.size(); ++i) {
      Next next;
      std::vector<bool> seen(grammar_.states_.size());
      collect(i, next, seen);
      grammar_.next_.push_back(next);
    }
    return std::move(grammar_);
  }

 private:
  // A piece of a rule: where it begins and ends.
  struct Part {
    int first;
    int last;
  };
  using Parts = std::initializer_list<Part>;
  enum class Lookahead : std::uint8_t { OneWord, More };

  int add(StateKind kind) {
    grammar_.states_.push_back({.kind = kind, .rule = rule_, .edges = {}});
    return grammar_.size() - 1;
  }
  State& at(int number) { return grammar_.states_[static_cast<std::size_t>(number)]; }
  void link(int from, int to) { at(from).edges.push_back({.target = to, .words = {}}); }
  Part edge(Edge made) {
    const Part part{add(StateKind::Plain), add(StateKind::Plain)};
    made.target = part.last;
    at(part.first).edges.push_back(made);
    return part;
  }

  Part word(const Tokens& words, Label label = Label::None) {
    return edge({.kind = EdgeKind::Word, .words = words, .label = label});
  }
  Part call(Production rule, Label label = Label::Operand, int precedence = 0) {
    auto part = edge({.kind = EdgeKind::Call,
                      .words = {},
                      .label = label,
                      .rule = rule,
                      .precedence = precedence});
    at(part.first).edges[0].follow = part.last;
    at(part.first).edges[0].target = grammar_.start_of(rule);
    return part;
  }
  Part at_most(int precedence) {
    return edge({.kind = EdgeKind::Precedence, .words = {}, .precedence = precedence});
  }
  Part all(Parts parts) {
    const Part* before = nullptr;
    for (const auto& part : parts) {
      if (before != nullptr) link(before->last, part.first);
      before = &part;
    }
    return {parts.begin()->first, before->last};
  }
  Part block(StateKind kind, Parts alternatives, Lookahead lookahead) {
    const Part part{add(kind), add(StateKind::BlockEnd)};
    for (const auto& each : alternatives) {
      link(part.first, each.first);
      link(each.last, part.last);
    }
    at(part.first).decision = alternatives.size() > 1;
    at(part.first).one_word = lookahead == Lookahead::OneWord;
    return part;
  }
  Part maybe(Part inner) {
    const auto part = block(StateKind::Block, {inner}, Lookahead::OneWord);
    link(part.first, part.last);
    at(part.first).decision = true;
    return part;
  }
  // Any number of times; `body` begins with its own block, if it has one.
  Part any(Part body, Lookahead lookahead) {
    const Part part{add(StateKind::StarEntry), add(StateKind::Plain)};
    const auto back = add(StateKind::StarBack);
    link(part.first, body.first);
    link(part.first, part.last);
    link(body.last, back);
    link(back, part.first);
    at(part.first).decision = true;
    at(part.first).one_word = lookahead == Lookahead::OneWord;
    return part;
  }
  Part some(Part body, Lookahead lookahead) {
    const auto start = block(StateKind::PlusBlock, {body}, Lookahead::OneWord);
    const auto back = add(StateKind::PlusBack);
    const auto end = add(StateKind::Plain);
    link(start.last, back);
    link(back, start.first);
    link(back, end);
    at(back).decision = true;
    at(back).one_word = lookahead == Lookahead::OneWord;
    return {start.first, end};
  }

  void is(Production rule, Part body) {
    link(grammar_.start_of(rule), body.first);
    link(body.last, grammar_.stops_[static_cast<std::size_t>(rule)]);
  }
  void is_one_of(Production rule, Parts alternatives, Lookahead lookahead) {
    const auto part = block(StateKind::Block, alternatives, lookahead);
    at(part.first).outer = true;
    is(rule, part);
  }
  // first, or the rule itself followed by one of these.
  void is_left_recursive(Production rule, Part first, Parts alternatives) {
    const auto body = block(StateKind::Block, alternatives, Lookahead::More);
    at(body.first).recursive = true;
    const auto loop = any(body, Lookahead::More);
    at(loop.first).recursive = true;
    is(rule, all({first, loop}));
  }

  void expressions() {
    rule_ = Production::Start;
    is(Production::Start, all({call(Production::Expression), word({Token::End})}));
    rule_ = Production::Expression;
    is(Production::Expression,
       all({call(Production::Disjunction),
            maybe(all({word({Token::Question}, Label::Sign),
                       call(Production::Disjunction, Label::Other), word({Token::Colon}),
                       call(Production::Expression, Label::Else)}))}));
    rule_ = Production::Disjunction;
    is(Production::Disjunction,
       all({call(Production::Conjunction),
            any(all({word({Token::Or}, Label::Sign), call(Production::Conjunction, Label::Other)}),
                Lookahead::OneWord)}));
    rule_ = Production::Conjunction;
    is(Production::Conjunction,
       all({call(Production::Relation),
            any(all({word({Token::And}, Label::Sign), call(Production::Relation, Label::Other)}),
                Lookahead::OneWord)}));
  }

  void operands() {
    rule_ = Production::Relation;
    is_left_recursive(Production::Relation, call(Production::Calculation),
                      {all({at_most(1),
                            word({Token::Equals, Token::NotEquals, Token::In, Token::Less,
                                  Token::LessEquals, Token::Greater, Token::GreaterEquals},
                                 Label::Sign),
                            call(Production::Relation, Label::Other, 2)})});
    rule_ = Production::Calculation;
    is_left_recursive(
        Production::Calculation, call(Production::Unary),
        {all({at_most(2), word({Token::Star, Token::Slash, Token::Percent}, Label::Sign),
              call(Production::Calculation, Label::Other, 3)}),
         all({at_most(1), word({Token::Plus, Token::Minus}, Label::Sign),
              call(Production::Calculation, Label::Other, 2)})});
    rule_ = Production::Unary;
    is_one_of(
        Production::Unary,
        {call(Production::Member),
         all({some(word({Token::Exclamation}, Label::Sign), Lookahead::OneWord),
              call(Production::Member)}),
         all({some(word({Token::Minus}, Label::Sign), Lookahead::More), call(Production::Member)})},
        Lookahead::More);
    rule_ = Production::Member;
    is_left_recursive(
        Production::Member, call(Production::Primary),
        {all({at_most(3), word({Token::Dot}, Label::Sign),
              maybe(word({Token::Question}, Label::Optional)), call(Production::Name, Label::Id)}),
         all({at_most(2), word({Token::Dot}, Label::Sign), word({Token::Identifier}, Label::Id),
              word({Token::OpenParen}, Label::Open),
              maybe(call(Production::Arguments, Label::Arguments)), word({Token::CloseParen})}),
         all({at_most(1), word({Token::OpenBracket}, Label::Sign),
              maybe(word({Token::Question}, Label::Optional)),
              call(Production::Expression, Label::Other), word({Token::CloseBracket})})});
  }

  Part leading_dot() { return maybe(word({Token::Dot}, Label::Dot)); }
  Part trailing_comma() { return maybe(word({Token::Comma})); }

  void primary() {
    rule_ = Production::Primary;
    is_one_of(
        Production::Primary,
        {all({leading_dot(), word({Token::Identifier}, Label::Id)}),
         all({leading_dot(), word({Token::Identifier}, Label::Id),
              word({Token::OpenParen}, Label::Open),
              maybe(call(Production::Arguments, Label::Arguments)), word({Token::CloseParen})}),
         all({word({Token::OpenParen}), call(Production::Expression), word({Token::CloseParen})}),
         all({word({Token::OpenBracket}, Label::Sign),
              maybe(call(Production::Elements, Label::Arguments)), trailing_comma(),
              word({Token::CloseBracket})}),
         all({word({Token::OpenBrace}, Label::Sign),
              maybe(call(Production::Entries, Label::Arguments)), trailing_comma(),
              word({Token::CloseBrace})}),
         all({leading_dot(), word({Token::Identifier}, Label::Id),
              any(all({word({Token::Dot}), word({Token::Identifier}, Label::Id)}),
                  Lookahead::OneWord),
              word({Token::OpenBrace}, Label::Sign),
              maybe(call(Production::Fields, Label::Arguments)), trailing_comma(),
              word({Token::CloseBrace})}),
         call(Production::Constant)},
        Lookahead::More);
  }

  Part field() {
    return all({call(Production::FieldName, Label::Key), word({Token::Colon}, Label::Colon),
                call(Production::Expression, Label::Value)});
  }
  Part entry() {
    return all({call(Production::OptionalExpression, Label::Key),
                word({Token::Colon}, Label::Colon), call(Production::Expression, Label::Value)});
  }

  void lists() {
    rule_ = Production::Arguments;
    is(Production::Arguments,
       all({call(Production::Expression, Label::Value),
            any(all({word({Token::Comma}), call(Production::Expression, Label::Value)}),
                Lookahead::OneWord)}));
    rule_ = Production::Elements;
    is(Production::Elements,
       all({call(Production::OptionalExpression, Label::Value),
            any(all({word({Token::Comma}), call(Production::OptionalExpression, Label::Value)}),
                Lookahead::More)}));
    rule_ = Production::Fields;
    is(Production::Fields,
       all({field(), any(all({word({Token::Comma}), field()}), Lookahead::More)}));
    rule_ = Production::FieldName;
    is(Production::FieldName,
       all({maybe(word({Token::Question}, Label::Optional)), call(Production::Name, Label::Id)}));
    rule_ = Production::Entries;
    is(Production::Entries,
       all({entry(), any(all({word({Token::Comma}), entry()}), Lookahead::More)}));
    rule_ = Production::Name;
    is_one_of(Production::Name,
              {word({Token::Identifier}, Label::Id), word({Token::QuotedIdentifier}, Label::Id)},
              Lookahead::OneWord);
    rule_ = Production::OptionalExpression;
    is(Production::OptionalExpression,
       all({maybe(word({Token::Question}, Label::Optional)), call(Production::Expression)}));
  }

  Part signed_number(Token token) {
    return all({maybe(word({Token::Minus}, Label::Sign)), word({token}, Label::Value)});
  }
  void constants() {
    rule_ = Production::Constant;
    is_one_of(Production::Constant,
              {signed_number(Token::Int), word({Token::Uint}, Label::Value),
               signed_number(Token::Float), word({Token::String}, Label::Value),
               word({Token::Bytes}, Label::Value), word({Token::True}, Label::Value),
               word({Token::False}, Label::Value), word({Token::Null}, Label::Value)},
              Lookahead::More);
  }

  // What ends an alternative or a round of a loop goes on right behind it: calls from the ends of
  // several alternatives then return to one state, and cannot be told apart.
  void shorten_tails() {
    for (int i = 0; i < grammar_.size(); ++i) {
      auto& state = at(i);
      if (state.kind != StateKind::Plain || state.edges.size() != 1) continue;
      auto& edge = state.edges[0];
      auto& after = edge.kind == EdgeKind::Call ? edge.follow : edge.target;
      const auto& tail = at(after);
      if (tail.kind != StateKind::Plain || tail.edges.size() != 1 ||
          tail.edges[0].kind != EdgeKind::Empty) {
        continue;
      }
      const auto end = tail.edges[0].target;
      if (at(end).kind == StateKind::BlockEnd || at(end).kind == StateKind::StarBack) after = end;
    }
  }

  // Without knowing who called, the end of a rule goes on wherever it may have been called.
  void return_edges() {
    for (int i = 0; i < grammar_.size(); ++i) {
      for (const auto& each : at(i).edges) {
        if (each.kind != EdgeKind::Call) continue;
        const bool loops = each.rule == Production::Relation ||
                           each.rule == Production::Calculation || each.rule == Production::Member;
        at(grammar_.stops_[static_cast<std::size_t>(each.rule)])
            .edges.push_back({.target = each.follow,
                              .words = {},
                              .outermost_precedence = loops && each.precedence == 0});
      }
    }
  }

  void collect(int number, Next& next, std::vector<bool>& seen) {
    if (seen[static_cast<std::size_t>(number)]) return;
    seen[static_cast<std::size_t>(number)] = true;
    if (at(number).kind == StateKind::Stop) {
      // Of a rule that was entered from here: no rule is empty, so it is this state's own.
      next.end = true;
      return;
    }
    for (const auto& each : at(number).edges) {
      if (each.kind == EdgeKind::Word) {
        next.words = next.words | each.words;
      } else {
        collect(each.target, next, seen);
      }
    }
  }

  Grammar grammar_;
  Production rule_ = Production::Start;
};

const Grammar& Grammar::get() {
  static const Grammar kGrammar = GrammarBuilder{}.build();
  return kGrammar;
}

}  // namespace fixpoint::cel
