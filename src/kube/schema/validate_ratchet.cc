// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_ratchet.h"

namespace fixpoint::kube {
namespace {

bool same_keys(json::View a, json::View b, const Schema& list) {
  for (const auto& key : list.list_map_keys) {
    const auto of_a = a.find(key);
    const auto of_b = b.find(key);
    if (!of_a || !of_b || !(*of_a == *of_b)) return false;
  }
  return true;
}

}  // namespace

std::optional<Correlation> Correlation::member(std::string_view name) const {
  if (!now.is_object() || !old.is_object()) return std::nullopt;
  const auto new_value = now.find(name);
  const auto old_value = old.find(name);
  if (!new_value || !old_value) return std::nullopt;
  const auto* property = schema->property(name);
  const auto* below = property != nullptr ? property->schema : schema->additional_properties;
  if (below == nullptr) return std::nullopt;
  return Correlation{*new_value, *old_value, below};
}

std::optional<Correlation> Correlation::item(std::size_t index) const {
  if (schema->list_type != ListType::Map || schema->items == nullptr) return std::nullopt;
  if (!now.is_array() || !old.is_array()) return std::nullopt;
  const auto wanted = now[index];
  for (const auto candidate : old.elements()) {
    if (candidate.is_object() && same_keys(wanted, candidate, *schema)) {
      return Correlation{wanted, candidate, schema->items};
    }
  }
  return std::nullopt;
}

bool Correlation::unchanged() const {
  if (now.is_array() && old.is_array()) {
    if (now.size() != old.size()) return false;
    if (schema->list_type != ListType::Map) return now == old;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto below = item(i);
      if (!below || !below->unchanged()) return false;
    }
    return true;
  }
  if (now.is_object() && old.is_object()) {
    if (now.size() != old.size()) return false;
    for (auto [key, value] : now.members()) {
      const auto below = member(key);
      if (!below || !below->unchanged()) return false;
    }
    return true;
  }
  return now == old;
}

}  // namespace fixpoint::kube
