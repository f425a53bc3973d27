// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/fields.h"

#include "kube/scalars/quantity.h"

namespace fixpoint::kinds {

using json::Draft;

void default_to(Draft& object, std::string_view key, Draft value) {
  const Draft* given = object.find(key);
  const bool empty =
      given == nullptr || given->is_null() || (given->is_string() && given->as_string().empty());
  if (empty) object[key] = std::move(value);
}

void default_nonzero(Draft& object, std::string_view key, int value) {
  const Draft* given = object.find(key);
  if (given == nullptr || given->as_int() == 0) object[key] = value;
}

void for_each(Draft& object, std::string_view key, void (*change)(Draft& element)) {
  Draft* list = object.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (Draft& element : list->elements()) change(element);
}

void round_resources(Draft* resource_list) {
  if (resource_list == nullptr || !resource_list->is_object()) return;
  for (auto& [name, amount] : resource_list->members()) {
    const auto quantity = kube::Quantity::parse(amount.as_string());
    if (!quantity) continue;  // typed decoding refuses such a text before any hook sees it
    const auto rounded = kube::Quantity::milli(quantity->milli_value());
    // What lies beyond the counted thousandths, at either end, has no finer part.
    if (quantity->sign() > 0 && rounded > *quantity) amount = rounded.to_string();
  }
}

void round_requirements(Draft& object) {
  Draft* resources = object.find("resources");
  if (resources == nullptr) return;
  round_resources(resources->find("limits"));
  round_resources(resources->find("requests"));
}

}  // namespace fixpoint::kinds
