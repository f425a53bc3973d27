// SPDX-License-Identifier: Apache-2.0
//
// What calling a function could cost, given what is known of its arguments.
#pragma once

#include "cel/cost/cost.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

// A way from a variable into its type: field names, "@items", "@keys", "@values".
using Way = std::vector<std::string_view>;

struct CostNode {
  const Expr* expr = nullptr;  // null for the elements of a list
  const Type* type = nullptr;
  Way way;
  std::optional<Range> size;
};

struct CallCost {
  Range cost;
  std::optional<Range> result_size;
};

// The most elements of what lies at the end of the way, if it can be told.
std::optional<Range> size_at(const Way& way, const Shape& self);

struct CostedCall {
  std::string_view function;
  std::string_view overload;
  const CostNode* target = nullptr;
  std::span<const CostNode> args;
};

// What Kubernetes' own functions cost, without their arguments; nothing for all others.
std::optional<CallCost> library_cost(const CostedCall& call, const Shape& self);

}  // namespace fixpoint::cel
