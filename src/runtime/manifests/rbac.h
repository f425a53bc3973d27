// SPDX-License-Identifier: Apache-2.0
//
// What an operator must be allowed, derived from what it declares.
//
// Watched kinds are read; owned ones are created, patched and deleted too; the primary's finalizers
// and status are written; everything else an operator does it declares as a Permission. Nothing
// else is granted: no wildcards.
#pragma once

#include "json/draft.h"
#include "runtime/operator.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace fixpoint::runtime {

// Verbs by group and resource ("deployments", "greetings/status").
class Grants {
 public:
  void add(const std::string& group, const std::string& resource,
           std::initializer_list<std::string_view> verbs);
  void add(const Declaration& declaration);

  // The kinds that have no namespace, and the others: a Role cannot grant the former.
  Grants cluster_scoped() const;
  Grants namespaced() const;
  bool empty() const { return verbs_.empty(); }

  // The `rules` of a Role: resources of one group with equal verbs share one.
  json::Draft rules() const;

 private:
  using Place = std::pair<std::string, std::string>;  // group, resource
  void add(const client::Resource& resource, std::string_view subresource,
           std::initializer_list<std::string_view> verbs);
  void add(const Permission& permission);
  Grants only(client::Scope scope) const;

  std::map<Place, std::set<std::string>> verbs_;
  std::set<Place> cluster_scoped_;
};

// What the runtime itself needs in the namespace it runs in: its lease and the guard's memory.
Grants own_namespace_grants();

}  // namespace fixpoint::runtime
