// SPDX-License-Identifier: Apache-2.0
#include "cluster/object_index.h"

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

const ObjectIndex::Keys kNone;

}  // namespace

void ObjectIndex::observe(const store::Event& event) {
  observe_owners(event);
  observe_relations(event);
}

void ObjectIndex::observe_owners(const store::Event& event) {
  // Most changes leave the owners alone. What stands here is as old as the object or older than its
  // last change of owners, and so newer than all events of an earlier object of its name.
  if (event.before && event.after &&
      owners_of(event.before->body) == owners_of(event.after->body)) {
    return;
  }
  if (event.before) remove_owners(event.before->key, event.before->body, event.revision);
  if (event.after) add_owners(event.after->key, event.after->body, event.revision);
}

void ObjectIndex::observe_relations(const store::Event& event) {
  const std::string& key = event.key();
  if (!storage::has_relations(key)) return;
  std::vector<storage::Related> before;
  std::vector<storage::Related> after;
  if (event.before) before = storage::relations_of(key, event.before->body);
  if (event.after) after = storage::relations_of(key, event.after->body);
  if (before == after) return;
  for (const auto& [relation, name] : before) {
    erase(related_[static_cast<std::size_t>(relation)], name, key, event.revision);
  }
  if (event.after) add_relations(key, event.after->body, event.revision);
}

void ObjectIndex::add(const std::string& key, json::View object, store::Revision revision) {
  add_owners(key, object, revision);
  add_relations(key, object, revision);
}

namespace {

void note(ObjectIndex::Keys& keys, const std::string& key, store::Revision revision) {
  auto& known = keys[key];
  known = std::max(known, revision);
}

}  // namespace

void ObjectIndex::add_owners(const std::string& key, json::View object, store::Revision revision) {
  const json::View owners = owners_of(object);
  for (const json::View owner : owners.elements()) {
    note(dependents_[std::string{owner.get("uid").as_string()}], key, revision);
  }
  if (adoptable(key) && !controlled(owners)) {
    note(orphans_[std::string{place_of(key)}], key, revision);
  }
}

void ObjectIndex::add_relations(const std::string& key, json::View object,
                                store::Revision revision) {
  for (auto& [relation, name] : storage::relations_of(key, object)) {
    note(related_[static_cast<std::size_t>(relation)][std::move(name)], key, revision);
  }
}

void ObjectIndex::remove_owners(const std::string& key, json::View object,
                                store::Revision revision) {
  for (const json::View owner : owners_of(object).elements()) {
    erase(dependents_, owner.get("uid").as_string(), key, revision);
  }
  if (adoptable(key)) erase(orphans_, place_of(key), key, revision);
}

// A newer object of the same name may be here already, ahead of the events.
void ObjectIndex::erase(Table& table, std::string_view at, const std::string& key,
                        store::Revision revision) {
  const auto keys = table.find(at);
  if (keys == table.end()) return;
  const auto known = keys->second.find(key);
  if (known == keys->second.end() || known->second > revision) return;
  keys->second.erase(known);
  if (keys->second.empty()) table.erase(keys);
}

const ObjectIndex::Keys& ObjectIndex::find(const Table& table, std::string_view at) {
  const auto found = table.find(at);
  return found == table.end() ? kNone : found->second;
}

const ObjectIndex::Keys& ObjectIndex::dependents(std::string_view owner_uid) const {
  return find(dependents_, owner_uid);
}

const ObjectIndex::Keys& ObjectIndex::orphans(std::string_view place) const {
  return find(orphans_, place);
}

const ObjectIndex::Keys& ObjectIndex::related(storage::Relation relation,
                                              std::string_view name) const {
  return find(related_[static_cast<std::size_t>(relation)], name);
}

}  // namespace fixpoint::cluster
