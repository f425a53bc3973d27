// SPDX-License-Identifier: Apache-2.0
#include "cluster/owner_index.h"

#include <algorithm>
#include <array>

namespace fixpoint::cluster {
namespace {

// What some controller takes over when its labels match.
constexpr std::array<std::string_view, 3> kAdoptable{"controllerrevisions.apps/", "pods/",
                                                     "replicasets.apps/"};

bool adoptable(std::string_view key) {
  return std::ranges::any_of(kAdoptable,
                             [&](std::string_view prefix) { return key.starts_with(prefix); });
}

// "pods/ns/" of "pods/ns/name".
std::string_view place_of(std::string_view key) {
  return key.substr(0, key.rfind('/') + 1);
}

json::View owners_of(json::View object) {
  return object.get("metadata", "ownerReferences");
}

bool controlled(json::View owners) {
  return std::ranges::any_of(owners.elements(),
                             [](json::View owner) { return owner.get("controller").as_bool(); });
}

const OwnerIndex::Keys kNone;

}  // namespace

void OwnerIndex::observe(const store::Event& event) {
  // Most changes leave the owners alone. What stands here is as old as the object or older than its
  // last change of owners, and so newer than all events of an earlier object of its name.
  if (event.before && event.after &&
      owners_of(event.before->body) == owners_of(event.after->body)) {
    return;
  }
  if (event.before) remove(event.before->key, event.before->body, event.revision);
  if (event.after) add(event.after->key, event.after->body, event.revision);
}

void OwnerIndex::add(const std::string& key, json::View object, store::Revision revision) {
  const json::View owners = owners_of(object);
  const auto note = [&](Keys& keys) {
    auto& known = keys[key];
    known = std::max(known, revision);
  };
  for (const json::View owner : owners.elements()) {
    note(dependents_[std::string{owner.get("uid").as_string()}]);
  }
  if (adoptable(key) && !controlled(owners)) note(orphans_[std::string{place_of(key)}]);
}

void OwnerIndex::remove(const std::string& key, json::View object, store::Revision revision) {
  for (const json::View owner : owners_of(object).elements()) {
    erase(dependents_, owner.get("uid").as_string(), key, revision);
  }
  if (adoptable(key)) erase(orphans_, place_of(key), key, revision);
}

// A newer object of the same name may be here already, ahead of the events.
void OwnerIndex::erase(Table& table, std::string_view at, const std::string& key,
                       store::Revision revision) {
  const auto keys = table.find(at);
  if (keys == table.end()) return;
  const auto known = keys->second.find(key);
  if (known == keys->second.end() || known->second > revision) return;
  keys->second.erase(known);
  if (keys->second.empty()) table.erase(keys);
}

const OwnerIndex::Keys& OwnerIndex::dependents(std::string_view owner_uid) const {
  const auto found = dependents_.find(owner_uid);
  return found == dependents_.end() ? kNone : found->second;
}

const OwnerIndex::Keys& OwnerIndex::orphans(std::string_view place) const {
  const auto found = orphans_.find(place);
  return found == orphans_.end() ? kNone : found->second;
}

}  // namespace fixpoint::cluster
