// SPDX-License-Identifier: Apache-2.0
//
// Reader: what a controller sees of the cluster while it gathers its facts: one snapshot, and the
// index that leads to children without a search. Records come in the order of their keys.
#pragma once

#include "cluster/object_index.h"
#include "store/store.h"

#include <functional>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

class Reader {
 public:
  Reader(const store::Snapshot& snapshot, const ObjectIndex& index)
      : snapshot_(snapshot), index_(index) {}

  // Prefixes are those of store keys: "pods/", "replicasets.apps/". Empty when there is none.
  store::RecordRef find(std::string_view prefix, std::string_view ns, std::string_view name) const;
  store::RecordRef find(std::string_view key) const { return snapshot_.find(key); }
  // All of a kind in a namespace: only where that is few, or what the question is about.
  std::vector<store::RecordRef> all(std::string_view prefix, std::string_view ns) const;
  // Those of a kind that name this uid among their owners; of every kind without a prefix.
  std::vector<store::RecordRef> dependents(std::string_view owner_uid,
                                           std::string_view prefix = {}) const;
  // Those of a kind that this uid controls.
  std::vector<store::RecordRef> controlled(std::string_view owner_uid,
                                           std::string_view prefix) const;
  // Those of a kind in a namespace that nobody controls.
  std::vector<store::RecordRef> orphans(std::string_view prefix, std::string_view ns) const;
  // Those that stand in this relation to what is called so.
  std::vector<store::RecordRef> related(storage::Relation relation, std::string_view name) const;

  const store::Snapshot& snapshot() const { return snapshot_; }
  // How many records it has handed out: what a pass cost.
  std::size_t handed_out() const { return handed_out_; }

 private:
  std::vector<store::RecordRef> matching(const ObjectIndex::Keys& keys, std::string_view prefix,
                                         const std::function<bool(json::View)>& wanted) const;

  const store::Snapshot& snapshot_;
  const ObjectIndex& index_;
  mutable std::size_t handed_out_ = 0;
};

}  // namespace fixpoint::cluster
