// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/prune.h"

#include "json/draft.h"
#include "kube/schema/validate_problem.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

bool is_meta(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

bool takes_any_key(const Schema& schema) {
  return schema.additional_properties != nullptr || schema.extra_fields != ExtraFields::Unstated;
}

// Where a member leads: to a schema (perhaps null: everything below goes), nowhere, or past
// pruning.
struct Descent {
  enum { Follow, Unknown, Exempt } kind;
  const Schema* schema = nullptr;
};

// How a level is looked at. `kept`: its unknown fields stay, by its own wish or, for the items of a
// list, by the list's.
struct Level {
  const Schema* schema;
  bool resource = false;
  bool kept = false;

  Level(const Schema* of, bool is_resource, bool is_kept)
      : schema(of),
        resource(of != nullptr && (is_resource || of->embedded_resource)),
        kept(of != nullptr && (is_kept || of->preserve_unknown_fields)) {}

  Descent step(std::string_view key) const {
    if (schema == nullptr) return {Descent::Unknown};
    if (resource && is_meta(key)) return {Descent::Exempt};
    if (const auto* property = schema->property(key)) return {Descent::Follow, property->schema};
    if (takes_any_key(*schema)) return {Descent::Follow, schema->additional_properties};
    return {kept ? Descent::Exempt : Descent::Unknown};
  }
  Level items() const { return {schema == nullptr ? nullptr : schema->items, false, kept}; }
  // Items of a kept list without an item schema are left alone; of any other list they are not.
  bool items_exempt() const { return kept && schema->items == nullptr; }
};

bool has_unknown(json::View value, const Level& level) {
  if (value.is_object()) {
    for (auto [key, member] : value.members()) {
      const auto next = level.step(key);
      if (next.kind == Descent::Unknown) return true;
      if (next.kind == Descent::Follow && has_unknown(member, {next.schema, false, false}))
        return true;
    }
  } else if (value.is_array() && !level.items_exempt()) {
    const auto items = level.items();
    for (const auto element : value.elements()) {
      if (has_unknown(element, items)) return true;
    }
  }
  return false;
}

class Pruner {
 public:
  void run(json::Draft& value, const Level& level, const SentencePath& path) {
    if (value.is_object()) {
      members(value, level, path);
    } else if (value.is_array() && !level.items_exempt()) {
      std::size_t index = 0;
      for (auto& element : value.elements()) {
        run(element, level.items(), path.item(index++));
      }
    }
  }

  std::vector<std::string> unknown;

 private:
  void members(json::Draft& value, const Level& level, const SentencePath& path) {
    std::erase_if(value.members(), [&](json::Draft::Entry& entry) {
      const auto next = level.step(entry.key);
      if (next.kind == Descent::Exempt) return false;
      const auto at = path.property(entry.key);
      if (next.kind == Descent::Unknown) {
        unknown.push_back(at.to_string());
        return true;
      }
      run(entry.value, {next.schema, false, false}, at);
      return false;
    });
  }
};

bool null_to_drop(json::View value, const Schema* schema) {
  return value.is_null() && schema != nullptr && !schema->nullable && !schema->default_value;
}

bool has_null_to_drop(json::View value, const Schema* schema) {
  if (schema == nullptr) return false;
  for (auto [key, member] : value.members()) {
    const auto* next = schema->member(key);
    if (null_to_drop(member, next) || has_null_to_drop(member, next)) return true;
  }
  for (const auto element : value.elements()) {
    if (has_null_to_drop(element, schema->items)) return true;
  }
  return false;
}

void drop_nulls_in(json::Draft& value, const Schema* schema) {
  if (schema == nullptr) return;
  if (value.is_object()) {
    std::erase_if(value.members(), [&](json::Draft::Entry& entry) {
      const auto* next = schema->member(entry.key);
      if (entry.value.is_null()) return null_to_drop({}, next);
      drop_nulls_in(entry.value, next);
      return false;
    });
  } else if (value.is_array()) {
    for (auto& element : value.elements()) drop_nulls_in(element, schema->items);
  }
}

}  // namespace

Pruned prune(const json::Value& value, const Schema& schema, Place place) {
  const Level root{&schema, place == Place::Resource, false};
  if (!has_unknown(value, root)) return {value, {}};
  json::Draft draft{value};
  Pruner pruner;
  pruner.run(draft, root, {});
  std::ranges::sort(pruner.unknown);
  return {draft.freeze(), std::move(pruner.unknown)};
}

json::Value drop_nulls(const json::Value& value, const Schema& schema) {
  if (!has_null_to_drop(value, &schema)) return value;
  json::Draft draft{value};
  drop_nulls_in(draft, &schema);
  return draft.freeze();
}

}  // namespace fixpoint::kube
