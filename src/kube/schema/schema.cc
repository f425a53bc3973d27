// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/schema.h"

#include <algorithm>

namespace fixpoint::kube {

// Properties of built-ins are in Go struct order, so this is a scan; lengths differ mostly, which
// string comparison sees first.
const Property* Schema::property(std::string_view name) const {
  const auto found = std::ranges::find(properties, name, &Property::name);
  return found == properties.end() ? nullptr : &*found;
}

const Schema* Schema::member(std::string_view name) const {
  if (const auto* known = property(name)) return known->schema;
  return additional_properties;
}

std::uint64_t name_prefix(std::string_view name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = prefix << 8U | (i < name.size() ? static_cast<std::uint8_t>(name[i]) : 0U);
  }
  return prefix;
}

}  // namespace fixpoint::kube
