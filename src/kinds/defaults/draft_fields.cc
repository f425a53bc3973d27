// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/draft_fields.h"

namespace fixpoint::kinds {

std::string text_at(const json::Draft& object, std::string_view key) {
  const json::Draft* value = object.find(key);
  return std::string{value == nullptr ? "" : value->as_string()};
}

void put_back(json::Draft& object, json::View from, std::string_view field) {
  if (const json::View value = from.get(field); value.is_null()) {
    object.erase(field);
  } else {
    object[field] = json::Draft{value};
  }
}

}  // namespace fixpoint::kinds
