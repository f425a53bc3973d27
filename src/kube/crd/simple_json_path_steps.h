// SPDX-License-Identifier: Apache-2.0
//
// The parsed form of a simple JSON path; only its parser and its evaluator look here.
#pragma once

#include "json/value.h"
#include "kube/crd/simple_json_path.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::kube {

struct SimpleJsonPath::Step {
  enum class Kind : std::uint8_t { Field, Wildcard, Recursive, Slice, Filter, Union, Literal };

  Kind kind = Kind::Field;
  std::string name;     // Field
  json::Value literal;  // Literal: the right side of a filter
  // Slice: [start:end:step]. An index is a slice of one whose end is derived from its start.
  std::optional<int> start;
  std::optional<int> end;
  std::optional<int> step;
  bool index = false;
  // Filter: left op right; op "exists" has no right. Union: each alternative.
  std::string op;
  std::vector<std::vector<Step>> parts;
};

// Nested filters and unions in one path.
inline constexpr int kPathNestingMax = 16;

}  // namespace fixpoint::kube
