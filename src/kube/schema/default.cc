// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/default.h"

#include "json/draft.h"

namespace fixpoint::kube {
namespace {

bool wants_default(const Schema& schema) {
  return schema.default_value.has_value();
}
bool forbidden_null(json::View value, const Schema& schema) {
  return value.is_null() && !schema.nullable;
}

bool lacks_default(json::View value, const Schema* schema) {
  if (schema == nullptr) return false;
  if (value.is_object()) {
    for (const auto& property : schema->properties) {
      if (!wants_default(*property.schema)) continue;
      const auto member = value.find(property.name);
      if (!member || forbidden_null(*member, *property.schema)) return true;
    }
    for (auto [key, member] : value.members()) {
      const auto* next = schema->member(key);
      if (next == nullptr) continue;
      if (wants_default(*next) && forbidden_null(member, *next)) return true;
      if (lacks_default(member, next)) return true;
    }
  } else if (value.is_array() && schema->items != nullptr) {
    for (const auto element : value.elements()) {
      if (wants_default(*schema->items) && forbidden_null(element, *schema->items)) return true;
      if (lacks_default(element, schema->items)) return true;
    }
  }
  return false;
}

class Filler {
 public:
  void fill(json::Draft& value, const Schema* schema) {
    if (schema == nullptr) return;
    if (value.is_object()) {
      fill_object(value, *schema);
    } else if (value.is_array() && schema->items != nullptr) {
      for (auto& element : value.elements()) {
        fill_null(element, *schema->items);
        fill(element, schema->items);
      }
    }
  }

 private:
  void put(json::Draft& place, const Schema& schema) {
    const json::Value& wanted = *schema.default_value;
    if (filled_bytes_ > kDefaultBytesMax) return;
    filled_bytes_ += wanted.block_bytes();
    place = wanted;
  }

  void fill_null(json::Draft& value, const Schema& schema) {
    if (value.is_null() && !schema.nullable && wants_default(schema)) put(value, schema);
  }

  void fill_object(json::Draft& value, const Schema& schema) {
    for (const auto& property : schema.properties) {
      if (!wants_default(*property.schema) || value.contains(property.name)) continue;
      if (filled_bytes_ <= kDefaultBytesMax) put(value[property.name], *property.schema);
    }
    for (auto& [key, member] : value.members()) {
      const auto* next = schema.member(key);
      if (next == nullptr) continue;
      fill_null(member, *next);
      fill(member, next);
    }
  }

  std::size_t filled_bytes_ = 0;
};

}  // namespace

json::Value set_defaults(const json::Value& value, const Schema& schema) {
  if (!lacks_default(value, &schema)) return value;
  json::Draft draft{value};
  Filler{}.fill(draft, &schema);
  return draft.freeze();
}

}  // namespace fixpoint::kube
