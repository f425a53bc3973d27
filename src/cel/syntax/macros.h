// SPDX-License-Identifier: Apache-2.0
//
// Macros: calls that stand for something else: has(a.b), list.all(x, …), map.transformMap(k, v, …).
#pragma once

#include "cel/syntax/expr.h"
#include "cel/syntax/source.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

// Makes nodes with ids of their own; all nodes of a macro lie where its call does.
class ExprMaker {
 public:
  ExprPtr node(ExprKind kind, std::size_t at);
  ExprPtr literal(Value value, std::size_t at);
  ExprPtr ident(std::string_view name, std::size_t at);
  ExprPtr call(std::string_view function, std::size_t at, std::vector<ExprPtr> args);
  ExprPtr list(std::size_t at, ExprPtr only);
  ExprPtr copy(const Expr& expr);
  std::uint32_t made() const { return next_id_; }

 private:
  std::uint32_t next_id_ = 0;
};

struct MacroCall {
  std::string_view function;
  std::size_t at = 0;
  ExprPtr target;  // null when global
  std::vector<ExprPtr> args;
};

// What the call stands for, if it is a macro: then the call is used up. Wrong arguments are an
// issue and expand to a literal.
std::optional<ExprPtr> expand_macro(MacroCall& call, ExprMaker& make, Issues& issues);

template <class... Args>
std::vector<ExprPtr> exprs(Args... args) {
  std::vector<ExprPtr> out;
  (out.push_back(std::move(args)), ...);
  return out;
}

}  // namespace fixpoint::cel
