// SPDX-License-Identifier: Apache-2.0
//
// What can be told wrong of a checked expression from its literals alone: patterns, times, mixed
// lists, format strings whose arguments do not fit.
#pragma once

#include "cel/syntax/expr.h"
#include "cel/syntax/source.h"

#include <optional>
#include <string>

namespace fixpoint::cel {

Issues check_literals(const Expr& root);

// Evaluates what is written out once and for all: conversions of literals, lists and maps of them,
// patterns. What fails here would fail on every object: the error says how.
std::optional<std::string> fold_constants(Expr& root);

}  // namespace fixpoint::cel
