// SPDX-License-Identifier: Apache-2.0
//
// A hand-written scanner and a recursive-descent parser over it, as the grammar is tiny; the
// messages depend on where exactly a real server notices, so the steps follow its order.
#include "kube/selectors/label_selector_parser.h"

#include "json/print.h"
#include "kube/go/text.h"
#include "kube/meta/names.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace fixpoint::kube {
namespace {

using Operator = LabelRequirement::Operator;

enum class TokenKind : std::uint8_t {
  Broken,
  End,
  Close,
  Comma,
  Not,
  DoubleEquals,
  Equals,
  Greater,
  Identifier,
  In,
  Less,
  NotEquals,
  NotIn,
  Open,
};

struct Token {
  TokenKind kind;
  std::string text;
};

bool special(char c) {
  return std::string_view{"=!(),><"}.find(c) != std::string_view::npos;
}
bool space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::optional<TokenKind> symbol(std::string_view text) {
  if (text == ")") return TokenKind::Close;
  if (text == ",") return TokenKind::Comma;
  if (text == "!") return TokenKind::Not;
  if (text == "==") return TokenKind::DoubleEquals;
  if (text == "=") return TokenKind::Equals;
  if (text == ">") return TokenKind::Greater;
  if (text == "<") return TokenKind::Less;
  if (text == "!=") return TokenKind::NotEquals;
  if (text == "(") return TokenKind::Open;
  return std::nullopt;
}

class Scanner {
 public:
  // A NUL ends the text for a real server too.
  explicit Scanner(std::string_view text) : rest_(text.substr(0, text.find('\0'))) {}

  Token next() {
    while (!rest_.empty() && space(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) return {TokenKind::End, ""};
    return special(rest_.front()) ? next_symbol() : next_word();
  }

 private:
  // Every special character is a symbol by itself; "==" and "!=" are the only longer ones.
  Token next_symbol() {
    const bool two = rest_.size() > 1 && symbol(rest_.substr(0, 2)).has_value();
    const auto text = rest_.substr(0, two ? 2 : 1);
    rest_.remove_prefix(text.size());
    return {*symbol(text), std::string{text}};
  }

  Token next_word() {
    std::size_t size = 0;
    while (size < rest_.size() && !special(rest_[size]) && !space(rest_[size])) ++size;
    const auto text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    const auto kind = text == "in"      ? TokenKind::In
                      : text == "notin" ? TokenKind::NotIn
                                        : TokenKind::Identifier;
    return {kind, std::string{text}};
  }

  std::string_view rest_;
};

std::string shown_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    json::print_string(value, text);
  }
  return text + "]";
}

void note_count(const LabelRequirement& requirement, const FieldPath& path, FieldErrors& errors) {
  const auto count = requirement.values.size();
  const auto wrong = [&](std::string detail) {
    errors.push_back(invalid(path, shown_list(requirement.values), std::move(detail)));
  };
  switch (requirement.op) {
    case Operator::In:
    case Operator::NotIn:
      if (count == 0) wrong("for 'in', 'notin' operators, values set can't be empty");
      break;
    case Operator::Equals:
    case Operator::DoubleEquals:
    case Operator::NotEquals:
      if (count != 1) wrong("exact-match compatibility requires one single value");
      break;
    case Operator::Exists:
    case Operator::DoesNotExist:
      if (count != 0) wrong("values set must be empty for exists and does not exist");
      break;
    case Operator::GreaterThan:
    case Operator::LessThan:
      if (count != 1) wrong("for 'Gt', 'Lt' operators, exactly one value is required");
      for (std::size_t i = 0; i < count; ++i) {
        if (label_integer(requirement.values[i])) continue;
        errors.push_back(invalid(path.index(i), shown(requirement.values[i]),
                                 "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
  }
}

std::unexpected<Error> unexpected_token(const Token& token, std::string_view expected) {
  return fail(ErrorKind::Invalid, "found '" + token.text + "'" + std::string{expected});
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) {
    Scanner scanner{text};
    do {
      tokens_.push_back(scanner.next());
    } while (tokens_.back().kind != TokenKind::End);
  }

  Result<std::vector<LabelRequirement>> parse() {
    std::vector<LabelRequirement> requirements;
    if (kind() == TokenKind::End) return requirements;
    if (!starts_requirement()) {
      return unexpected_token(peek(), ", expected: !, identifier, or 'end of string'");
    }
    while (true) {
      auto requirement = parse_requirement();
      if (!requirement) return fail_in("unable to parse requirement", requirement.error());
      requirements.push_back(*std::move(requirement));
      const Token& token = take();
      if (token.kind == TokenKind::End) return requirements;
      if (token.kind != TokenKind::Comma) {
        return unexpected_token(token, ", expected: ',' or 'end of string'");
      }
      if (!starts_requirement()) {
        return unexpected_token(peek(), ", expected: identifier after ','");
      }
    }
  }

 private:
  using Values = std::set<std::string>;

  const Token& peek() const { return tokens_[at_]; }
  // Keywords are ordinary words where a name or value stands.
  TokenKind kind() const {
    const auto raw = peek().kind;
    return raw == TokenKind::In || raw == TokenKind::NotIn ? TokenKind::Identifier : raw;
  }
  // The End token stays: asking past it gives it again.
  const Token& take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
  bool starts_requirement() const {
    return kind() == TokenKind::Identifier || kind() == TokenKind::Not;
  }

  Result<LabelRequirement> parse_requirement() {
    LabelRequirement requirement;
    const bool absent = kind() == TokenKind::Not;
    if (absent) take();
    if (kind() != TokenKind::Identifier) {
      return unexpected_token(take(), ", expected: identifier");
    }
    requirement.key = take().text;
    if (const auto problems = qualified_name_problems(requirement.key); !problems.empty()) {
      return fail(ErrorKind::Invalid,
                  invalid(FieldPath{}, shown(requirement.key), joined(problems, "; ")).to_string());
    }
    if (absent || kind() == TokenKind::End || kind() == TokenKind::Comma) {
      requirement.op = absent ? Operator::DoesNotExist : Operator::Exists;
      return checked_requirement(std::move(requirement));
    }
    FP_TRY(op, parse_operator());
    requirement.op = op;
    const bool set = op == Operator::In || op == Operator::NotIn;
    FP_TRY(values, set ? parse_values() : parse_exact_value());
    requirement.values.assign(values.begin(), values.end());
    return checked_requirement(std::move(requirement));
  }

  Result<Operator> parse_operator() {
    const Token& token = take();
    switch (token.kind) {
      case TokenKind::In: return Operator::In;
      case TokenKind::NotIn: return Operator::NotIn;
      case TokenKind::Equals: return Operator::Equals;
      case TokenKind::DoubleEquals: return Operator::DoubleEquals;
      case TokenKind::NotEquals: return Operator::NotEquals;
      case TokenKind::Greater: return Operator::GreaterThan;
      case TokenKind::Less: return Operator::LessThan;
      default: return unexpected_token(token, ", expected: in, notin, =, ==, !=, gt, lt");
    }
  }

  Result<Values> parse_values() {
    if (const Token& open = take(); open.kind != TokenKind::Open) {
      return unexpected_token(open, " expected: '('");
    }
    if (kind() == TokenKind::Close) {
      take();
      return Values{""};
    }
    if (kind() != TokenKind::Identifier && kind() != TokenKind::Comma) {
      return unexpected_token(peek(), ", expected: ',', ')' or identifier");
    }
    FP_TRY(values, parse_list());
    take();  // parse_list ends in front of the closing parenthesis
    return values;
  }

  // Commas may lead, trail and stand side by side: each gap is the empty value.
  Result<Values> parse_list() {
    Values values;
    while (true) {
      if (kind() == TokenKind::Identifier) {
        values.insert(take().text);
        if (kind() == TokenKind::Close) return values;
        if (kind() != TokenKind::Comma) {
          return unexpected_token(peek(), ", expected: ',' or ')'");
        }
      } else if (kind() == TokenKind::Comma) {
        take();
        if (values.empty()) values.insert("");
        if (kind() == TokenKind::Close) {
          values.insert("");
          return values;
        }
        if (kind() == TokenKind::Comma) {
          take();
          values.insert("");
        }
      } else {
        return unexpected_token(take(), ", expected: ',', or identifier");
      }
    }
  }

  Result<Values> parse_exact_value() {
    if (kind() == TokenKind::End || kind() == TokenKind::Comma) return Values{""};
    if (kind() != TokenKind::Identifier) {
      return unexpected_token(take(), ", expected: identifier");
    }
    return Values{take().text};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> label_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The errors of one requirement in the order a real server finds them, as one text.
Result<LabelRequirement> checked_requirement(LabelRequirement requirement) {
  const FieldPath root;
  const FieldPath values = root.child("values");
  FieldErrors errors;
  if (const auto problems = qualified_name_problems(requirement.key); !problems.empty()) {
    errors.push_back(invalid(root.child("key"), shown(requirement.key), joined(problems, "; ")));
  }
  note_count(requirement, values, errors);
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const auto problems = label_value_problems(requirement.values[i]);
    if (problems.empty()) continue;
    const FieldPath at = values.index(i);
    errors.push_back(
        invalid(at.key(requirement.key), shown(requirement.values[i]), joined(problems, "; ")));
  }
  if (errors.empty()) return requirement;
  std::vector<std::string> texts;
  for (const auto& error : errors) {
    if (auto text = error.to_string(); std::ranges::find(texts, text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  return fail(ErrorKind::Invalid,
              texts.size() == 1 ? texts.front() : "[" + joined(texts, ", ") + "]");
}

Result<std::vector<LabelRequirement>> parse_label_requirements(std::string_view text) {
  return SelectorParser{text}.parse();
}

}  // namespace fixpoint::kube
