// SPDX-License-Identifier: Apache-2.0
//
// Program: an expression that was parsed, checked and found affordable, ready to be evaluated.
#pragma once

#include "cel/checking/checker.h"
#include "cel/evaluation/eval.h"
#include "cel/syntax/expr.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::cel {

class Program {
 public:
  // The error is the detail of a real server: "compilation failed: ERROR: <input>:1:…".
  static std::expected<Program, std::string> compile(std::string_view expression, const Shape& self,
                                                     OldSelf old_self, const Type& wanted,
                                                     std::string_view what);

  bool uses_old_self() const { return uses_old_self_; }
  std::uint64_t cost_max() const { return cost_max_; }  // on the largest object
  Evaluated run(const Variables& variables, std::uint64_t cost_limit) const {
    return evaluate(*root_, variables, cost_limit);
  }

 private:
  Program() = default;

  std::unique_ptr<TypePool> types_;
  ExprPtr root_;
  bool uses_old_self_ = false;
  std::uint64_t cost_max_ = 0;
};

}  // namespace fixpoint::cel
