// SPDX-License-Identifier: Apache-2.0
#include "cel/rules/program.h"

#include "cel/checking/literals.h"
#include "cel/cost/cost.h"
#include "cel/syntax/parser.h"

namespace fixpoint::cel {

std::expected<Program, std::string> Program::compile(std::string_view expression, const Shape& self,
                                                     OldSelf old_self, const Type& wanted,
                                                     std::string_view what) {
  const auto failed = [&](Issues issues) {
    return std::unexpected(std::string{what} +
                           "compilation failed: " + shown(expression, std::move(issues)));
  };
  auto parsed = parse(expression);
  if (!parsed.issues.empty()) return failed(std::move(parsed.issues));
  Program out;
  out.types_ = std::make_unique<TypePool>();
  auto checked = check(*parsed.root, self, old_self, *out.types_);
  if (!checked.issues.empty()) return failed(std::move(checked.issues));
  if (auto issues = check_literals(*parsed.root); !issues.empty()) return failed(std::move(issues));
  if (parsed.root->type->kind != wanted.kind) {
    return std::unexpected(std::string{what.empty() ? "cel expression " : what} +
                           "must evaluate to a " + wanted.name);
  }
  out.uses_old_self_ = checked.uses_old_self;
  out.cost_max_ = estimate_cost(*parsed.root, self, parsed.nodes).max;
  // The estimate is of what was written, not of what is left to evaluate.
  if (const auto wrong = fold_constants(*parsed.root)) {
    return std::unexpected((what.empty() ? "program " : std::string{what}) +
                           "instantiation failed: " + *wrong);
  }
  out.root_ = std::move(parsed.root);
  return out;
}

}  // namespace fixpoint::cel
