// SPDX-License-Identifier: Apache-2.0
//
// Two ways between pods and the sets of pods that somebody asks about, neither of which is a search
// through all of them: PodsByLabel leads from a set to the pods that may be in it, SetsByLabel from
// a pod to the sets that may have it. Both are hints: who follows them asks PodSet::has.
//
// Plain values, as the board that has them.
#pragma once

#include "cluster/scheduler/pod_needs.h"
#include "json/value.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::scheduler {

// Invariant: where there is a column for a label, every pod that has the label is in it under its
// value. Columns are made for labels that sets ask for, and only while those at hand do not narrow
// a set down.
class PodsByLabel {
 public:
  using Keys = std::set<std::string, std::less<>>;
  using Visit = std::function<void(const std::string& key, json::View pod)>;
  using EachPod = std::function<void(const Visit&)>;

  void add(const std::string& key, json::View pod);
  void remove(const std::string& key, json::View pod);

  // The shortest list at hand in which all pods of the set are; null when the set asks for no
  // certain label. `each_pod` visits all pods that were added and not removed.
  const Keys* narrow(const PodSet& set, const EachPod& each_pod);

 private:
  // Labels that people choose pods by are few; with more of them sets are searched for.
  static constexpr std::size_t kColumnsMax = 32;
  // A list this short needs no better one.
  static constexpr std::size_t kShort = 64;

  using Column = std::map<std::string, Keys, std::less<>>;  // by value

  const Keys* find(std::string_view label, std::string_view value) const;
  void make_column(std::string_view label, const EachPod& each_pod);

  std::map<std::string, Column, std::less<>> columns_;  // by label
};

// Each set is filed under one label that its pods must have, or among those that ask for none.
class SetsByLabel {
 public:
  void add(const std::string& identity, const PodSet& set);
  void remove(const std::string& identity);
  // Those that may have a pod, in order.
  std::set<std::string> asking_for(json::View pod) const;

 private:
  using Identities = std::set<std::string>;

  std::map<std::string, Identities, std::less<>> by_label_;  // "label=value"
  std::map<std::string, std::string> filed_under_;           // empty: asks for no certain label
};

}  // namespace fixpoint::cluster::scheduler
