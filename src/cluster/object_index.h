// SPDX-License-Identifier: Apache-2.0
//
// ObjectIndex: who names whom, so that no loop has to search the whole store: the children of an
// owner, the pods that mount a claim, the volumes that are kept for one or are anybody's.
//
// It is a hint, never a fact: it names keys, and whoever follows one looks at the live object
// (reader.h). Invariant: every object of the store that names an owner is found under that owner,
// every object without a controller among the orphans of its kind and namespace, and every one that
// storage/relations.h relates to something under that; there may be more, of objects that just
// changed. Fed with the store's events and, ahead of them, with what the loops themselves write, so
// that a pass sees the children that the one before it made.
#pragma once

#include "base/hash.h"
#include "cluster/storage/relations.h"
#include "json/value.h"
#include "store/store.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fixpoint::cluster {

class ObjectIndex {
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
  // Objects that stand in this relation to what is called so.
  const Keys& related(storage::Relation relation, std::string_view name) const;

 private:
  using Table = std::unordered_map<std::string, Keys, StringHash, std::equal_to<>>;

  static void erase(Table& table, std::string_view at, const std::string& key,
                    store::Revision revision);
  static const Keys& find(const Table& table, std::string_view at);
  void observe_owners(const store::Event& event);
  void observe_relations(const store::Event& event);
  void add_owners(const std::string& key, json::View object, store::Revision revision);
  void add_relations(const std::string& key, json::View object, store::Revision revision);
  void remove_owners(const std::string& key, json::View object, store::Revision revision);

  Table dependents_;
  Table orphans_;
  std::array<Table, storage::kRelations> related_;
};

}  // namespace fixpoint::cluster
