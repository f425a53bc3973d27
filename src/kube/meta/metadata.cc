// SPDX-License-Identifier: Apache-2.0
#include "kube/meta/metadata.h"

#include "json/draft.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

json::View field(json::View object, std::string_view name) {
  return object.get("metadata", name);
}

std::optional<bool> optional_flag(json::View value) {
  if (!value.is_bool()) return std::nullopt;
  return value.as_bool();
}

}  // namespace

std::string_view name_of(json::View object) {
  return field(object, "name").as_string();
}

std::string_view namespace_of(json::View object) {
  return field(object, "namespace").as_string();
}

std::string_view generate_name_of(json::View object) {
  return field(object, "generateName").as_string();
}

std::string_view uid_of(json::View object) {
  return field(object, "uid").as_string();
}

std::string_view resource_version_of(json::View object) {
  return field(object, "resourceVersion").as_string();
}

std::int64_t generation_of(json::View object) {
  return field(object, "generation").as_int();
}

std::string_view creation_timestamp_of(json::View object) {
  return field(object, "creationTimestamp").as_string();
}

std::string_view deletion_timestamp_of(json::View object) {
  return field(object, "deletionTimestamp").as_string();
}

bool being_deleted(json::View object) {
  return !field(object, "deletionTimestamp").is_null();
}

std::optional<std::int64_t> deletion_grace_seconds_of(json::View object) {
  const auto seconds = field(object, "deletionGracePeriodSeconds");
  if (!seconds.is_int()) return std::nullopt;
  return seconds.as_int();
}

json::View labels_of(json::View object) {
  return field(object, "labels");
}

json::View annotations_of(json::View object) {
  return field(object, "annotations");
}

std::string_view label_of(json::View object, std::string_view key) {
  return labels_of(object).get(key).as_string();
}

std::string_view annotation_of(json::View object, std::string_view key) {
  return annotations_of(object).get(key).as_string();
}

std::vector<std::string_view> finalizers_of(json::View object) {
  std::vector<std::string_view> finalizers;
  for (const json::View each : field(object, "finalizers").elements()) {
    finalizers.push_back(each.as_string());
  }
  return finalizers;
}

bool has_finalizer(json::View object, std::string_view finalizer) {
  for (const json::View each : field(object, "finalizers").elements()) {
    if (each.as_string() == finalizer) return true;
  }
  return false;
}

Key key_of(json::View object) {
  return {std::string{namespace_of(object)}, std::string{name_of(object)}};
}

GroupVersionKind gvk_of(json::View object) {
  const auto version = object.get("apiVersion").as_string();
  const std::string kind{object.get("kind").as_string()};
  const auto parsed = parse_group_version(version);
  if (!parsed) return {"", std::string{version}, kind};
  return {parsed->group, parsed->version, kind};
}

OwnerReference OwnerReference::from(json::View reference) {
  return {.api_version = std::string{reference.get("apiVersion").as_string()},
          .kind = std::string{reference.get("kind").as_string()},
          .name = std::string{reference.get("name").as_string()},
          .uid = std::string{reference.get("uid").as_string()},
          .controller = optional_flag(reference.get("controller")),
          .block_owner_deletion = optional_flag(reference.get("blockOwnerDeletion"))};
}

json::Value OwnerReference::to_json() const {
  auto out = json::Draft::object({
      {"apiVersion", api_version},
      {"kind",       kind       },
      {"name",       name       },
      {"uid",        uid        }
  });
  if (controller) out["controller"] = *controller;
  if (block_owner_deletion) out["blockOwnerDeletion"] = *block_owner_deletion;
  return out.freeze();
}

std::vector<OwnerReference> owner_references_of(json::View object) {
  std::vector<OwnerReference> references;
  for (const json::View each : field(object, "ownerReferences").elements()) {
    references.push_back(OwnerReference::from(each));
  }
  return references;
}

std::optional<OwnerReference> controller_of(json::View object) {
  for (const json::View each : field(object, "ownerReferences").elements()) {
    if (each.get("controller").as_bool()) return OwnerReference::from(each);
  }
  return std::nullopt;
}

bool owned_by(json::View object, std::string_view owner_uid) {
  for (const json::View each : field(object, "ownerReferences").elements()) {
    if (each.get("uid").as_string() == owner_uid) return true;
  }
  return false;
}

OwnerReference controller_reference(json::View owner) {
  return {.api_version = std::string{owner.get("apiVersion").as_string()},
          .kind = std::string{owner.get("kind").as_string()},
          .name = std::string{name_of(owner)},
          .uid = std::string{uid_of(owner)},
          .controller = true,
          .block_owner_deletion = true};
}

json::View condition_of(json::View object, std::string_view type) {
  for (const json::View each : object.get("status", "conditions").elements()) {
    if (each.get("type").as_string() == type) return each;
  }
  return {};
}

bool condition_is_true(json::View object, std::string_view type) {
  return condition_of(object, type).get("status").as_string() == "True";
}

}  // namespace fixpoint::kube
