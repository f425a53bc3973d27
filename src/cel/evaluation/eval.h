// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of a checked expression, with its cost counted as Kubernetes counts it.
//
// The cost bounds the time: an evaluation that exceeds its limit ends with an error that nothing in
// the expression can catch.
#pragma once

#include "cel/evaluation/value.h"
#include "cel/syntax/expr.h"

#include <cstdint>
#include <optional>

namespace fixpoint::cel {

struct Variables {
  Value self;
  Value old_self;
};

struct Evaluated {
  Value value;
  std::uint64_t cost = 0;
  bool cost_exceeded = false;
};

Evaluated evaluate(const Expr& root, const Variables& variables, std::uint64_t cost_max);

// What the call cost beyond its arguments.
std::uint64_t call_cost(const Expr& call, std::span<const Value> args, const Value& result);

}  // namespace fixpoint::cel
