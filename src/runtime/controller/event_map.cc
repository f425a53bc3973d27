// SPDX-License-Identifier: Apache-2.0
//
// Predicates and mappings of watches.
#include "runtime/controller/event_map.h"

#include "kinds/kind.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/child.h"
#include "runtime/controller/pass.h"

#include <array>
#include <string>
#include <string_view>

namespace fixpoint::runtime {
namespace {

constexpr std::array<std::string_view, 7> kTelling{
    "uid",        "generation",        "labels",         "annotations",
    "finalizers", "deletionTimestamp", "ownerReferences"};

// Kinds without a generation: everything but metadata and status counts.
bool same_content(json::View before, json::View after) {
  if (before.size() != after.size()) return false;
  for (const auto [key, value] : after.members()) {
    if (key != "metadata" && key != "status" && before.get(key) != value) return false;
  }
  return true;
}

bool primary_changed(json::View before, json::View after) {
  if (before.is_null() || after.is_null()) return true;
  const json::View was = before.get("metadata");
  const json::View is = after.get("metadata");
  for (const std::string_view key : kTelling) {
    if (was.get(key) != is.get(key)) return true;
  }
  return is.get("generation").is_null() && !same_content(before, after);
}

void add_naming(const Declaration& declaration, const Watch& watch, const Change& change,
                const CacheView& cache, const std::function<void(const kube::Key&)>& add) {
  const Contents* primaries = cache.find(declaration.primary().collection.resource.kind);
  if (primaries == nullptr) return;
  const auto named = kube::key_of(change.after.is_null() ? change.before : change.after);
  for (const json::View object : primaries->indexed(watch.named_by, named.ns + "/" + named.name)) {
    add(kube::key_of(object));
  }
}

}  // namespace

bool worth_a_pass(const Watch& watch, json::View before, json::View after) {
  if (watch.role == WatchRole::Cached) return false;
  if (watch.predicate) return watch.predicate(before, after);
  return watch.role != WatchRole::Primary || primary_changed(before, after);
}

bool status_differs(const Watch& watch, json::View before, json::View after) {
  return watch.role == WatchRole::Primary && !watch.predicate && !before.is_null() &&
         !after.is_null() && before.get("status") != after.get("status") &&
         kinds::find(watch.collection.resource.kind) == nullptr;
}

void keys_of(const Declaration& declaration, const Watch& watch, const Change& change,
             const CacheView& cache, const std::function<void(const kube::Key&)>& add) {
  const json::View before = change.before;
  const json::View after = change.after;
  switch (watch.role) {
    case WatchRole::Primary: return add(kube::key_of(after.is_null() ? before : after));
    case WatchRole::Owned: {
      const auto kind = declaration.primary().collection.resource.kind.group_kind();
      const bool namespaced =
          declaration.primary().collection.resource.scope == client::Scope::Namespaced;
      // An object may change hands: both the former and the new owner want to know.
      for (const json::View state : {before, after}) {
        auto owner = owner_key_of(state, kind);
        if (!owner) continue;
        if (!namespaced) owner->ns.clear();
        add(*owner);
      }
      return;
    }
    case WatchRole::Mapped:
      if (watch.map) {
        for (const json::View state : {before, after}) {
          if (state.is_null()) continue;
          for (const kube::Key& key : watch.map(state)) add(key);
        }
      }
      if (!watch.named_by.empty()) add_naming(declaration, watch, change, cache, add);
      return;
    case WatchRole::Cached: return;
  }
}

}  // namespace fixpoint::runtime
