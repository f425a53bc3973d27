// SPDX-License-Identifier: Apache-2.0
#include "cluster/reader.h"

#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

std::string place(std::string_view prefix, std::string_view ns) {
  std::string made{prefix};
  made.append(ns).append("/");
  return made;
}

// The reference that makes somebody the controller; null when nobody is.
json::View controller_reference_of(json::View object) {
  for (const json::View owner : object.get("metadata", "ownerReferences").elements()) {
    if (owner.get("controller").as_bool()) return owner;
  }
  return {};
}

}  // namespace

store::RecordRef Reader::find(std::string_view prefix, std::string_view ns,
                              std::string_view name) const {
  return snapshot_.find(place(prefix, ns).append(name));
}

std::vector<store::RecordRef> Reader::all(std::string_view prefix, std::string_view ns) const {
  std::vector<store::RecordRef> found;
  snapshot_.scan(place(prefix, ns), {}, [&](const store::RecordRef& record) {
    found.push_back(record);
    return true;
  });
  handed_out_ += found.size();
  return found;
}

std::vector<store::RecordRef> Reader::matching(
    const ObjectIndex::Keys& keys, std::string_view prefix,
    const std::function<bool(json::View)>& wanted) const {
  std::vector<store::RecordRef> found;
  for (auto at = keys.lower_bound(prefix); at != keys.end() && at->first.starts_with(prefix);
       ++at) {
    auto record = snapshot_.find(at->first);
    if (record && wanted(record->body)) found.push_back(std::move(record));
  }
  handed_out_ += found.size();
  return found;
}

std::vector<store::RecordRef> Reader::dependents(std::string_view owner_uid,
                                                 std::string_view prefix) const {
  return matching(index_.dependents(owner_uid), prefix,
                  [&](json::View object) { return kube::owned_by(object, owner_uid); });
}

std::vector<store::RecordRef> Reader::controlled(std::string_view owner_uid,
                                                 std::string_view prefix) const {
  return matching(index_.dependents(owner_uid), prefix, [&](json::View object) {
    return controller_reference_of(object).get("uid").as_string() == owner_uid;
  });
}

std::vector<store::RecordRef> Reader::orphans(std::string_view prefix, std::string_view ns) const {
  return matching(index_.orphans(place(prefix, ns)), prefix,
                  [](json::View object) { return controller_reference_of(object).is_null(); });
}

std::vector<store::RecordRef> Reader::related(storage::Relation relation,
                                              std::string_view name) const {
  std::vector<store::RecordRef> found;
  const storage::Related wanted{relation, std::string{name}};
  for (const auto& [key, revision] : index_.related(relation, name)) {
    auto record = snapshot_.find(key);
    if (!record) continue;
    const auto relations = storage::relations_of(key, record->body);
    if (std::ranges::find(relations, wanted) != relations.end()) found.push_back(std::move(record));
  }
  handed_out_ += found.size();
  return found;
}

}  // namespace fixpoint::cluster
