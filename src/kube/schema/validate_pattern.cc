// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_pattern.h"

#include "kube/go/text.h"

#include <cctype>

#include <fmt/format.h>
#include <re2/re2.h>

namespace fixpoint::kube {
namespace {

// What one pattern may take, program and caches; they grow with use. A repeated Unicode class needs
// a few MB, which Go's limit on the size of an expression lets through too.
constexpr std::int64_t kPatternBytesMax = 8 << 20;

std::string_view go_words(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

// Go also writes named groups as (?<name>…), which this RE2 knows only as (?P<name>…).
std::string with_python_groups(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text.substr(i).starts_with("(?<") && i + 3 < text.size() &&
               std::isalpha(static_cast<unsigned char>(text[i + 3])) != 0) {
      out += "(?P<";
      i += 2;
      continue;
    }
    out += text[i];
  }
  return out;
}

// RE2 shows only the group's beginning for an unclosed parenthesis where Go shows all of it.
std::string_view shown_part(const re2::RE2& program, std::string_view text) {
  if (program.error_code() == re2::RE2::ErrorMissingParen) return text;
  if (program.error_code() == re2::RE2::ErrorUnexpectedParen) return text;
  return program.error_arg();
}

}  // namespace

struct Pattern::Program {
  re2::RE2 compiled;
};

Pattern::Pattern(std::unique_ptr<Program> program) : program_(std::move(program)) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternBytesMax);
  auto program = std::unique_ptr<Program>(new Program{
      {with_python_groups(text), options}
  });
  const auto& compiled = program->compiled;
  if (!compiled.ok()) {
    if (compiled.error_code() == re2::RE2::ErrorTrailingBackslash) {
      return fail(ErrorKind::Invalid,
                  "error parsing regexp: trailing backslash at end of expression: ``");
    }
    return fail(ErrorKind::Invalid,
                fmt::format("error parsing regexp: {}: `{}`", go_words(compiled.error_code()),
                            shown_part(compiled, text)));
  }
  return std::shared_ptr<const Pattern>(new Pattern(std::move(program)));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch({text.data(), text.size()}, program_->compiled);
}

std::vector<std::string_view> Pattern::find_all(std::string_view text, std::int64_t count) const {
  std::vector<std::string_view> out;
  const re2::StringPiece whole{text.data(), text.size()};
  std::size_t at = 0;
  std::size_t last_end = text.size() + 1;  // no match yet
  while (at <= text.size() && (count < 0 || out.size() < static_cast<std::size_t>(count))) {
    re2::StringPiece found;
    if (!program_->compiled.Match(whole, at, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    const auto end = begin + found.size();
    // Nothing is not found again right behind a match.
    if (!found.empty() || begin != last_end) out.push_back(text.substr(begin, found.size()));
    last_end = end;
    at = found.empty() ? end + first_code_point(text.substr(end)).bytes : end;
    if (end == text.size() && found.empty()) break;
  }
  return out;
}

}  // namespace fixpoint::kube
