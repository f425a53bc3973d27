// SPDX-License-Identifier: Apache-2.0
//
// Strategic merge: objects member by member, lists by their patch strategy.
//
// The patch is taken apart on the way: directives first ($retainKeys, then $setElementOrder with
// the list it orders), then what is left, member by member.
#include "kube/strategic/merge.h"

#include "kube/go/value.h"
#include "kube/strategic/list.h"
#include "kube/strategic/places.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

using json::Draft;
using namespace strategic;

constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

struct Field {
  const Schema* schema = nullptr;  // of the value, or of a list's items
  PatchStrategy patch;
};

std::string_view reflect_kind(const Schema& schema) {
  switch (schema.go_kind) {
    case GoKind::Map: return "map";
    case GoKind::Slice: return "slice";
    case GoKind::String: return "string";
    case GoKind::Bool: return "bool";
    case GoKind::Int32: return "int32";
    case GoKind::Int64: return "int64";
    default: break;
  }
  return schema.additional_properties != nullptr ? "map" : "struct";
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Go's decoder takes a name in any case if none fits exactly, and so does the look-up of
// strategies.
Answer<const Property*> property_of(const Schema& schema, std::string_view name) {
  if (schema.properties.empty())
    return std::unexpected(plain_error(
        fmt::format("merging an object in json but data type is not struct, instead is: {}",
                    reflect_kind(schema))));
  const Property* folded = nullptr;
  for (const Property& property : schema.properties) {
    if (property.name == name) return &property;
    if (folded == nullptr && same_ignoring_case(property.name, name)) folded = &property;
  }
  if (folded != nullptr) return folded;
  return std::unexpected(plain_error(fmt::format(
      "unable to find api field in struct {} for the json field \"{}\"", schema.go_type, name)));
}

Answer<Field> object_field(const Schema& schema, std::string_view name) {
  FP_TRY(property, property_of(schema, name));
  return Field{property->schema, property->patch};
}

Answer<Field> list_field(const Schema& schema, std::string_view name) {
  FP_TRY(property, property_of(schema, name));
  if (property->schema->items == nullptr)
    return std::unexpected(plain_error("expected slice or array type, but got: struct"));
  return Field{property->schema->items, property->patch};
}

// The member a directive like `$setElementOrder/containers` speaks of.
Answer<std::string> member_of(std::string_view directive, std::string_view prefix) {
  if (directive.size() > prefix.size() && directive[prefix.size()] == '/')
    return std::string(directive.substr(prefix.size() + 1));
  return std::unexpected(bad_request(prefix == kElementOrder
                                         ? "invalid patch format of setElementOrder list"
                                         : "invalid patch format of primitive list"));
}

void discard_nulls(Draft& value) {
  if (value.is_object()) {
    std::erase_if(value.members(), [](const Draft::Entry& entry) { return entry.value.is_null(); });
    for (auto& [key, part] : value.members()) discard_nulls(part);
  } else if (value.is_array()) {
    for (Draft& item : value.elements()) discard_nulls(item);
  }
}

// False if the value is itself a directive and must not be kept.
bool strip_directives(Draft& value) {
  if (value.is_object()) {
    if (value.contains(kDirective)) return false;
    std::erase_if(value.members(),
                  [](Draft::Entry& entry) { return !strip_directives(entry.value); });
  } else if (value.is_array()) {
    std::erase_if(value.elements(), [](Draft& item) { return !strip_directives(item); });
  }
  return true;
}

// Changes of an object's members, made all at once: one by one, each that comes or goes would push
// aside what stands behind it.
class MemberChanges {
 public:
  explicit MemberChanges(Draft& original) : original_(original) {}

  // Names in their order, which outlive this.
  void remove(std::string_view name) { removed_.insert(name); }
  // What the patch brings where there is nothing to merge with.
  void take(std::string_view name, Draft value) {
    discard_nulls(value);
    if (!strip_directives(value)) return remove(name);
    if (Draft* old = original_.find(name)) {
      *old = std::move(value);
    } else {
      added_.push_back({std::string{name}, std::move(value)});
    }
  }
  void make() {
    if (!removed_.empty() && !original_.empty()) {
      std::erase_if(original_.members(),
                    [&](const Draft::Entry& entry) { return removed_.contains(entry.key); });
    }
    original_.add_members(std::move(added_));
  }

 private:
  Draft& original_;
  std::unordered_set<std::string_view> removed_;
  Draft::Object added_;
};

Status unknown_directive(const Draft& directive, const Draft& patch) {
  const json::Value what = directive.freeze();
  const json::Value map = patch.freeze();
  return plain_error(
      fmt::format("unknown patch type: {} in map: {}", go_as_text(what), go_printed(map)));
}

Answer<Draft> merge_object(const Schema& schema, Draft original, Draft patch);

Answer<Draft> follow_directive(Draft patch) {
  const Draft directive = *patch.find(kDirective);
  if (directive.as_string() == "delete") return Draft::object();
  if (directive.as_string() != "replace")
    return std::unexpected(unknown_directive(directive, patch));
  patch.erase(kDirective);
  return patch;
}

// $retainKeys: the members to be left; what the patch sets must be among them.
Answer<void> retain_keys(Draft& original, Draft& patch) {
  if (!patch.contains(kRetainKeys)) return {};
  const Draft keys = *patch.find(kRetainKeys);
  patch.erase(kRetainKeys);
  if (!keys.is_array()) return std::unexpected(bad_request("invalid patch format of retainKeys"));
  std::unordered_set<std::string_view> names;
  for (const Draft& key : keys.elements())
    if (key.is_string()) names.insert(key.as_string());
  const auto listed = [&](std::string_view name) { return names.contains(name); };
  for (const auto& [name, value] : patch.members()) {
    if (value.is_null() || name.starts_with(kDeleteFromList) || name.starts_with(kElementOrder))
      continue;
    if (!listed(name)) return std::unexpected(bad_request("invalid patch format of retainKeys"));
  }
  std::erase_if(original.members(), [&](const Draft::Entry& entry) { return !listed(entry.key); });
  return {};
}

// Follows the $patch directives among the items of a patch and takes them out of it.
Answer<void> follow_item_directives(Items& original, Items& patch, std::string_view key) {
  bool replace = false;
  DraftSet doomed;  // keys of items
  Items plain;
  for (Draft& item : patch) {
    const Draft* directive = item.find(kDirective);
    if (directive == nullptr) {
      plain.push_back(std::move(item));
      continue;
    }
    const std::string_view what = directive->as_string();
    if (what == "replace") {
      replace = true;
    } else if (what == "delete") {
      const Draft* id = item.find(key);
      if (id == nullptr) return std::unexpected(no_merge_key(item, key));
      doomed.insert(*id);
    } else if (what == "merge") {
      return std::unexpected(plain_error("merging lists cannot yet be specified in the patch"));
    } else {
      return std::unexpected(unknown_directive(*directive, item));
    }
  }
  std::erase_if(original, [&](const Draft& item) {
    const Draft* id = item.find(key);
    return id != nullptr && doomed.contains(*id);
  });
  patch = std::move(plain);
  if (replace) {
    original = std::move(patch);
    patch.clear();
  }
  return {};
}

Answer<Items> merge_items(const Schema& items, Items original, const Items& patch,
                          std::string_view key) {
  auto places = Places::by_key(original, key);
  for (const Draft& item : patch) {
    const Draft* id = item.find(key);
    if (id == nullptr) return std::unexpected(no_merge_key(item, key));
    const auto at = places.of(*id);
    if (at == kNotFound) {
      places.add(*id, original.size());
      original.push_back(item);
      continue;
    }
    FP_TRY(merged, merge_object(items, std::move(original[at]), item));
    original[at] = std::move(merged);
  }
  return original;
}

Answer<Items> merge_list(const Field& field, Items original, Items patch) {
  if (!field.patch.merge) return patch;
  if (original.empty() && patch.empty()) return original;
  FP_TRY(kind, item_kind(original, patch));
  const std::string& key = field.patch.merge_key;
  if (kind == ItemKind::Scalar) {
    Items both = original;
    both.insert(both.end(), patch.begin(), patch.end());
    drop_duplicates(both);
    return in_order(std::move(both), patch, original, key, kind);
  }
  if (key.empty())
    return std::unexpected(plain_error(
        fmt::format("cannot merge lists without merge key for {}", reflect_kind(*field.schema))));
  FP_TRY_VOID(follow_item_directives(original, patch, key));
  FP_TRY(merged, merge_items(*field.schema, original, patch, key));
  return in_order(std::move(merged), patch, original, key, kind);
}

Answer<Items> items_of(const Draft* list) {
  if (list == nullptr) return Items{};
  if (!list->is_array()) return std::unexpected(bad_type("[]interface {}", *list));
  return list->elements();
}

// $setElementOrder/x: merges the list x and puts it into the order given.
Answer<void> order_list(const Schema& schema, Draft& original, Draft& patch,
                        std::string_view directive) {
  const Draft order_value = *patch.find(directive);
  patch.erase(directive);
  FP_TRY(order, items_of(&order_value));
  FP_TRY(name, member_of(directive, kElementOrder));
  const bool in_original = original.contains(name);
  const bool in_patch = patch.contains(name);
  FP_TRY(before, items_of(std::as_const(original).find(name)));
  FP_TRY(change, items_of(std::as_const(patch).find(name)));
  FP_TRY(field, list_field(schema, name));
  FP_TRY_VOID(check_order(change, order, field.patch.merge_key));
  if (!in_original && !in_patch) return {};

  Items merged = before;
  if (!in_original) {
    merged = change;
    std::erase_if(merged, [](Draft& item) { return !strip_directives(item); });
  } else if (in_patch) {
    FP_TRY(both, merge_list(field, before, change));
    merged = std::move(both);
  }
  FP_TRY(kind, item_kind(before, change));
  FP_TRY(sorted, in_order(std::move(merged), order, before, field.patch.merge_key, kind));
  Draft list = Draft::array();
  list.elements() = std::move(sorted);
  original[name] = std::move(list);
  patch.erase(name);
  return {};
}

Answer<void> order_lists(const Schema& schema, Draft& original, Draft& patch) {
  std::vector<std::string> directives;
  for (const auto& [name, value] : patch.members())
    if (name.starts_with(kElementOrder)) directives.push_back(name);
  for (const std::string& directive : directives)
    FP_TRY_VOID(order_list(schema, original, patch, directive));
  return {};
}

Answer<Draft> merge_member(const Schema& schema, std::string_view name, Draft original,
                           Draft patch) {
  if (original.is_object()) {
    FP_TRY(field, object_field(schema, name));
    if (field.patch.replace) return patch;
    return merge_object(*field.schema, std::move(original), std::move(patch));
  }
  FP_TRY(field, list_field(schema, name));
  FP_TRY(items, merge_list(field, std::move(original.elements()), std::move(patch.elements())));
  Draft list = Draft::array();
  list.elements() = std::move(items);
  return list;
}

// $deleteFromPrimitiveList/x; a list that is not there, or of another type, is left alone.
Answer<void> delete_from_list(Draft& original, std::string_view directive, const Draft& unwanted) {
  FP_TRY(name, member_of(directive, kDeleteFromList));
  if (unwanted.is_null()) {
    original.erase(name);
    return {};
  }
  Draft* list = original.find(name);
  if (list == nullptr || !list->is_array() || !unwanted.is_array()) return {};
  Items rest = without(list->elements(), unwanted.elements());
  list->elements() = std::move(rest);
  return {};
}

Answer<Draft> merge_object(const Schema& schema, Draft original, Draft patch) {
  if (patch.contains(kDirective)) return follow_directive(std::move(patch));
  FP_TRY_VOID(retain_keys(original, patch));
  FP_TRY_VOID(order_lists(schema, original, patch));
  MemberChanges changes(original);
  for (auto& [name, value] : patch.members()) {
    if (name.starts_with(kDeleteFromList)) {
      FP_TRY_VOID(delete_from_list(original, name, value));
      continue;
    }
    if (value.is_null()) {
      changes.remove(name);
      continue;
    }
    Draft* old = original.find(name);
    const bool mergeable =
        old != nullptr && old->type() == value.type() && (value.is_object() || value.is_array());
    if (!mergeable) {
      changes.take(name, std::move(value));
      continue;
    }
    FP_TRY(merged, merge_member(schema, name, std::move(*old), std::move(value)));
    *old = std::move(merged);
  }
  changes.make();
  return original;
}

std::string_view json_kind(json::Type type) {
  switch (type) {
    case json::Type::Bool: return "bool";
    case json::Type::Int:
    case json::Type::Float: return "number";
    default: return json::to_string(type);
  }
}

}  // namespace

Answer<json::Value> strategic_merge(const Schema& schema, const json::Value& target,
                                    json::View patch) {
  if (patch.is_null()) return target;
  if (!patch.is_object())
    return std::unexpected(bad_request(
        fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    json_kind(patch.type()))));
  FP_TRY(merged, merge_object(schema, Draft(target), Draft(patch)));
  return merged.freeze();
}

}  // namespace fixpoint::kube
