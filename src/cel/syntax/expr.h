// SPDX-License-Identifier: Apache-2.0
//
// Expr: a node of an expression, as the parser makes it and the checker completes it.
#pragma once

#include "cel/checking/type.h"
#include "cel/evaluation/value.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint::kube {
class Pattern;  // kube/schema/validate_pattern.h
}

namespace fixpoint::cel {

struct Overload;  // cel/library/functions.h
struct Function;  // cel/library/functions.h
struct Fold;

enum class ExprKind : std::uint8_t { Literal, Ident, Select, Call, List, Map, Struct, Fold };

// Where the evaluator finds a variable.
enum class Scope : std::uint8_t { Unresolved, Self, OldSelf, Local, TypeName };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  struct Field {
    ExprPtr key;  // null in a Struct
    ExprPtr value;
    bool optional = false;
    std::size_t at = 0;  // of the colon
    std::string name;    // in a Struct
  };

  ExprKind kind = ExprKind::Literal;
  std::size_t at = 0;
  std::uint32_t id = 0;  // dense: the cost estimator keeps its notes by it
  Value literal;
  std::string name;                     // variable, field, function or type
  bool test_only = false;               // Select: has(x.y)
  ExprPtr target;                       // Select and member Call: what stands before the dot
  std::vector<ExprPtr> args;            // Call, List
  std::vector<bool> optional_elements;  // List; empty when none is
  std::vector<Field> fields;            // Map, Struct
  std::unique_ptr<Fold> fold;

  // What the checker found.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads;
  const Function* function = nullptr;
  Scope scope = Scope::Unresolved;
  std::size_t slot = 0;                          // Scope::Local
  std::shared_ptr<const kube::Pattern> pattern;  // of a search for what is written out
};

// What a macro such as all() or map() stands for: a loop with an accumulator.
struct Fold {
  std::string variable;
  std::string variable2;  // empty when there is only one
  std::string accumulator;
  ExprPtr range;
  ExprPtr init;
  ExprPtr condition;
  ExprPtr step;
  ExprPtr result;
};

// The accumulator of every macro but optMap's; no expression can spell it.
inline constexpr std::string_view kAccumulator = "@result";

}  // namespace fixpoint::cel
