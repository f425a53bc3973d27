// SPDX-License-Identifier: Apache-2.0
//
// Uniqueness in lists of type set and map.
#include "json/draft.h"
#include "kube/errors/field_error.h"
#include "kube/schema/validate.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace fixpoint::kube {
namespace {

struct HashOf {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

// The second appearance of each value; a third is not reported again. Equality by canonical hash:
// 128 bits do not collide by chance.
std::vector<std::size_t> repeated(const std::vector<Hash128>& hashes) {
  std::vector<std::size_t> out;
  std::unordered_map<Hash128, int, HashOf> seen;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (++seen[hashes[i]] == 2) out.push_back(i);
  }
  return out;
}

std::vector<std::size_t> repeated_elements(json::View list) {
  std::vector<Hash128> hashes;
  for (const auto element : list.elements()) hashes.push_back(element.hash());
  return repeated(hashes);
}

// The key fields an item has; absent ones stay absent, which is a key of its own.
json::Value list_key_of(json::View item, const Schema& list) {
  auto key = json::Draft::object();
  for (const auto& name : list.list_map_keys) {
    if (const auto value = item.find(name)) key[name] = json::Draft{*value};
  }
  return key.freeze();
}

class ListChecker {
 public:
  FieldErrors errors;

  void run(json::View value, const Schema& schema, const FieldPath& path) {
    if (value.is_object()) {
      members(value, schema, path);
    } else if (value.is_array()) {
      list(value, schema, path);
    }
  }

 private:
  void members(json::View value, const Schema& schema, const FieldPath& path) {
    if (schema.additional_properties != nullptr) {
      for (auto [key, member] : value.members()) {
        run(member, *schema.additional_properties, path.key(key));
      }
    }
    for (const auto& property : schema.properties) {
      if (const auto member = value.find(property.name)) {
        run(*member, *property.schema, path.child(property.name));
      }
    }
  }

  void list(json::View value, const Schema& schema, const FieldPath& path) {
    if (schema.list_type == ListType::Set && value.size() > 1) {
      for (const auto i : repeated_elements(value)) {
        errors.push_back(duplicate(path.index(i), value[i]));
      }
    } else if (schema.list_type == ListType::Map) {
      keys(value, schema, path);
    }
    if (schema.items == nullptr) return;
    std::size_t index = 0;
    for (const auto element : value.elements()) run(element, *schema.items, path.index(index++));
  }

  void keys(json::View value, const Schema& schema, const FieldPath& path) {
    std::vector<json::Value> all;
    std::vector<Hash128> hashes;
    for (const auto element : value.elements()) {
      if (!element.is_object() && !element.is_null()) {
        errors.push_back(invalid(path.index(all.size()), element,
                                 "must be an object for an array of list-type map"));
        return;
      }
      all.push_back(list_key_of(element, schema));
      hashes.push_back(all.back().hash());
    }
    for (const auto i : repeated(hashes)) errors.push_back(duplicate(path.index(i), all[i]));
  }
};

}  // namespace

FieldErrors validate_list_types(json::View value, const Schema& schema, const FieldPath& path) {
  ListChecker checker;
  checker.run(value, schema, path);
  return std::move(checker.errors);
}

}  // namespace fixpoint::kube
