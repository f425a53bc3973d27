// SPDX-License-Identifier: Apache-2.0
#include "kube/nesting.h"

#include <algorithm>

namespace fixpoint::kube {

bool deeper_than(json::View value, std::size_t levels) {
  if (!value.is_object() && !value.is_array()) return false;
  if (levels == 0) return true;
  for (auto [key, member] : value.members()) {
    if (deeper_than(member, levels - 1)) return true;
  }
  return std::ranges::any_of(value.elements(),
                             [&](json::View element) { return deeper_than(element, levels - 1); });
}

}  // namespace fixpoint::kube
