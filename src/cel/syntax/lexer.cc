// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/lexer.h"

#include "base/ascii.h"
#include "cel/evaluation/value.h"
#include "kube/go/text.h"

#include <array>
#include <optional>

namespace fixpoint::cel {
namespace {

struct Sign {
  std::string_view text;
  Token token;
};

// Longer ones first.
constexpr std::array<Sign, 24> kSigns{
    {{"==", Token::Equals},        {"!=", Token::NotEquals}, {"<=", Token::LessEquals},
     {">=", Token::GreaterEquals}, {"&&", Token::And},       {"||", Token::Or},
     {"<", Token::Less},           {">", Token::Greater},    {"[", Token::OpenBracket},
     {"]", Token::CloseBracket},   {"{", Token::OpenBrace},  {"}", Token::CloseBrace},
     {"(", Token::OpenParen},      {")", Token::CloseParen}, {".", Token::Dot},
     {",", Token::Comma},          {"-", Token::Minus},      {"!", Token::Exclamation},
     {"?", Token::Question},       {":", Token::Colon},      {"+", Token::Plus},
     {"*", Token::Star},           {"/", Token::Slash},      {"%", Token::Percent}}
};

constexpr bool is_letter_or_underscore(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// One attempt at a word: how long it is, or how far one came before nothing fitted any more.
struct Attempt {
  std::size_t length = 0;  // 0: no word
  std::size_t failed = 0;
};

std::size_t run(std::string_view text, std::size_t from, bool (*wanted)(char)) {
  while (from < text.size() && wanted(text[from])) ++from;
  return from;
}

// The end of an escape that begins at `from`, or where it goes wrong.
Attempt escape(std::string_view text, std::size_t from) {
  const auto digits = [&](std::size_t begin, std::size_t count, bool (*wanted)(char)) -> Attempt {
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (i >= text.size() || !wanted(text[i])) return {0, i};
    }
    return {begin + count, 0};
  };
  if (from + 1 >= text.size()) return {0, from + 1};
  const char c = text[from + 1];
  if (std::string_view{"abfnrtv\"'\\?`"}.contains(c)) return {from + 2, 0};
  if (c == 'x' || c == 'X') return digits(from + 2, 2, is_hex);
  if (c == 'u') return digits(from + 2, 4, is_hex);
  if (c == 'U') return digits(from + 2, 8, is_hex);
  if (c >= '0' && c <= '3') {
    return digits(from + 2, 2, [](char d) { return d >= '0' && d <= '7'; });
  }
  return {0, from + 1};
}

// A quoted string that begins at `from`; `raw` ones have no escapes.
Attempt quoted(std::string_view text, std::size_t from, bool raw) {
  const char quote = text[from];
  const std::string_view triple = quote == '"' ? R"(""")" : "'''";
  const bool is_triple = text.substr(from).starts_with(triple);
  std::size_t i = from + (is_triple ? 3 : 1);
  while (i < text.size()) {
    if (is_triple ? text.substr(i).starts_with(triple) : text[i] == quote) {
      return {i + (is_triple ? 3 : 1), 0};
    }
    if (!is_triple && (text[i] == '\n' || text[i] == '\r')) return {0, i};
    if (!raw && text[i] == '\\') {
      const auto end = escape(text, i);
      if (end.length == 0) return end;
      i = end.length;
      continue;
    }
    ++i;
  }
  return {0, i};
}

Attempt string_at(std::string_view text, std::size_t from, bool raw) {
  const auto found = quoted(text, from, raw);
  // Two quotes are an empty string when no third pair follows.
  if (found.length == 0 && text.size() > from + 1 && text[from + 1] == text[from]) {
    return {from + 2, 0};
  }
  return found;
}

std::optional<Lexeme> string_word(std::string_view text, std::size_t& failed) {
  std::size_t quote = 0;
  const bool bytes = text[0] == 'b' || text[0] == 'B';
  if (bytes) ++quote;
  const bool raw = quote < text.size() && (text[quote] == 'r' || text[quote] == 'R');
  if (raw) ++quote;
  if (quote >= text.size() || (text[quote] != '"' && text[quote] != '\'')) return std::nullopt;
  const auto found = string_at(text, quote, raw);
  if (found.length > 0) {
    return Lexeme{bytes ? Token::Bytes : Token::String, text.substr(0, found.length)};
  }
  if (quote == 0) failed = found.failed;
  return std::nullopt;
}

std::optional<Lexeme> number_word(std::string_view text) {
  const bool point_first = text[0] == '.' && text.size() > 1 && is_digit(text[1]);
  if (!is_digit(text[0]) && !point_first) return std::nullopt;
  if (text.starts_with("0x")) {
    const auto end = run(text, 2, is_hex);
    if (end > 2) {
      const bool unsign = end < text.size() && (text[end] == 'u' || text[end] == 'U');
      return Lexeme{unsign ? Token::Uint : Token::Int, text.substr(0, end + (unsign ? 1 : 0))};
    }
  }
  auto end = run(text, 0, is_digit);
  bool real = false;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    real = true;
    end = run(text, end + 1, is_digit);
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    auto digits = end + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const auto stop = run(text, digits, is_digit);
    if (stop > digits) {
      real = true;
      end = stop;
    }
  }
  if (real) return Lexeme{Token::Float, text.substr(0, end)};
  if (end < text.size() && (text[end] == 'u' || text[end] == 'U')) {
    return Lexeme{Token::Uint, text.substr(0, end + 1)};
  }
  return Lexeme{Token::Int, text.substr(0, end)};
}

std::optional<Lexeme> name_word(std::string_view text, std::size_t& failed) {
  if (text[0] == '`') {
    const auto end = run(text, 1, [](char c) {
      return is_letter_or_underscore(c) || is_digit(c) || std::string_view{".-/ "}.contains(c);
    });
    if (end > 1 && end < text.size() && text[end] == '`') {
      return Lexeme{Token::QuotedIdentifier, text.substr(0, end + 1)};
    }
    failed = end;
    return std::nullopt;
  }
  if (!is_letter_or_underscore(text[0])) return std::nullopt;
  const auto word = text.substr(
      0, run(text, 0, [](char c) { return is_letter_or_underscore(c) || is_digit(c); }));
  if (word == "in") return Lexeme{Token::In, word};
  if (word == "true") return Lexeme{Token::True, word};
  if (word == "false") return Lexeme{Token::False, word};
  if (word == "null") return Lexeme{Token::Null, word};
  return Lexeme{Token::Identifier, word};
}

std::optional<Lexeme> sign_word(std::string_view text, std::size_t& failed) {
  for (const auto& sign : kSigns) {
    if (text.starts_with(sign.text)) return Lexeme{sign.token, text.substr(0, sign.text.size())};
  }
  // Half of a sign: the next character is what does not fit.
  if (std::string_view{"=&|"}.contains(text[0])) failed = 1;
  return std::nullopt;
}

// Bytes of space or comment in front of the text.
std::size_t hidden(std::string_view text) {
  if (text.starts_with("//")) return std::min(text.find('\n'), text.size());
  return run(text, 0, [](char c) { return std::string_view{"\t \r\n\f"}.contains(c); });
}

}  // namespace

Lexed lex(std::string_view expression) {
  Lexed out;
  std::size_t byte = 0;
  std::size_t at = 0;
  const auto advance = [&](std::size_t bytes) {
    at += code_points(expression.substr(byte, bytes));
    byte += bytes;
  };
  while (byte < expression.size()) {
    const auto rest = expression.substr(byte);
    if (const auto space = hidden(rest); space > 0) {
      advance(space);
      continue;
    }
    std::size_t failed = 0;
    auto found = string_word(rest, failed);
    if (!found && failed == 0) found = number_word(rest);
    if (!found && failed == 0) found = name_word(rest, failed);
    if (!found && failed == 0) found = sign_word(rest, failed);
    if (found) {
      found->byte = byte;
      found->at = at;
      out.words.push_back(*found);
      advance(found->text.size());
      continue;
    }
    // The character that did not fit is skipped with what led to it.
    auto length = failed;
    if (failed < rest.size()) length += kube::first_code_point(rest.substr(failed)).bytes;
    out.skipped.push_back({rest.substr(0, length), byte, at, out.words.size()});
    advance(length);
  }
  out.words.push_back({Token::End, {}, expression.size(), at});
  return out;
}

std::string_view token_name(Token token) {
  constexpr std::array<std::string_view, 36> kNames{
      "'=='",      "'!='",    "'in'",     "'<'",    "'<='",   "'>='",       "'>'",
      "'&&'",      "'||'",    "'['",      "']'",    "'{'",    "'}'",        "'('",
      "')'",       "'.'",     "','",      "'-'",    "'!'",    "'?'",        "':'",
      "'+'",       "'*'",     "'/'",      "'%'",    "'true'", "'false'",    "'null'",
      "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES",  "IDENTIFIER", "ESC_IDENTIFIER",
      "<EOF>"};
  return kNames[static_cast<std::size_t>(token)];
}

}  // namespace fixpoint::cel
