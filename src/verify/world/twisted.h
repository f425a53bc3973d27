// SPDX-License-Identifier: Apache-2.0
//
// Twisted: an operator that does one thing differently from the one it is made of. Mutants of
// operators are made so, without a line of the author's: plans, conclusions and declarations are
// data.
#pragma once

#include "json/value.h"
#include "runtime/operator.h"

#include <functional>
#include <memory>

namespace fixpoint::verify::world {

// Where a mutant differs; null: nowhere. The primary is as the pass saw it.
struct Twist {
  std::function<void(runtime::Declaration&)> declaration;
  std::function<void(runtime::Plan&, json::View primary)> plan;
  std::function<void(runtime::Plan&, json::View primary)> cleanup;
  std::function<void(runtime::Outcomes&)> outcomes;  // before conclude() looks at them
  std::function<void(runtime::Conclusion&, json::View primary)> conclusion;
  std::function<void(kube::FieldErrors&)> check;
};

std::shared_ptr<const runtime::Operator> twisted(std::shared_ptr<const runtime::Operator> plain,
                                                 Twist twist);

}  // namespace fixpoint::verify::world
