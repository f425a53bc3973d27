// SPDX-License-Identifier: Apache-2.0
#include "kube/strategic/places.h"

namespace fixpoint::kube::strategic {

Places Places::by_key(const Items& items, std::string_view key) {
  Places places;
  places.first_.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const json::Draft* id = items[i].find(key)) places.add(*id, i);
  }
  return places;
}

Places Places::by_value(const Items& items) {
  Places places;
  places.first_.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) places.add(items[i], i);
  return places;
}

std::size_t Places::of(const json::Draft& identity) const {
  const auto found = first_.find(identity);
  return found == first_.end() ? kNotFound : found->second;
}

}  // namespace fixpoint::kube::strategic
