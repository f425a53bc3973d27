// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"
#include "kube/crd/simple_json_path.h"
#include "kube/crd/simple_json_path_steps.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using Step = SimpleJsonPath::Step;
using Steps = std::vector<Step>;

bool word(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool ends_name(char c) {
  return std::string_view{" \t\r\n.,[]$@{}"}.contains(c);
}

class PathParser {
 public:
  PathParser(std::string_view text, int nesting) : rest_(text), nesting_(nesting) {}

  Result<Steps> run() {
    if (nesting_ > kPathNestingMax) return fail(ErrorKind::Invalid, "path is nested too deeply");
    while (!rest_.empty()) FP_TRY_VOID(one());
    return std::move(steps_);
  }

 private:
  Result<void> one() {
    if (rest_.starts_with("[?(")) return filter();
    if (rest_.starts_with("..")) return recursive();
    const char c = rest_.front();
    if (c == ' ' || c == '@' || c == '$') {
      rest_.remove_prefix(1);
      return {};
    }
    if (c == '[') return brackets();
    if (c == '"' || c == '\'') return quote(c);
    if (c == '.') {
      rest_.remove_prefix(1);
      field();
      return {};
    }
    if (c == '+' || c == '-' || is_digit(c)) return number();
    if (word(c)) return identifier();
    if (c == '\n' || c == '\r') return fail(ErrorKind::Invalid, "unclosed action");
    return fail(ErrorKind::Invalid,
                fmt::format("unrecognized character in action: U+{:04X} '{}'",
                            static_cast<unsigned>(static_cast<unsigned char>(c)), c));
  }

  void push(Step::Kind kind) { steps_.emplace_back().kind = kind; }

  // Up to the next character that ends a name and is not escaped; backslashes go.
  void field() {
    std::string name;
    std::size_t at = 0;
    for (; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        if (++at < rest_.size()) name += rest_[at];
      } else if (ends_name(rest_[at])) {
        break;
      } else {
        name += rest_[at];
      }
    }
    rest_.remove_prefix(std::min(at, rest_.size()));
    if (name == "*") {
      push(Step::Kind::Wildcard);
    } else {
      push(Step::Kind::Field);
      steps_.back().name = std::move(name);
    }
  }

  Result<void> recursive() {
    if (!steps_.empty() && steps_.back().kind == Step::Kind::Recursive) {
      return fail(ErrorKind::Invalid, "invalid multiple recursive descent");
    }
    rest_.remove_prefix(2);
    push(Step::Kind::Recursive);
    if (!rest_.empty() && word(rest_.front())) field();
    return {};
  }

  void literal(json::Value value) {
    push(Step::Kind::Literal);
    steps_.back().literal = std::move(value);
  }

  Result<void> quote(char mark) {
    std::string text;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '\\' && at + 1 < rest_.size()) {
        text += rest_[++at];
      } else if (rest_[at] == mark) {
        rest_.remove_prefix(at + 1);
        literal(json::Value::string(text));
        return {};
      } else {
        text += rest_[at];
      }
    }
    return fail(ErrorKind::Invalid, "unterminated quoted string");
  }

  Result<void> number() {
    std::size_t size = rest_.front() == '+' || rest_.front() == '-' ? 1 : 0;
    while (size < rest_.size() && (rest_[size] == '.' || is_digit(rest_[size]))) ++size;
    const auto text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    const auto* first = text.data() + (text.front() == '+' ? 1 : 0);
    const auto* last = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [end, error] = std::from_chars(first, last, whole);
        error == std::errc{} && end == last) {
      literal(json::Value::integer(whole));
      return {};
    }
    double real = 0;
    if (const auto [end, error] = std::from_chars(first, last, real);
        error == std::errc{} && end == last) {
      literal(json::Value::number(real));
      return {};
    }
    return fail(ErrorKind::Invalid, fmt::format("cannot parse number {}", text));
  }

  Result<void> identifier() {
    std::size_t size = 0;
    while (size < rest_.size() && !ends_name(rest_[size])) ++size;
    const auto name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (name != "true" && name != "false") {
      return fail(ErrorKind::Invalid, fmt::format("unrecognized identifier {}", name));
    }
    literal(json::Value::boolean(name == "true"));
    return {};
  }

  Result<void> brackets() {
    const auto end = rest_.find_first_of("]\n");
    if (end == rest_.npos || rest_[end] == '\n') {
      return fail(ErrorKind::Invalid, "unterminated array");
    }
    auto text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (text == "*") text = ":";
    if (text.contains(',')) return alternatives(text);
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      FP_TRY(steps,
             PathParser(fmt::format(".{}", text.substr(1, text.size() - 2)), nesting_ + 1).run());
      for (auto& step : steps) steps_.push_back(std::move(step));
      return {};
    }
    return slice(text);
  }

  Result<void> alternatives(std::string_view text) {
    Step step;
    step.kind = Step::Kind::Union;
    while (true) {
      const auto comma = text.find(',');
      auto part = text.substr(0, comma);
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      FP_TRY(steps, PathParser(fmt::format("[{}]", part), nesting_ + 1).run());
      step.parts.push_back(std::move(steps));
      if (comma == text.npos) break;
      text.remove_prefix(comma + 1);
    }
    steps_.push_back(std::move(step));
    return {};
  }

  Result<void> slice(std::string_view text) {
    Step step;
    step.kind = Step::Kind::Slice;
    std::optional<int>* into[] = {&step.start, &step.end, &step.step};
    std::size_t part = 0;
    std::string_view left = text;
    while (true) {
      const auto colon = left.find(':');
      const auto number = left.substr(0, colon);
      if (part > 2) return fail(ErrorKind::Invalid, fmt::format("invalid array index {}", text));
      if (!number.empty()) {
        int value = 0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc{} || end != number.data() + number.size()) {
          return fail(ErrorKind::Invalid, fmt::format("invalid array index {}", text));
        }
        *into[part] = value;
      }
      if (colon == left.npos) break;
      left.remove_prefix(colon + 1);
      ++part;
    }
    if (part == 0) {  // [] reads as [0]
      step.index = true;
      step.end = step.start.value_or(0) + 1;
    }
    steps_.push_back(std::move(step));
    return {};
  }

  // The text up to the `)` that closes the filter: one inside quotes does not.
  Result<std::string_view> filter_text() {
    char mark = 0;
    for (std::size_t at = 3; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '\n') break;
      if (mark == 0 && (c == '"' || c == '\'')) {
        mark = c;
      } else if (c == mark && rest_[at - 1] != '\\') {
        mark = 0;
      } else if (c == ')' && mark == 0) {
        if (!rest_.substr(at + 1).starts_with(']')) {
          return fail(ErrorKind::Invalid, "unclosed array expect ]");
        }
        const auto text = rest_.substr(3, at - 3);
        rest_.remove_prefix(at + 2);
        return text;
      }
    }
    return fail(ErrorKind::Invalid, "unterminated filter");
  }

  Result<void> filter() {
    FP_TRY(text, filter_text());
    Step step;
    step.kind = Step::Kind::Filter;
    const auto begin = text.find_first_of("!<>=");
    const auto end = begin == text.npos ? begin : text.find_first_not_of("!<>=", begin);
    if (begin == text.npos || begin == 0 || end == text.npos) {
      step.op = "exists";
      FP_TRY(left, PathParser(text, nesting_ + 1).run());
      step.parts.push_back(std::move(left));
    } else {
      step.op = text.substr(begin, end - begin);
      FP_TRY(left, PathParser(text.substr(0, begin), nesting_ + 1).run());
      FP_TRY(right, PathParser(text.substr(end), nesting_ + 1).run());
      step.parts.push_back(std::move(left));
      step.parts.push_back(std::move(right));
    }
    steps_.push_back(std::move(step));
    return {};
  }

  std::string_view rest_;
  int nesting_;
  Steps steps_;
};

}  // namespace

Result<SimpleJsonPath> SimpleJsonPath::parse(std::string_view text) {
  FP_TRY(steps, PathParser(text, 0).run());
  SimpleJsonPath path;
  path.steps_ = std::make_shared<const Steps>(std::move(steps));
  return path;
}

}  // namespace fixpoint::kube
