// SPDX-License-Identifier: Apache-2.0
//
// Rule: one entry of x-kubernetes-validations, compiled for the place it stands at.
#pragma once

#include "cel/checking/shape.h"
#include "cel/rules/program.h"
#include "json/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cel {

struct Rule {
  json::View given;
  std::optional<Program> program;  // nothing when the rule is blank or wrong
  std::string error;               // why it is wrong
  std::optional<Program> message;  // of messageExpression
  std::string message_error;
  bool optional_old_self = false;

  bool uses_old_self() const { return program && program->uses_old_self(); }
};

// The rule is borrowed: it must outlive what is made of it.
Rule compile_rule(json::View rule, const Shape& shape);

}  // namespace fixpoint::cel
