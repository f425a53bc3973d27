// SPDX-License-Identifier: Apache-2.0
#include "runtime/manifests/rbac.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fixpoint::runtime {
namespace {

// As people write them.
constexpr std::array<std::string_view, 9> kVerbOrder{
    "get",        "list", "watch", "create", "update", "patch", "delete", "deletecollection",
    "impersonate"};

std::size_t rank(std::string_view verb) {
  return static_cast<std::size_t>(std::ranges::find(kVerbOrder, verb) - kVerbOrder.begin());
}

json::Draft in_order(const std::set<std::string>& verbs) {
  std::vector<std::string> sorted(verbs.begin(), verbs.end());
  std::ranges::stable_sort(sorted, {}, rank);
  auto list = json::Draft::array();
  for (auto& verb : sorted) list.push_back(std::move(verb));
  return list;
}

}  // namespace

void Grants::add(const std::string& group, const std::string& resource,
                 std::initializer_list<std::string_view> verbs) {
  auto& granted = verbs_[{group, resource}];
  for (const auto verb : verbs) granted.emplace(verb);
}

void Grants::add(const client::Resource& resource, std::string_view subresource,
                 std::initializer_list<std::string_view> verbs) {
  auto name = resource.plural;
  if (!subresource.empty()) name.append("/").append(subresource);
  add(resource.kind.group, name, verbs);
  if (resource.scope == client::Scope::Cluster) cluster_scoped_.insert({resource.kind.group, name});
}

void Grants::add(const Permission& permission) {
  for (const auto& verb : permission.verbs) {
    add(permission.resource, permission.subresource, {verb});
  }
  // Nothing is deleted that was not read before, and what is left of it is looked for.
  const bool deletes = std::ranges::find(permission.verbs, "delete") != permission.verbs.end();
  if (deletes && permission.subresource.empty()) add(permission.resource, {}, {"get", "list"});
}

void Grants::add(const Declaration& declaration) {
  for (const auto& watch : declaration.watches) {
    const auto& resource = watch.collection.resource;
    add(resource, {}, {"get", "list", "watch"});
    if (watch.role == WatchRole::Owned) add(resource, {}, {"create", "patch", "delete"});
    if (watch.role == WatchRole::Primary) {
      add(resource, {}, {"patch"});
      add(resource, "status", {"get", "patch", "update"});
      // For references that block the owner's deletion, where the server asks for it.
      add(resource, "finalizers", {"update"});
    }
  }
  for (const auto& permission : declaration.permissions) add(permission);
  add("events.k8s.io", "events", {"create", "patch"});
}

Grants Grants::only(client::Scope scope) const {
  Grants some;
  for (const auto& [place, verbs] : verbs_) {
    const bool cluster = cluster_scoped_.contains(place);
    if (cluster != (scope == client::Scope::Cluster)) continue;
    some.verbs_.emplace(place, verbs);
    if (cluster) some.cluster_scoped_.insert(place);
  }
  return some;
}

Grants Grants::cluster_scoped() const {
  return only(client::Scope::Cluster);
}

Grants Grants::namespaced() const {
  return only(client::Scope::Namespaced);
}

json::Draft Grants::rules() const {
  struct RoleRule {
    std::string group;
    std::set<std::string> verbs;
    std::vector<std::string> resources;
  };
  std::vector<RoleRule> rules;
  for (const auto& [place, verbs] : verbs_) {
    const auto same = std::ranges::find_if(rules, [&](const RoleRule& rule) {
      return rule.group == place.first && rule.verbs == verbs;
    });
    if (same == rules.end()) {
      rules.push_back({place.first, verbs, {place.second}});
    } else {
      same->resources.push_back(place.second);
    }
  }
  auto list = json::Draft::array();
  for (const auto& rule : rules) {
    auto resources = json::Draft::array();
    for (const auto& resource : rule.resources) resources.push_back(resource);
    list.push_back(json::Draft::object({
        {"apiGroups", json::Draft::array({rule.group})},
        {"resources", std::move(resources)            },
        {"verbs",     in_order(rule.verbs)            },
    }));
  }
  return list;
}

Grants own_namespace_grants() {
  Grants grants;
  grants.add("coordination.k8s.io", "leases", {"get", "create", "update"});
  grants.add("", "configmaps", {"get", "create", "update"});
  return grants;
}

}  // namespace fixpoint::runtime
