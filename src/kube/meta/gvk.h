// SPDX-License-Identifier: Apache-2.0
//
// How Kubernetes names types: group/version/kind for bodies, group/version/resource for paths.
#pragma once

#include "base/error.h"
#include "base/strong_id.h"

#include <compare>
#include <string>
#include <string_view>

namespace fixpoint::kube {

using Uid = StrongId<struct UidTag, std::string>;

struct GroupVersion {
  std::string group;  // "" is the core group
  std::string version;

  auto operator<=>(const GroupVersion&) const = default;
  std::string api_version() const;  // "v1", "apps/v1"
};

struct GroupKind {
  std::string group;
  std::string kind;

  auto operator<=>(const GroupKind&) const = default;
  std::string to_string() const;  // "Deployment.apps", "ConfigMap"
};

struct GroupResource {
  std::string group;
  std::string resource;

  auto operator<=>(const GroupResource&) const = default;
  std::string to_string() const;  // "deployments.apps", "configmaps"
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  auto operator<=>(const GroupVersionKind&) const = default;
  GroupKind group_kind() const { return {group, kind}; }
  GroupVersion group_version() const { return {group, version}; }
  std::string to_string() const;  // as Go prints one: "apps/v1, Kind=Deployment"
};

struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;

  auto operator<=>(const GroupVersionResource&) const = default;
  GroupResource group_resource() const { return {group, resource}; }
};

// "apps/v1" or "v1"; more than one slash is an error in Kubernetes' words.
Result<GroupVersion> parse_group_version(std::string_view api_version);

// An object's place: cluster-scoped objects have an empty namespace.
struct Key {
  std::string ns;
  std::string name;

  auto operator<=>(const Key&) const = default;
};

}  // namespace fixpoint::kube
