// SPDX-License-Identifier: Apache-2.0
#include "kinds/kind.h"

#include "kinds/columns/columns.h"
#include "kinds/conversion/convert.h"
#include "kinds/hooks.h"
#include "kinds/rows.h"
#include "kinds/selectable.h"

#include <algorithm>
#include <map>

namespace fixpoint::kinds {
namespace {

struct Registry {
  std::vector<Kind> rows;
  std::map<kube::GroupVersionResource, const Kind*> by_resource;
  std::map<kube::GroupVersionKind, const Kind*> by_kind;
};

// The order of groups is that of a real server's discovery.
std::vector<Kind> make_rows() {
  std::vector<Kind> rows;
  for (const auto append :
       {append_core,       append_api_registration, append_apps,       append_events,
        append_reviews,    append_autoscaling,      append_batch,      append_certificates,
        append_networking, append_policy,           append_rbac,       append_storage,
        append_admission,  append_api_extensions,   append_scheduling, append_coordination,
        append_nodes,      append_discovery,        append_devices,    append_flow_control}) {
    append(rows);
  }
  for (auto& kind : rows) {
    attach_columns(kind);
    attach_hooks(kind);
    attach_conversions(kind);
    attach_selectable_fields(kind);
  }
  return rows;
}

const Registry& registry() {
  static const Registry* const made = [] {
    auto* registry = new Registry{make_rows(), {}, {}};
    for (const auto& kind : registry->rows) {
      registry->by_resource.emplace(
          kube::GroupVersionResource{kind.gvk.group, kind.gvk.version, kind.resource}, &kind);
      registry->by_kind.emplace(kind.gvk, &kind);
    }
    return registry;
  }();
  return *made;
}

template <class Map, class Key>
const Kind* look_up(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

const Subresource* Kind::subresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

std::span<const Kind> all() {
  return registry().rows;
}

const Kind* find(const kube::GroupVersionResource& resource) {
  return look_up(registry().by_resource, resource);
}

const Kind* find(const kube::GroupVersionKind& kind) {
  return look_up(registry().by_kind, kind);
}

}  // namespace fixpoint::kinds
