// SPDX-License-Identifier: Apache-2.0
//
// FieldSelector: `metadata.name=x,status.phase!=Running`. Which fields a kind knows is its row's
// business; this is the grammar, with `\,`, `\=` and `\\` escaped in values.
#pragma once

#include "base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

struct FieldRequirement {
  std::string field;
  std::string value;
  bool negated = false;

  bool operator==(const FieldRequirement&) const = default;
};

class FieldSelector {
 public:
  FieldSelector() = default;  // matches everything
  static Result<FieldSelector> parse(std::string_view text);

  // `get` gives the value of a field, "" when the object has none.
  bool matches(const std::function<std::string(std::string_view field)>& get) const;
  bool empty() const { return requirements_.empty(); }
  // The value a field must have for anything to match, if one is asked for: a list by name is a
  // get.
  std::optional<std::string> exact_value(std::string_view field) const;
  std::string to_string() const;
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }
  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<FieldRequirement> requirements_;
};

}  // namespace fixpoint::kube
