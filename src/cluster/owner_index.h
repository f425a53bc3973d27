// SPDX-License-Identifier: Apache-2.0
//
// OwnerIndex: who belongs to whom, so that no loop has to search the whole store for its children.
//
// It is a hint, never a fact: it names keys, and whoever follows one looks at the live object
// (reader.h). Invariant: every object of the store that names an owner is found under that owner,
// and every object without a controller among the orphans of its kind and namespace; there may be
// more, of objects that just changed. Fed with the store's events and, ahead of them, with what the
// loops themselves write, so that a pass sees the children that the one before it made.
#pragma once

#include "base/hash.h"
#include "json/value.h"
#include "store/store.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fixpoint::cluster {

class OwnerIndex {
 public:
  // Keys in order, each with the last revision that put it here.
  using Keys = std::map<std::string, store::Revision, std::less<>>;

  void observe(const store::Event& event);
  // An object as it is at `revision`.
  void add(const std::string& key, json::View object, store::Revision revision);

  // Objects that name this uid among their owners.
  const Keys& dependents(std::string_view owner_uid) const;
  // Objects below `place` ("pods/ns/") that nobody controls, of kinds that can be adopted.
  const Keys& orphans(std::string_view place) const;

 private:
  using Table = std::unordered_map<std::string, Keys, StringHash, std::equal_to<>>;

  static void erase(Table& table, std::string_view at, const std::string& key,
                    store::Revision revision);
  void remove(const std::string& key, json::View object, store::Revision revision);

  Table dependents_;
  Table orphans_;
};

}  // namespace fixpoint::cluster
