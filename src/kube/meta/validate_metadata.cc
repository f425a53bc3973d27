// SPDX-License-Identifier: Apache-2.0
#include "kube/meta/validate_metadata.h"

#include "json/print.h"
#include "kube/go/text.h"
#include "kube/meta/gvk.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::size_t kFieldManagerBytesMax = 128;
constexpr std::size_t kSubresourceBytesMax = 256;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = std::size_t{32} << 10U;

// Go prints a struct's members in their order there, not sorted by name.
std::string shown_reference(json::View reference) {
  std::string text = "{";
  const auto add = [&](std::string_view key, bool always) {
    const auto value = reference.get(key);
    if (value.is_null() && !always) return;
    if (text.size() > 1) text += ',';
    text += fmt::format("\"{}\":", key);
    if (value.is_null()) {
      text += "\"\"";
    } else {
      json::print(value, text);
    }
  };
  for (const auto key : {"apiVersion", "kind", "name", "uid"}) add(key, true);
  for (const auto key : {"controller", "blockOwnerDeletion"}) add(key, false);
  return text + "}";
}

std::string shown_references(json::View references) {
  std::string text = "[";
  for (const json::View each : references.elements()) {
    if (text.size() > 1) text += ',';
    text += shown_reference(each);
  }
  return text + "]";
}

void note_empty(json::View reference, const FieldPath& path, std::string_view key,
                FieldErrors& errors) {
  if (!reference.get(key).as_string().empty()) return;
  errors.push_back(invalid(path.child(key), shown(std::string_view{}), "must not be empty"));
}

FieldErrors validate_owner_reference(json::View reference, const FieldPath& path) {
  FieldErrors errors;
  const auto api_version = reference.get("apiVersion").as_string();
  // A malformed apiVersion counts as one without a version.
  const auto gv = parse_group_version(api_version).value_or(GroupVersion{});
  if (gv.version.empty()) {
    errors.push_back(
        invalid(path.child("apiVersion"), shown(api_version), "version must not be empty"));
  }
  for (const auto key : {"kind", "name", "uid"}) note_empty(reference, path, key, errors);
  const auto kind = reference.get("kind").as_string();
  if (gv.group.empty() && gv.version == "v1" && kind == "Event") {
    errors.push_back(invalid(path, shown_reference(reference),
                             "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

void validate_name(json::View object, NameCheck check, const FieldPath& path, FieldErrors& errors) {
  if (const auto prefix = generate_name_of(object); !prefix.empty()) {
    for (auto& problem : check(prefix, NamePart::Prefix)) {
      errors.push_back(invalid(path.child("generateName"), shown(prefix), std::move(problem)));
    }
  }
  const auto name = name_of(object);
  if (name.empty()) {
    errors.push_back(required(path.child("name"), "name or generateName is required"));
    return;
  }
  for (auto& problem : check(name, NamePart::Whole)) {
    errors.push_back(invalid(path.child("name"), shown(name), std::move(problem)));
  }
}

void validate_namespace(json::View object, Scope scope, const FieldPath& path,
                        FieldErrors& errors) {
  const auto ns = namespace_of(object);
  const FieldPath here = path.child("namespace");
  if (scope == Scope::Cluster) {
    if (!ns.empty()) errors.push_back(forbidden(here, "not allowed on this type"));
  } else if (ns.empty()) {
    errors.push_back(required(here, ""));
  } else {
    note_problems(here, ns, dns1123_label_problems, errors);
  }
}

void validate_no_new_finalizers(json::View object, json::View old_object, const FieldPath& path,
                                FieldErrors& errors) {
  std::set<std::string> added;
  for (const auto each : finalizers_of(object)) added.emplace(each);
  for (const auto each : finalizers_of(old_object)) added.erase(std::string{each});
  if (added.empty()) return;
  const std::vector<std::string> list{added.begin(), added.end()};
  errors.push_back(forbidden(path.child("finalizers"),
                             "no new finalizers can be added if the object is being deleted, found "
                             "new finalizers " +
                                 go_syntax(list)));
}

void validate_condition(json::View condition, const FieldPath& path, FieldErrors& errors) {
  note_problems(path.child("type"), condition.get("type").as_string(), qualified_name_problems,
                errors);
  const auto status = condition.get("status");
  if (const auto text = status.as_string();
      text != "True" && text != "False" && text != "Unknown") {
    const auto given = json::Value::string(text);
    errors.push_back(not_supported(path.child("status"), given, {"False", "True", "Unknown"}));
  }
  if (const auto generation = condition.get("observedGeneration"); generation.as_int() < 0) {
    errors.push_back(invalid(path.child("observedGeneration"), generation,
                             "must be greater than or equal to zero"));
  }
  if (condition.get("lastTransitionTime").is_null()) {
    errors.push_back(required(path.child("lastTransitionTime"), ""));
  }
  const auto reason = condition.get("reason").as_string();
  const FieldPath reason_path = path.child("reason");
  if (reason.empty()) {
    errors.push_back(required(reason_path, ""));
  } else {
    note_problems(reason_path, reason, condition_reason_problems, errors);
    if (reason.size() > kReasonBytesMax) errors.push_back(too_long(reason_path, kReasonBytesMax));
  }
  if (condition.get("message").as_string().size() > kMessageBytesMax) {
    errors.push_back(too_long(path.child("message"), kMessageBytesMax));
  }
}

}  // namespace

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

void note_problems(const FieldPath& path, std::string_view value,
                   Messages (*check)(std::string_view), FieldErrors& errors) {
  for (auto& problem : check(value)) {
    errors.push_back(invalid(path, shown(value), std::move(problem)));
  }
}

FieldErrors validate_labels(json::View labels, const FieldPath& path) {
  FieldErrors errors;
  for (const auto [key, value] : labels.members()) {
    note_problems(path, key, qualified_name_problems, errors);
    note_problems(path, value.as_string(), label_value_problems, errors);
  }
  return errors;
}

FieldErrors validate_annotations(json::View annotations, const FieldPath& path) {
  FieldErrors errors;
  std::size_t bytes = 0;
  for (const auto [key, value] : annotations.members()) {
    for (auto& problem : qualified_name_problems(lower_case(key))) {
      errors.push_back(invalid(path, shown(key), std::move(problem)));
    }
    bytes += key.size() + value.as_string().size();
  }
  if (bytes > kAnnotationBytesMax) errors.push_back(too_long(path, kAnnotationBytesMax));
  return errors;
}

FieldErrors validate_finalizers(json::View finalizers, const FieldPath& path) {
  FieldErrors errors;
  bool orphan = false;
  bool foreground = false;
  for (const json::View each : finalizers.elements()) {
    note_problems(path, each.as_string(), qualified_name_problems, errors);
    orphan = orphan || each.as_string() == "orphan";
    foreground = foreground || each.as_string() == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.push_back(
        invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

FieldErrors validate_owner_references(json::View references, const FieldPath& path) {
  FieldErrors errors;
  std::string controller;
  for (const json::View each : references.elements()) {
    append(errors, validate_owner_reference(each, path));
    if (!each.get("controller").as_bool()) continue;
    const auto name =
        fmt::format("{}/{}", each.get("kind").as_string(), each.get("name").as_string());
    if (controller.empty()) {
      controller = name;
      continue;
    }
    errors.push_back(
        invalid(path, shown_references(references),
                fmt::format("Only one reference can have Controller set to true. Found "
                            "\"true\" in references for {} and {}",
                            controller, name)));
  }
  return errors;
}

FieldErrors validate_managed_fields(json::View managed_fields, const FieldPath& path) {
  FieldErrors errors;
  for (std::size_t i = 0; i < managed_fields.size(); ++i) {
    const auto entry = managed_fields[i];
    const FieldPath here = path.index(i);
    const auto operation = entry.get("operation").as_string();
    if (operation != "Apply" && operation != "Update") {
      errors.push_back(
          invalid(here.child("operation"), shown(operation), "must be `Apply` or `Update`"));
    }
    const auto type = entry.get("fieldsType").as_string();
    if (!type.empty() && type != "FieldsV1") {
      errors.push_back(invalid(here.child("fieldsType"), shown(type), "must be `FieldsV1`"));
    }
    append(errors, validate_field_manager(entry.get("manager").as_string(), here.child("manager")));
    if (entry.get("subresource").as_string().size() > kSubresourceBytesMax) {
      errors.push_back(too_long(here.child("subresource"), kSubresourceBytesMax));
    }
  }
  return errors;
}

FieldErrors validate_conditions(json::View conditions, const FieldPath& path) {
  FieldErrors errors;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = path.index(i);
    const auto type = conditions[i].get("type");
    if (!seen.insert(type.as_string()).second)
      errors.push_back(duplicate(here.child("type"), type));
    validate_condition(conditions[i], here, errors);
  }
  return errors;
}

FieldErrors validate_field_manager(std::string_view manager, const FieldPath& path) {
  FieldErrors errors;
  if (manager.size() > kFieldManagerBytesMax)
    errors.push_back(too_long(path, kFieldManagerBytesMax));
  for (std::size_t at = 0; at < manager.size();) {
    const auto point = first_code_point(manager.substr(at));
    if (!printable(point.value)) {
      errors.push_back(invalid(path, shown(manager),
                               fmt::format("invalid character U+{:04X} (at position {})",
                                           static_cast<std::uint32_t>(point.value), at)));
    }
    at += point.bytes;
  }
  return errors;
}

FieldErrors validate_immutable(json::View value, json::View old_value, const FieldPath& path) {
  if (value == old_value) return {};
  return {invalid(path, value, "field is immutable")};
}

FieldErrors validate_object_meta(json::View object, NameCheck name_check, Scope scope,
                                 const FieldPath& path) {
  FieldErrors errors;
  const auto meta = object.get("metadata");
  validate_name(object, name_check, path, errors);
  validate_namespace(object, scope, path, errors);
  if (const auto generation = meta.get("generation"); generation.as_int() < 0) {
    errors.push_back(
        invalid(path.child("generation"), generation, "must be greater than or equal to 0"));
  }
  append(errors, validate_labels(meta.get("labels"), path.child("labels")));
  append(errors, validate_annotations(meta.get("annotations"), path.child("annotations")));
  append(errors,
         validate_owner_references(meta.get("ownerReferences"), path.child("ownerReferences")));
  append(errors, validate_finalizers(meta.get("finalizers"), path.child("finalizers")));
  append(errors, validate_managed_fields(meta.get("managedFields"), path.child("managedFields")));
  return errors;
}

FieldErrors validate_object_meta_update(json::View object, json::View old_object,
                                        const FieldPath& path) {
  FieldErrors errors;
  const auto meta = object.get("metadata");
  const auto old_meta = old_object.get("metadata");
  if (being_deleted(old_object)) validate_no_new_finalizers(object, old_object, path, errors);
  if (resource_version_of(object).empty()) {
    errors.push_back(invalid(path.child("resourceVersion"), shown(std::string_view{}),
                             "must be specified for an update"));
  }
  if (generation_of(object) < generation_of(old_object)) {
    errors.push_back(invalid(path.child("generation"), std::to_string(generation_of(object)),
                             "must not be decremented"));
  }
  for (const std::string_view key : {"name", "namespace", "uid"}) {
    // Absent and empty are one to a real server, which shows "".
    if (meta.get(key).as_string() == old_meta.get(key).as_string()) continue;
    errors.push_back(
        invalid(path.child(key), shown(meta.get(key).as_string()), "field is immutable"));
  }
  for (const std::string_view key :
       {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    append(errors, validate_immutable(meta.get(key), old_meta.get(key), path.child(key)));
  }
  append(errors, validate_labels(meta.get("labels"), path.child("labels")));
  append(errors, validate_annotations(meta.get("annotations"), path.child("annotations")));
  append(errors,
         validate_owner_references(meta.get("ownerReferences"), path.child("ownerReferences")));
  append(errors, validate_managed_fields(meta.get("managedFields"), path.child("managedFields")));
  return errors;
}

}  // namespace fixpoint::kube
