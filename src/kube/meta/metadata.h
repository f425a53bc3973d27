// SPDX-License-Identifier: Apache-2.0
//
// Reading what every object has: metadata, owner references, conditions.
//
// Views in, views out: nothing is copied, nothing is checked. validate_metadata.h checks.
#pragma once

#include "json/value.h"
#include "kube/meta/gvk.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

std::string_view name_of(json::View object);
std::string_view namespace_of(json::View object);  // "" for cluster-scoped objects
std::string_view generate_name_of(json::View object);
std::string_view uid_of(json::View object);
std::string_view resource_version_of(json::View object);
std::int64_t generation_of(json::View object);
std::string_view creation_timestamp_of(json::View object);
std::string_view deletion_timestamp_of(json::View object);  // "" while it is not being deleted
bool being_deleted(json::View object);
std::optional<std::int64_t> deletion_grace_seconds_of(json::View object);
json::View labels_of(json::View object);
json::View annotations_of(json::View object);
std::string_view label_of(json::View object, std::string_view key);
std::string_view annotation_of(json::View object, std::string_view key);
std::vector<std::string_view> finalizers_of(json::View object);
bool has_finalizer(json::View object, std::string_view finalizer);
Key key_of(json::View object);
// apiVersion and kind as the object says them; a malformed apiVersion gives an empty group.
GroupVersionKind gvk_of(json::View object);

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;

  static OwnerReference from(json::View reference);
  json::Value to_json() const;
  bool operator==(const OwnerReference&) const = default;
};

std::vector<OwnerReference> owner_references_of(json::View object);
// The one owner with controller: true.
std::optional<OwnerReference> controller_of(json::View object);
bool owned_by(json::View object, std::string_view owner_uid);
// A reference that makes `owner` the controller and blocks its foreground deletion.
OwnerReference controller_reference(json::View owner);

// A condition of status.conditions by type; null when absent.
json::View condition_of(json::View object, std::string_view type);
bool condition_is_true(json::View object, std::string_view type);

}  // namespace fixpoint::kube
