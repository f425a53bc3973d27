// SPDX-License-Identifier: Apache-2.0
//
// Shape::Node: one level of a Shape, for the parser and for Shape itself.
//
// Invariant: names are unique and sorted, and a name whose part is no different from that of the
// unnamed ones is not listed; so equal shapes are equal trees.
#pragma once

#include "json/shape/shape.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::json {

struct Shape::Node {
  bool others = true;  // members not named below are kept whole
  std::vector<std::pair<std::string, std::shared_ptr<const Node>>> named;

  bool whole() const { return others && named.empty(); }
  bool nothing() const { return !others && named.empty(); }

  // What is kept of this member; null when it goes away altogether.
  const Node* of(std::string_view name) const {
    for (const auto& [known, node] : named) {
      if (known == name) return node->nothing() ? nullptr : node.get();
    }
    return others ? &kWhole : nullptr;
  }

  static const Node kWhole;
};

}  // namespace fixpoint::json
