// SPDX-License-Identifier: Apache-2.0
#include "cel/rules/rule.h"

#include "cel/checking/type.h"
#include "kube/go/text.h"

namespace fixpoint::cel {

Rule compile_rule(json::View given, const Shape& shape) {
  Rule out;
  out.given = given;
  out.optional_old_self = given.get("optionalOldSelf").as_bool();
  const auto text = given.get("rule").as_string();
  if (kube::trimmed(text).empty()) return out;
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
