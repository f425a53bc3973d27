// SPDX-License-Identifier: Apache-2.0
//
// Marks on children, and reading them.
#include "runtime/controller/child.h"

#include "json/draft.h"
#include "json/patch/merge_patch.h"
#include "runtime/controller/json_operation.h"
#include "runtime/ownership.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

json::Draft owner_reference_to(const Owner& owner) {
  return json::Draft::object({
      {"apiVersion",         owner.kind.group_version().api_version()},
      {"blockOwnerDeletion", true                                    },
      {"controller",         true                                    },
      {"kind",               owner.kind.kind                         },
      {"name",               owner.key.name                          },
      {"uid",                owner.uid                               }
  });
}

std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

json::View controller_of(json::View object) {
  for (const json::View reference : object.get("metadata", "ownerReferences").elements()) {
    if (reference.get("controller").as_bool()) return reference;
  }
  return {};
}

bool names(json::View reference, const kube::GroupKind& kind) {
  return reference.get("kind").as_string() == kind.kind &&
         group_of(reference.get("apiVersion").as_string()) == kind.group;
}

// What one entry of managedFields owns beside another: the union of two FieldsV1 trees.
json::Value united(json::View a, json::View b) {
  return json::apply_merge_patch(json::Value(a), b);
}

bool is_entry(json::View entry, std::string_view manager, std::string_view operation) {
  return entry.get("manager").as_string() == manager &&
         entry.get("operation").as_string() == operation &&
         entry.get("subresource").as_string().empty();
}

}  // namespace

Result<ObjectRef> ref_of(json::View object) {
  const json::View kind = object.get("kind");
  const json::View name = object.get("metadata", "name");
  if (!kind.is_string() || !name.is_string() || name.as_string().empty()) {
    // A generated name would be another one after a lost answer: then there are two objects.
    return fail(ErrorKind::Internal, "a step's object needs apiVersion, kind and metadata.name");
  }
  FP_TRY(version, kube::parse_group_version(object.get("apiVersion").as_string()));
  return ObjectRef{
      {std::move(version.group), std::move(version.version), std::string{kind.as_string()}},
      {std::string{object.get("metadata", "namespace").as_string()},
       std::string{name.as_string()}}
  };
}

Standing standing(json::View object, const Owner& owner, std::string_view stamp) {
  const std::string_view uid = owner_uid_of(object);
  if (!uid.empty() && uid == owner.uid) return Standing::Ours;
  const bool stamped = object.get("metadata", "annotations", kStampAnnotation).as_string() == stamp;
  if (uid.empty() && !stamp.empty() && stamped) return Standing::Ours;
  const json::View reference = controller_of(object);
  if (names(reference, owner.kind.group_kind()) &&
      reference.get("name").as_string() == owner.key.name) {
    return Standing::Former;
  }
  return Standing::Foreign;
}

bool can_reference(const Owner& owner, const kube::Key& child) {
  return owner.key.ns.empty() || owner.key.ns == child.ns;
}

json::Value as_child(json::View desired, const kube::Key& place, const Owner& owner,
                     std::string_view hash_text, Ownership ownership) {
  json::Draft object(desired);
  json::Draft& metadata = object.object_at("metadata");
  if (!place.ns.empty()) metadata["namespace"] = place.ns;
  const bool kept = ownership == Ownership::Kept;
  if (!kept && can_reference(owner, place)) {
    metadata.array_at("ownerReferences").push_back(owner_reference_to(owner));
  } else {
    if (!kept) metadata.object_at("labels")[kOwnerLabel] = owner.uid;
    metadata.object_at("annotations")[kOwnerAnnotation] =
        fmt::format("{}/{}", owner.key.ns, owner.key.name);
  }
  if (!hash_text.empty()) metadata.object_at("annotations")[kHashAnnotation] = hash_text;
  return object.freeze();
}

json::Value bound_to(json::View object, std::string_view uid) {
  json::Draft bound(object);
  bound.object_at("metadata")["uid"] = uid;
  return bound.freeze();
}

std::optional<kube::Key> owner_key_of(json::View child, const kube::GroupKind& owner_kind) {
  const json::View reference = controller_of(child);
  if (!reference.is_null()) {
    if (!names(reference, owner_kind)) return std::nullopt;
    return kube::Key{std::string{child.get("metadata", "namespace").as_string()},
                     std::string{reference.get("name").as_string()}};
  }
  const std::string_view text = child.get("metadata", "annotations", kOwnerAnnotation).as_string();
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return kube::Key{std::string{text.substr(0, slash)}, std::string{text.substr(slash + 1)}};
}

std::optional<json::Value> ownership_patch(json::View live, std::string_view manager) {
  json::Value created;
  json::Value applied;
  json::Value template_entry;
  json::Draft kept = json::Draft::array();
  for (const json::View entry : live.get("metadata", "managedFields").elements()) {
    if (is_entry(entry, manager, "Update")) {
      if (template_entry.is_null()) template_entry = json::Value(entry);
      created = created.is_null() ? json::Value(entry.get("fieldsV1"))
                                  : united(created, entry.get("fieldsV1"));
    } else if (is_entry(entry, manager, "Apply") && applied.is_null()) {
      applied = json::Value(entry);
    } else {
      kept.push_back(entry);
    }
  }
  if (created.is_null()) return std::nullopt;

  json::Draft entry(applied.is_null() ? template_entry : applied);
  entry["operation"] = "Apply";
  entry["fieldsV1"] = applied.is_null() ? created : united(applied.get("fieldsV1"), created);
  kept.push_back(std::move(entry));
  const json::View metadata = live.get("metadata");
  json::Draft patch = json::Draft::array();
  patch.push_back(json_operation("replace", "/metadata/managedFields", std::move(kept)));
  patch.push_back(json_operation("replace", "/metadata/uid", metadata.get("uid")));
  patch.push_back(
      json_operation("replace", "/metadata/resourceVersion", metadata.get("resourceVersion")));
  return patch.freeze();
}

}  // namespace fixpoint::runtime
