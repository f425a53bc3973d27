// SPDX-License-Identifier: Apache-2.0
#include "cel/parser.h"

#include "cel/lexer.h"
#include "cel/literal.h"
#include "cel/macros.h"
#include "cel/token_set.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    auto lexed = lex(text, issues_);
    words_ = std::move(lexed.words);
    skipped_ = std::move(lexed.skipped);
  }

  Parsed run() {
    follow_.push_back({Token::End});
    auto root = expression();
    if (!too_deep_ && here().token != Token::End) {
      if (next().token == Token::End) {
        unwanted({Token::End});
      } else {
        mismatched({Token::End});
      }
    }
    if (too_deep_) {
      issues_.push_back(
          {kNowhere, fmt::format("expression recursion limit exceeded: {}", kExpressionDepthMax)});
    } else if (chained_too_far_) {
      issues_.push_back({kNowhere, "max recursion depth exceeded"});
    }
    return {std::move(root), std::move(issues_), make_.made()};
  }

 private:
  // The rules of the grammar that are entered more than once at one place: each has its own depth.
  enum class Rule : std::uint8_t { Expression, Relation, Calculation };
  static constexpr std::size_t kRules = 3;

  // Counts nesting for as long as it lives; `ok()` is false beyond the limit.
  class Level {
   public:
    Level(Parser& parser, Rule rule)
        : parser_(parser), depth_(parser.depths_[static_cast<std::size_t>(rule)]) {
      if (++depth_ > kExpressionDepthMax) parser_.too_deep_ = true;
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool ok() const { return !parser_.too_deep_; }

   private:
    Parser& parser_;
    std::size_t& depth_;
  };

  static std::uint32_t tallest(const ExprPtr& target, const std::vector<ExprPtr>& args) {
    std::uint32_t height = target ? target->height : 0;
    for (const auto& arg : args) height = std::max(height, arg->height);
    return height;
  }
  static std::uint32_t tallest(const Expr& expr) {
    auto height = tallest(expr.target, expr.args);
    for (const auto& field : expr.fields) {
      height = std::max({height, field.key ? field.key->height : 0, field.value->height});
    }
    return height;
  }
  // A node that only holds others.
  static ExprPtr holding(ExprPtr made) {
    made->height = tallest(*made);
    return made;
  }
  // An operator, a field, an element or a method: a link on top of `below` others. A real server
  // notices too many once it has read everything. They are dropped, so that no tree is too deep.
  ExprPtr linked(ExprPtr made, std::uint32_t below) {
    made->height = below + 1;
    if (made->height <= kExpressionDepthMax) return made;
    chained_too_far_ = true;
    made = nothing();
    made->height = kExpressionDepthMax;
    return made;
  }
  ExprPtr linked(ExprPtr made) {
    const auto below = tallest(*made);
    return linked(std::move(made), below);
  }

  const Lexeme& here() const { return words_[at_]; }
  const Lexeme& next() const { return words_[std::min(at_ + 1, words_.size() - 1)]; }
  bool is(Token token) const { return here().token == token; }
  const Lexeme& take() {
    const auto& word = here();
    if (at_ + 1 < words_.size()) ++at_;
    recovering_ = false;
    return word;
  }
  bool accept(Token token) {
    if (!is(token)) return false;
    take();
    return true;
  }

  void report(const Lexeme& word, const std::string& message) {
    // After a mistake nothing is reported until a word fits again, beyond the limit nothing at all.
    if (!recovering_ && !too_deep_) issues_.push_back({word.at, "Syntax error: " + message});
    recovering_ = true;
  }
  static std::string shown_word(const Lexeme& word) {
    return word.token == Token::End ? "<EOF>" : std::string{word.text};
  }
  void mismatched(const Tokens& expected) {
    report(here(),
           fmt::format("mismatched input '{}' expecting {}", shown_word(here()), expected.shown()));
    recover();
  }
  void unwanted(const Tokens& expected) {
    report(here(),
           fmt::format("extraneous input '{}' expecting {}", shown_word(here()), expected.shown()));
    if (at_ + 1 < words_.size()) ++at_;
  }
  // Skips to something that may follow what is being parsed.
  void recover() {
    auto stop = operators() | Tokens{Token::End};
    for (const auto& each : follow_) stop = stop | each;
    while (!stop.has(here().token)) ++at_;
  }
  // Whether one of the expected words comes now, after dropping one that does not belong there.
  bool ready_for(const Tokens& expected) {
    if (expected.has(here().token)) return true;
    if (expected.has(next().token) && !is(Token::End)) {
      unwanted(expected);
      return true;
    }
    mismatched(expected);
    return false;
  }
  // One word that must come; it may be missing where what follows it is there already.
  void must(Token token, const Tokens& after) {
    if (accept(token)) return;
    if (next().token == token && !is(Token::End)) {
      unwanted({token});
      take();
      return;
    }
    if (after.has(here().token)) {
      report(here(), fmt::format("missing {} at '{}'", token_name(token), shown_word(here())));
      return;
    }
    mismatched({token});
    accept(token);
  }
  Tokens after_operand() const {
    auto out = operators() | Tokens{Token::Dot, Token::OpenBracket};
    if (!follow_.empty()) out = out | follow_.back();
    return out;
  }

  ExprPtr nothing() { return make_.literal({}, here().at); }

  ExprPtr expression() {
    const Level level{*this, Rule::Expression};
    if (!level.ok()) return nothing();
    auto condition = logical(Token::Or);
    if (!is(Token::Question)) return condition;
    const auto at = take().at;
    follow_.push_back({Token::Colon});
    auto yes = logical(Token::Or);
    follow_.pop_back();
    must(Token::Colon, {});
    auto no = expression();
    return linked(
        make_.call("_?_:_", at, exprs(std::move(condition), std::move(yes), std::move(no))));
  }

  // a || b || c, or the same of &&, as a balanced tree: long chains stay shallow.
  ExprPtr logical(Token token) {
    const auto operand = [&] { return token == Token::Or ? logical(Token::And) : relation(); };
    std::vector<ExprPtr> terms;
    std::vector<std::size_t> places;
    terms.push_back(operand());
    while (is(token) && !too_deep_) {
      places.push_back(take().at);
      terms.push_back(operand());
    }
    if (places.empty()) return std::move(terms[0]);
    return balanced(token == Token::Or ? "_||_" : "_&&_", terms, places, 0, places.size() - 1);
  }

  ExprPtr balanced(std::string_view function, std::vector<ExprPtr>& terms,
                   const std::vector<std::size_t>& places, std::size_t low, std::size_t high) {
    const auto middle = (low + high + 1) / 2;
    auto left = middle == low ? std::move(terms[middle])
                              : balanced(function, terms, places, low, middle - 1);
    auto right = middle == high ? std::move(terms[middle + 1])
                                : balanced(function, terms, places, middle + 1, high);
    return holding(make_.call(function, places[middle], exprs(std::move(left), std::move(right))));
  }

  // A chain of operators of one rank, leftmost first. What stands right of one is a rule within
  // the rule.
  template <class Operand>
  ExprPtr chain(Rule rule, const Tokens& ranked, Operand operand) {
    auto left = operand();
    while (ranked.has(here().token) && !too_deep_) {
      const auto& word = take();
      const Level level{*this, rule};
      auto right = operand();
      left = linked(make_.call(operator_function(word.token), word.at,
                               exprs(std::move(left), std::move(right))));
    }
    return left;
  }

  ExprPtr relation() {
    const Level level{*this, Rule::Relation};
    if (!level.ok()) return nothing();
    return chain(Rule::Relation,
                 {Token::Equals, Token::NotEquals, Token::In, Token::Less, Token::LessEquals,
                  Token::Greater, Token::GreaterEquals},
                 [&] { return sum(); });
  }
  ExprPtr sum() {
    const Level level{*this, Rule::Calculation};
    if (!level.ok()) return nothing();
    return chain(Rule::Calculation, {Token::Plus, Token::Minus}, [&] { return product(); });
  }
  ExprPtr product() {
    return chain(Rule::Calculation, {Token::Star, Token::Slash, Token::Percent},
                 [&] { return unary(); });
  }

  ExprPtr unary() {
    if (!ready_for(operand_starts())) return nothing();
    if (is(Token::Exclamation)) return negated(Token::Exclamation, "!_");
    if (!is(Token::Minus)) return member();
    if (next().token == Token::Int || next().token == Token::Float) return member();
    return negated(Token::Minus, "-_");
  }

  ExprPtr negated(Token sign, std::string_view function) {
    const auto first = here();
    std::size_t count = 0;
    auto starts = operand_starts();
    const auto follows = [&](std::size_t at) { return words_[std::min(at, words_.size() - 1)]; };
    if (sign == Token::Minus && !starts.has(follows(at_ + 1).token)) {
      const auto& bad = follows(at_ + 1);
      report(bad, fmt::format("no viable alternative at input '{}'", between(first, bad)));
      return nothing();
    }
    while (accept(sign)) ++count;
    if (!starts.has(here().token)) {
      unwanted(starts);
      recover();
      return nothing();
    }
    auto operand = member();
    if (count % 2 == 0) return operand;
    return holding(make_.call(function, first.at, exprs(std::move(operand))));
  }

  // The text from one word to another, both included, without what is no word.
  std::string between(const Lexeme& first, const Lexeme& last) const {
    std::string out;
    for (auto at = first.byte; at < last.byte + last.text.size(); ++at) {
      const bool skipped = std::ranges::any_of(
          skipped_, [&](const auto& range) { return at >= range.first && at < range.second; });
      if (!skipped) out += text_[at];
    }
    return out;
  }

  ExprPtr member() {
    auto out = primary();
    while (!too_deep_ && (is(Token::Dot) || is(Token::OpenBracket))) {
      if (is(Token::OpenBracket)) {
        out = index(std::move(out));
      } else if (!selected(out)) {
        break;
      }
    }
    return out;
  }

  ExprPtr index(ExprPtr target) {
    const auto at = take().at;
    const bool optional = is(Token::Question);
    if (optional) take();
    ExprPtr key;
    follow_.push_back({Token::CloseBracket});
    if (optional || ready_for(operand_starts() | Tokens{Token::Question})) {
      key = expression();
    } else {
      key = nothing();
    }
    follow_.pop_back();
    must(Token::CloseBracket, after_operand());
    return linked(
        make_.call(optional ? "_[?_]" : "_[_]", at, exprs(std::move(target), std::move(key))));
  }

  // .field, .?field or .method(…); false after a mistake.
  bool selected(ExprPtr& out) {
    const auto dot = here();
    const bool optional = next().token == Token::Question;
    const auto& name = words_[std::min(at_ + (optional ? 2 : 1), words_.size() - 1)];
    if (name.token != Token::Identifier && name.token != Token::QuotedIdentifier) {
      const bool word =
          name.token == Token::True || name.token == Token::False || name.token == Token::Null;
      report(name, word && !optional
                       ? fmt::format("mismatched input '{}' expecting IDENTIFIER", name.text)
                       : fmt::format("no viable alternative at input '{}'", between(dot, name)));
      recover();
      return false;
    }
    while (here().byte != name.byte) take();
    const auto word = take();
    if (word.token == Token::QuotedIdentifier) {
      issues_.push_back({word.at, "unsupported syntax: '`'"});
    }
    if (optional) {
      out = linked(make_.call(
          "_?._", dot.at,
          exprs(std::move(out), make_.literal(Value::string(std::string{word.text}), word.at))));
    } else if (is(Token::OpenParen) && word.token == Token::Identifier) {
      out = called(word, std::move(out));
    } else {
      auto select = make_.node(ExprKind::Select, dot.at);
      select->target = std::move(out);
      select->name = word.text;
      out = linked(std::move(select));
    }
    return true;
  }

  ExprPtr called(const Lexeme& name, ExprPtr target) {
    const auto at = here().at;
    auto args = arguments();
    const bool method = target != nullptr;
    const auto below = tallest(target, args);
    MacroCall macro{name.text, at, std::move(target), std::move(args)};
    ExprPtr out;
    if (auto expanded = expand_macro(macro, make_, issues_)) {
      out = std::move(*expanded);
    } else {
      out = make_.call(name.text, at, std::move(macro.args));
      out->target = std::move(macro.target);
    }
    if (method) return linked(std::move(out), below);
    out->height = below;
    return out;
  }

  std::vector<ExprPtr> arguments() {
    take();
    std::vector<ExprPtr> out;
    follow_.push_back({Token::Comma, Token::CloseParen});
    if (!is(Token::CloseParen) && ready_for(operand_starts() | Tokens{Token::CloseParen}) &&
        !is(Token::CloseParen)) {
      do {
        out.push_back(expression());
      } while (!too_deep_ && accept(Token::Comma));
    }
    follow_.pop_back();
    must(Token::CloseParen, after_operand());
    return out;
  }

  ExprPtr primary() {
    switch (here().token) {
      case Token::Dot:
      case Token::Identifier: return named();
      case Token::OpenParen: return nested();
      case Token::OpenBracket: return list();
      case Token::OpenBrace: return map();
      default: return constant();
    }
  }

  ExprPtr nested() {
    take();
    follow_.push_back({Token::CloseParen});
    auto out = expression();
    follow_.pop_back();
    must(Token::CloseParen, after_operand());
    return out;
  }

  // How many words name a type whose fields follow in braces; 0 when none does.
  std::size_t message_words() const {
    std::size_t i = at_ + (is(Token::Dot) ? 1 : 0);
    while (i + 1 < words_.size() && words_[i].token == Token::Identifier) {
      if (words_[i + 1].token == Token::OpenBrace) return i + 1 - at_;
      if (words_[i + 1].token != Token::Dot) return 0;
      i += 2;
    }
    return 0;
  }

  ExprPtr named() {
    if (const auto words = message_words(); words > 0) return message(words);
    const auto dot = here();
    std::string prefix;
    if (accept(Token::Dot)) {
      prefix = ".";
      if (!is(Token::Identifier)) {
        report(here(), fmt::format("no viable alternative at input '{}'", between(dot, here())));
        recover();
        return nothing();
      }
    }
    const auto word = take();
    if (reserved(word.text)) {
      if (is(Token::OpenParen)) arguments();
      issues_.push_back({word.at, fmt::format("reserved identifier: {}", word.text)});
      return nothing();
    }
    if (is(Token::OpenParen)) return called(word, nullptr);
    return make_.ident(word.text, word.at);
  }

  ExprPtr message(std::size_t words) {
    std::string name;
    for (std::size_t i = 0; i < words; ++i) name += take().text;
    if (name.starts_with('.')) name.erase(0, 1);
    auto out = make_.node(ExprKind::Struct, here().at);
    out->name = std::move(name);
    take();
    follow_.push_back({Token::Comma, Token::CloseBrace});
    while (!too_deep_ && !is(Token::CloseBrace) && !is(Token::End)) {
      const bool optional = accept(Token::Question);
      if (!is(Token::Identifier)) break;
      const auto field = take();
      const auto at = here().at;
      must(Token::Colon, {});
      out->fields.push_back({nullptr, expression(), optional, at, std::string{field.text}});
      if (!accept(Token::Comma)) break;
    }
    follow_.pop_back();
    close(Token::CloseBrace, out->fields.empty());
    return holding(std::move(out));
  }

  // The end of a list or map: without a comma before it only one of two words can come.
  void close(Token token, bool empty) {
    if (accept(token)) return;
    if (empty) {
      must(token, after_operand());
      return;
    }
    if (ready_for({token, Token::Comma})) {
      accept(Token::Comma);
      accept(token);
    }
  }

  ExprPtr list() {
    auto out = make_.node(ExprKind::List, take().at);
    const auto starts = operand_starts() | Tokens{Token::Question};
    follow_.push_back({Token::Comma, Token::CloseBracket});
    bool more =
        ready_for(starts | Tokens{Token::CloseBracket, Token::Comma}) && starts.has(here().token);
    std::vector<bool> optional;
    while (more && !too_deep_) {
      optional.push_back(accept(Token::Question));
      out->args.push_back(expression());
      more = is(Token::Comma) && starts.has(next().token);
      if (more) take();
    }
    follow_.pop_back();
    accept(Token::Comma);
    if (std::ranges::find(optional, true) != optional.end()) {
      out->optional_elements = std::move(optional);
    }
    close(Token::CloseBracket, out->args.empty());
    return holding(std::move(out));
  }

  ExprPtr map() {
    auto out = make_.node(ExprKind::Map, take().at);
    const auto starts = operand_starts() | Tokens{Token::Question};
    follow_.push_back({Token::Comma, Token::CloseBrace});
    bool more =
        ready_for(starts | Tokens{Token::CloseBrace, Token::Comma}) && starts.has(here().token);
    while (more && !too_deep_) {
      const bool optional = accept(Token::Question);
      follow_.push_back({Token::Colon});
      auto key = expression();
      follow_.pop_back();
      const auto at = here().at;
      must(Token::Colon, {});
      out->fields.push_back({std::move(key), expression(), optional, at, {}});
      more = is(Token::Comma) && starts.has(next().token);
      if (more) take();
    }
    follow_.pop_back();
    accept(Token::Comma);
    close(Token::CloseBrace, out->fields.empty());
    return holding(std::move(out));
  }

  ExprPtr constant() {
    const auto first = here();
    const bool negative = is(Token::Minus);
    if (negative) take();
    if (!operand_starts().has(here().token)) {
      mismatched(operand_starts());
      return nothing();
    }
    const auto word = take();
    auto value = literal_value(word.token, word.text, negative);
    if (!value) {
      issues_.push_back({first.at, value.error()});
      return nothing();
    }
    return make_.literal(std::move(*value), first.at);
  }

  std::string_view text_;
  Issues issues_;
  std::vector<Lexeme> words_;
  std::vector<std::pair<std::size_t, std::size_t>> skipped_;
  std::size_t at_ = 0;
  ExprMaker make_;
  std::vector<Tokens> follow_;
  std::array<std::size_t, kRules> depths_{};
  bool recovering_ = false;
  bool too_deep_ = false;
  // Of links in a chain, not of nesting: a real parser notices that later, in other words.
  bool chained_too_far_ = false;
};

}  // namespace

Parsed parse(std::string_view expression) {
  if (const auto size = code_points(expression); size > kExpressionCodePointsMax) {
    Parsed out;
    out.issues.push_back({kNowhere, fmt::format("expression code point size exceeds limit: size: "
                                                "{}, limit {}",
                                                size, kExpressionCodePointsMax)});
    return out;
  }
  return Parser{expression}.run();
}

}  // namespace fixpoint::cel
