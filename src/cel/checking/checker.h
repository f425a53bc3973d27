// SPDX-License-Identifier: Apache-2.0
//
// The checker gives every node its type, its variable and the overloads it may call, or says why
// there is none. Read next: unify.h for when types fit, literals.h for what is checked after it.
#pragma once

#include "cel/checking/shape.h"
#include "cel/checking/type.h"
#include "cel/syntax/expr.h"
#include "cel/syntax/source.h"

#include <cstdint>

namespace fixpoint::cel {

enum class OldSelf : std::uint8_t { Value, Optional };

struct Checked {
  Issues issues;
  bool uses_old_self = false;
};

// `self` is the place the expression belongs to. Types are made in the pool and live as it does.
Checked check(Expr& root, const Shape& self, OldSelf old_self, TypePool& pool);

// The CEL type of a place; objects in it are named after the way that leads there.
const Type* type_of(const Shape& shape, std::string_view name, TypePool& pool);

}  // namespace fixpoint::cel
