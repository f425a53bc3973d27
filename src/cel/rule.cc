// SPDX-License-Identifier: Apache-2.0
#include "cel/rule.h"

#include "cel/type.h"

namespace fixpoint::cel {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Rule compile_rule(json::View given, const Shape& shape) {
  Rule out;
  out.given = given;
  out.optional_old_self = given.get("optionalOldSelf").as_bool();
  const auto text = given.get("rule").as_string();
  if (trimmed(text).empty()) return out;
  const auto old_self = out.optional_old_self ? OldSelf::Optional : OldSelf::Value;
  auto program = Program::compile(text, shape, old_self, *bool_type(), "");
  if (!program) {
    out.error = std::move(program.error());
    return out;
  }
  out.program = std::move(*program);
  const auto message = given.get("messageExpression").as_string();
  if (message.empty()) return out;
  auto expression =
      Program::compile(message, shape, old_self, *string_type(), "messageExpression ");
  if (expression) {
    out.message = std::move(*expression);
  } else {
    out.message_error = std::move(expression.error());
  }
  return out;
}

}  // namespace fixpoint::cel
