// SPDX-License-Identifier: Apache-2.0
//
// Merge patches, over a Draft.
#include "json/patch/merge_patch.h"

#include "json/draft.h"

#include <algorithm>
#include <ranges>

namespace fixpoint::json {
namespace {

bool has_null_member(View value) {
  for (const auto [key, member] : value.members()) {
    if (member.is_null() || has_null_member(member)) return true;
  }
  const auto elements = value.elements();
  return std::any_of(elements.begin(), elements.end(), has_null_member);
}

// The value without members that are null, at any depth. Null elements stay: their places count.
Draft without_nulls(View value) {
  if (!has_null_member(value)) return value;
  auto out = value.is_object() ? Draft::object() : Draft::array();
  for (const auto [key, member] : value.members()) {
    if (!member.is_null()) out.members().push_back({std::string{key}, without_nulls(member)});
  }
  for (const auto element : value.elements()) out.push_back(without_nulls(element));
  return out;
}

bool changes(View target, View patch) {
  if (!target.is_object() || !patch.is_object()) return has_null_member(patch) || target != patch;
  for (const auto [key, wanted] : patch.members()) {
    const auto current = target.find(key);
    if (wanted.is_null() ? current.has_value() : !current || changes(*current, wanted)) return true;
  }
  return false;
}

// Members come and go all at once: one by one, each would push aside what stands behind it.
void merge(Draft& target, View patch) {
  Draft::Object added;
  bool removes = false;
  for (const auto [key, wanted] : patch.members()) {
    Draft* current = target.find(key);
    if (wanted.is_null()) {
      removes = removes || current != nullptr;
    } else if (current == nullptr) {
      added.push_back({std::string{key}, without_nulls(wanted)});
    } else if (current->is_object() && wanted.is_object()) {
      merge(*current, wanted);
    } else if (current->is_object()) {
      *current = wanted;
    } else {
      *current = without_nulls(wanted);
    }
  }
  if (removes) {
    std::erase_if(target.members(), [&](const Draft::Entry& entry) {
      const auto wanted = patch.find(entry.key);
      return wanted && wanted->is_null();
    });
  }
  target.add_members(std::move(added));
}

}  // namespace

Value apply_merge_patch(const Value& target, View patch) {
  if (!changes(target, patch)) return target;
  if (!target.is_object() || !patch.is_object()) {
    return target.is_object() ? Value{patch} : without_nulls(patch).freeze();
  }
  Draft draft{target};
  merge(draft, patch);
  return draft.freeze();
}

Value make_merge_patch(View from, View to) {
  if (!from.is_object() || !to.is_object()) return to;
  auto patch = Draft::object();
  for (const auto [key, member] : from.members()) {
    if (!to.contains(key)) patch[key] = Draft{};
  }
  for (const auto [key, wanted] : to.members()) {
    const auto current = from.find(key);
    if (current && *current == wanted) continue;
    patch[key] = current ? make_merge_patch(*current, wanted) : Value{wanted};
  }
  return patch.freeze();
}

}  // namespace fixpoint::json
