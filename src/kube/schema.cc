// SPDX-License-Identifier: Apache-2.0
#include "kube/schema.h"

#include <algorithm>

namespace fixpoint::kube {

// Properties of built-ins are in Go struct order, so this is a scan; lengths differ mostly, which
// string comparison sees first.
const Property* Schema::property(std::string_view name) const {
  const auto found = std::ranges::find(properties, name, &Property::name);
  return found == properties.end() ? nullptr : &*found;
}

}  // namespace fixpoint::kube
