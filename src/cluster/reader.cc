// SPDX-License-Identifier: Apache-2.0
#include "cluster/reader.h"

#include "kube/metadata.h"

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
  return found;
}

std::vector<store::RecordRef> Reader::dependents(std::string_view owner_uid,
                                                 std::string_view prefix) const {
  std::vector<store::RecordRef> found;
  const auto& keys = index_.dependents(owner_uid);
  for (auto at = keys.lower_bound(prefix); at != keys.end() && at->first.starts_with(prefix);
       ++at) {
    auto record = snapshot_.find(at->first);
    if (record && kube::owned_by(record->body, owner_uid)) found.push_back(std::move(record));
  }
  return found;
}

std::vector<store::RecordRef> Reader::controlled(std::string_view owner_uid,
                                                 std::string_view prefix) const {
  auto found = dependents(owner_uid, prefix);
  std::erase_if(found, [&](const store::RecordRef& record) {
    return controller_reference_of(record->body).get("uid").as_string() != owner_uid;
  });
  return found;
}

std::vector<store::RecordRef> Reader::orphans(std::string_view prefix, std::string_view ns) const {
  std::vector<store::RecordRef> found;
  for (const auto& [key, revision] : index_.orphans(place(prefix, ns))) {
    auto record = snapshot_.find(key);
    if (record && controller_reference_of(record->body).is_null()) {
      found.push_back(std::move(record));
    }
  }
  return found;
}

}  // namespace fixpoint::cluster
