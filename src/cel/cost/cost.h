// SPDX-License-Identifier: Apache-2.0
//
// The static cost of a rule: what evaluating it could cost on the largest object the schema allows.
//
// Kubernetes refuses rules whose estimate is too high, so the estimate is its, to the unit, with
// the oddities it has (an integer's size is 0, for one): a rule taken here is taken there.
#pragma once

#include "cel/checking/shape.h"
#include "cel/syntax/expr.h"

#include <cstdint>
#include <limits>

namespace fixpoint::cel {

inline constexpr std::uint64_t kCostUnbounded = std::numeric_limits<std::uint64_t>::max();

// A size or a cost, from the least to the most. Arithmetic stops at the largest number.
struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = 0;

  static Range fixed(std::uint64_t value) { return {value, value}; }
  static Range unknown() { return {0, kCostUnbounded}; }
  friend Range operator+(Range a, Range b);
  friend Range operator*(Range a, Range b);
  Range scaled(double factor) const;  // rounded up
  Range united(Range other) const;
  bool operator==(const Range&) const = default;
};

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b);

// `nodes` is above every id in the expression.
Range estimate_cost(const Expr& root, const Shape& self, std::uint32_t nodes);

}  // namespace fixpoint::cel
