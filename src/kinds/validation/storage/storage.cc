// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/storage/storage.h"

#include "json/draft.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/pods/volumes.h"
#include "kinds/validation/storage/csi.h"
#include "kube/go/text.h"
#include "kube/scalars/quantity.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

void check_access_modes(View modes, const FieldPath& path, FieldErrors& errors) {
  bool alone = false;
  bool others = false;
  for (const View mode : modes.elements()) {
    const auto before = errors.size();
    check_one_of(mode, path, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"},
                 errors);
    if (errors.size() > before) continue;
    (mode.as_string() == "ReadWriteOncePod" ? alone : others) = true;
  }
  if (alone && others) {
    note_forbidden(path, "may not use ReadWriteOncePod with other access modes", errors);
  }
}

void check_positive_amount(View amount, const FieldPath& path, FieldErrors& errors) {
  const auto quantity = kube::Quantity::parse(amount.as_string());
  if (quantity && quantity->sign() <= 0) {
    note_invalid(path, amount, "must be greater than zero", errors);
  }
}

void check_data_source(View source, const FieldPath& path, FieldErrors& errors) {
  if (source.is_null()) return;
  if (source.get("name").as_string().empty()) note_required(path.child("name"), errors);
  const auto kind = source.get("kind").as_string();
  if (kind.empty()) note_required(path.child("kind"), errors);
  const auto group = source.get("apiGroup").as_string();
  if (group.empty() && kind != "PersistentVolumeClaim") {
    note_invalid(path, kind,
                 "must be 'PersistentVolumeClaim' when referencing the default apiGroup", errors);
  }
  if (!group.empty()) {
    kube::note_problems(path.child("apiGroup"), group, kube::dns1123_subdomain_problems, errors);
  }
}

void check_data_sources(View spec, const FieldPath& path, FieldErrors& errors) {
  const View source = spec.get("dataSource");
  const View reference = spec.get("dataSourceRef");
  check_data_source(source, path.child("dataSource"), errors);
  check_data_source(reference, path.child("dataSourceRef"), errors);
  if (source.is_null() || reference.is_null()) return;
  // What a real server shows here is a path, and a path has no fields to show.
  if (!reference.get("namespace").as_string().empty()) {
    errors.push_back(kube::invalid(
        path, "{}", "may not be specified when dataSourceRef.namespace is specified"));
  } else if (!(source.get("apiGroup") == reference.get("apiGroup")) ||
             !(source.get("kind") == reference.get("kind")) ||
             !(source.get("name") == reference.get("name"))) {
    errors.push_back(kube::invalid(path, "{}", "must match dataSourceRef"));
  }
}

constexpr std::array<std::string_view, 22> kVolumeSources{"hostPath",
                                                          "gcePersistentDisk",
                                                          "awsElasticBlockStore",
                                                          "glusterfs",
                                                          "flocker",
                                                          "nfs",
                                                          "rbd",
                                                          "quobyte",
                                                          "cephfs",
                                                          "iscsi",
                                                          "cinder",
                                                          "fc",
                                                          "flexVolume",
                                                          "azureFile",
                                                          "vsphereVolume",
                                                          "photonPersistentDisk",
                                                          "portworxVolume",
                                                          "azureDisk",
                                                          "scaleIO",
                                                          "local",
                                                          "storageos",
                                                          "csi"};

void check_source(std::string_view source, View value, const FieldPath& path, FieldErrors& errors) {
  if (source == "hostPath") {
    check_host_path(value, path, errors);
  } else if (source == "nfs") {
    check_nfs(value, path, errors);
  } else if (source == "local") {
    check_local(value, path, errors);
  } else if (source == "csi") {
    check_driver_name(value.get("driver"), path.child("driver"), errors);
    if (value.get("volumeHandle").as_string().empty()) {
      note_required(path.child("volumeHandle"), errors);
    }
  }
}

void check_volume_source(View spec, const FieldPath& path, FieldErrors& errors) {
  bool found = false;
  for (const auto source : kVolumeSources) {
    const View value = spec.get(source);
    if (value.is_null()) continue;
    if (found && source != "flexVolume") {
      note_forbidden(path.child(source == "cephfs" ? "cephFS" : source),
                     "may not specify more than 1 volume type", errors);
      continue;
    }
    found = true;
    check_source(source, value, path.child(source), errors);
    if (source == "local" && spec.get("nodeAffinity").is_null()) {
      note_required(path.child("nodeAffinity"), errors, "Local volume requires node affinity");
    }
  }
  if (!found) note_required(path, errors, "must specify a volume type");
  if (spec.get("hostPath", "path").as_string() == "/" &&
      spec.get("persistentVolumeReclaimPolicy").as_string() == "Recycle") {
    note_forbidden(path.child("persistentVolumeReclaimPolicy"),
                   "may not be 'recycle' for a hostPath mount of '/'", errors);
  }
}

void check_volume_affinity(View affinity, const FieldPath& path, FieldErrors& errors) {
  if (affinity.is_null()) return;
  if (affinity.get("required").is_null()) {
    note_required(path.child("required"), errors, "must specify required node constraints");
  } else {
    validate_node_selector(affinity.get("required"), path.child("required"), errors);
  }
}

void check_capacity(View capacity, const FieldPath& path, FieldErrors& errors) {
  if (capacity.empty()) note_required(path, errors);
  if (capacity.size() != 1 || !capacity.contains("storage")) {
    errors.push_back(kube::not_supported(path, capacity, {"storage"}));
  }
  for (const auto [name, amount] : capacity.members()) {
    const auto quantity = kube::Quantity::parse(amount.as_string());
    if (quantity && quantity->go_value() < 0) {
      errors.push_back(kube::invalid(path.key(name), std::to_string(quantity->go_value()),
                                     "must be a valid resource quantity"));
    }
    check_positive_amount(amount, path.key(name), errors);
  }
}

FieldErrors check_volume(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  if (spec.get("accessModes").empty()) note_required(path.child("accessModes"), errors);
  check_access_modes(spec.get("accessModes"), path.child("accessModes"), errors);
  check_capacity(spec.get("capacity"), path.child("capacity"), errors);
  check_optional_one_of(spec.get("persistentVolumeReclaimPolicy"),
                        path.child("persistentVolumeReclaimPolicy"),
                        {"Delete", "Recycle", "Retain"}, errors);
  check_volume_affinity(spec.get("nodeAffinity"), path.child("nodeAffinity"), errors);
  check_volume_source(spec, path, errors);
  if (const auto name = spec.get("storageClassName").as_string(); !name.empty()) {
    kube::note_problems(path.child("storageClassName"), name, kube::dns1123_subdomain_problems,
                        errors);
  }
  check_optional_one_of(spec.get("volumeMode"), path.child("volumeMode"), {"Block", "Filesystem"},
                        errors);
  return errors;
}

void check_topology_requirement(View requirement, const FieldPath& path, FieldErrors& errors) {
  const FieldPath values_path = path.child("values");
  const View values = requirement.get("values");
  if (values.empty()) note_required(values_path, errors);
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!seen.emplace(values[i].as_string()).second) {
      errors.push_back(kube::duplicate(values_path.index(i), values[i]));
    }
  }
  kube::note_problems(path.child("key"), requirement.get("key").as_string(),
                      kube::qualified_name_problems, errors);
}

void check_topologies(View topologies, FieldErrors& errors) {
  const FieldPath path{"allowedTopologies"};
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const FieldPath term = path.index(i);
    const FieldPath expressions_path = term.child("matchLabelExpressions");
    const View expressions = topologies[i].get("matchLabelExpressions");
    std::set<std::string, std::less<>> keys;
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const FieldPath here = expressions_path.index(j);
      check_topology_requirement(expressions[j], here, errors);
      const View key = expressions[j].get("key");
      if (!keys.emplace(key.as_string()).second) {
        errors.push_back(kube::duplicate(here.child("key"), key));
      }
    }
  }
}

FieldErrors check_storage_class(View object) {
  FieldErrors errors;
  check_provisioner(object.get("provisioner"), FieldPath{"provisioner"}, errors);
  check_parameters(object.get("parameters"), FieldPath{"parameters"}, errors);
  check_optional_one_of(object.get("reclaimPolicy"), FieldPath{"reclaimPolicy"},
                        {"Delete", "Retain"}, errors);
  check_optional_one_of(object.get("volumeBindingMode"), FieldPath{"volumeBindingMode"},
                        {"Immediate", "WaitForFirstConsumer"}, errors);
  check_topologies(object.get("allowedTopologies"), errors);
  return errors;
}

FieldErrors check_claim(View object) {
  FieldErrors errors;
  check_claim_spec(object.get("spec"), FieldPath{"spec"}, errors);
  return errors;
}

}  // namespace

void check_claim_spec(View spec, const FieldPath& path, FieldErrors& errors) {
  if (spec.get("accessModes").empty()) {
    note_required(path.child("accessModes"), errors, "at least 1 access mode is required");
  }
  kube::append(errors, kube::validate_label_selector(spec.get("selector"), path.child("selector")));
  check_access_modes(spec.get("accessModes"), path.child("accessModes"), errors);
  const FieldPath resources = path.child("resources");
  const View storage = spec.get("resources", "requests", "storage");
  if (storage.is_null()) {
    note_required(resources.key("storage"), errors);
  } else {
    check_positive_amount(storage, resources.key("storage"), errors);
  }
  if (const auto name = spec.get("storageClassName").as_string(); !name.empty()) {
    kube::note_problems(path.child("storageClassName"), name, kube::dns1123_subdomain_problems,
                        errors);
  }
  check_optional_one_of(spec.get("volumeMode"), path.child("volumeMode"), {"Block", "Filesystem"},
                        errors);
  check_data_sources(spec, path, errors);
  if (const auto name = spec.get("volumeAttributesClassName").as_string(); !name.empty()) {
    kube::note_problems(path.child("volumeAttributesClassName"), name,
                        kube::dns1123_subdomain_problems, errors);
  }
}

FieldErrors validate_persistent_volume_claim(View object) {
  return check_claim(object);
}

namespace {

void put(Draft& into, View from, std::string_view key) {
  if (const View value = from.get(key); value.is_null()) {
    into.erase(key);
  } else {
    into[key] = Draft{value};
  }
}

constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";

// The annotation that named the class before the field did stays, unless the field takes over.
void check_beta_class(View object, View old_object, FieldErrors& errors) {
  const View annotations = object.get("metadata", "annotations");
  const View old_annotations = old_object.get("metadata", "annotations");
  const auto now = annotations.get(kBetaClass).as_string();
  const auto before = old_annotations.get(kBetaClass).as_string();
  const View wanted = object.get("spec", "storageClassName");
  const bool taken_over = old_annotations.contains(kBetaClass) &&
                          old_object.get("spec", "storageClassName").is_null() &&
                          !wanted.is_null() && wanted.as_string() == before &&
                          (!annotations.contains(kBetaClass) || now == before);
  if (taken_over || now == before) return;
  const FieldPath metadata{"metadata"};
  const FieldPath path = metadata.child("annotations");
  note_invalid(path.child(kBetaClass), now, kImmutable, errors);
}

// A claim without a class is given one later, when there is a default.
bool learns_class(View object, View old_object) {
  const View wanted = object.get("spec", "storageClassName");
  if (wanted.is_null() || !old_object.get("spec", "storageClassName").is_null()) return false;
  const View annotated = old_object.get("metadata", "annotations", kBetaClass);
  return annotated.is_null() || annotated.as_string() == wanted.as_string();
}

}  // namespace

FieldErrors validate_persistent_volume_claim_update(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  const FieldPath path{"spec"};
  const bool bound = object.get("status", "phase").as_string() == "Bound";
  Draft now{spec};
  Draft before{old_spec};
  // A claim may learn its volume and its class once, and a bound one may ask for more.
  if (old_spec.get("volumeName").as_string().empty()) put(before, spec, "volumeName");
  check_beta_class(object, old_object, errors);
  if (learns_class(object, old_object)) now.erase("storageClassName");
  if (bound) {
    const View requests = old_spec.get("resources", "requests");
    put(now.object_at("resources").object_at("requests"), requests, "storage");
    put(now, old_spec, "volumeAttributesClassName");
  }
  if (!(now == before)) {
    const json::Value frozen_now = now.freeze();
    const json::Value frozen_before = before.freeze();
    note_forbidden(path,
                   "spec is immutable after creation except resources.requests and "
                   "volumeAttributesClassName for bound claims\n" +
                       internal_diff("PersistentVolumeClaimSpec", frozen_before, frozen_now),
                   errors);
  }
  const auto amount = [](View amounts) {
    return kube::Quantity::parse(amounts.get("storage").as_string("0"));
  };
  const auto size = amount(spec.get("resources", "requests"));
  const auto old_size = amount(old_spec.get("resources", "requests"));
  const auto capacity = amount(old_object.get("status", "capacity"));
  if (size && old_size && capacity && *size < *old_size && !(*capacity < *size)) {
    const FieldPath resources = path.child("resources");
    const FieldPath requests = resources.child("requests");
    note_forbidden(requests.child("storage"), "field can not be less than status.capacity", errors);
  }
  check_immutable(spec.get("volumeMode"), old_spec.get("volumeMode"), FieldPath{"volumeMode"},
                  errors);
  return errors;
}

FieldErrors validate_persistent_volume_claim_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath status{"status"};
  for (const std::string_view field : {"capacity", "allocatedResources"}) {
    const FieldPath path = status.child(field);
    for (const auto [name, amount] : object.get("status", field).members()) {
      const auto quantity = kube::Quantity::parse(amount.as_string());
      if (!quantity || quantity->go_value() >= 0) continue;
      errors.push_back(kube::invalid(path.key(name), std::to_string(quantity->go_value()),
                                     "must be a valid resource quantity"));
    }
  }
  for (const auto [name, amount] : object.get("status", "allocatedResources").members()) {
    if (name == "storage" || name.find('/') != std::string_view::npos) continue;
    note_unsupported(status.child("allocatedResources"), name, {"storage"}, errors);
  }
  static const std::vector<std::string> kResizing{
      "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress",
      "NodeResizeInfeasible", "NodeResizePending"};
  for (const auto [name, value] : object.get("status", "allocatedResourceStatuses").members()) {
    if (std::ranges::find(kResizing, value.as_string()) != kResizing.end()) continue;
    // The name is shown, not the value.
    note_unsupported(status.child("allocatedResourceStatuses"), name, kResizing, errors);
  }
  return errors;
}

FieldErrors validate_persistent_volume(View object) {
  return check_volume(object);
}

FieldErrors validate_persistent_volume_update(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  const FieldPath path{"spec"};
  const bool changed = std::ranges::any_of(kVolumeSources, [&](std::string_view source) {
    return !(spec.get(source) == old_spec.get(source));
  });
  if (changed) {
    note_forbidden(path.child("persistentvolumesource"),
                   "spec.persistentvolumesource is immutable after creation\n" +
                       internal_diff("PersistentVolumeSource", old_spec, spec),
                   errors);
  }
  check_immutable(spec.get("volumeMode"), old_spec.get("volumeMode"), FieldPath{"volumeMode"},
                  errors);
  const View affinity = spec.get("nodeAffinity");
  const View old_affinity = old_spec.get("nodeAffinity");
  if (!old_affinity.is_null() && !(affinity == old_affinity)) {
    errors.push_back(
        kube::invalid(FieldPath{"nodeAffinity"},
                      affinity.is_null() ? "null" : internal_text("VolumeNodeAffinity", affinity),
                      std::string{kImmutable} + ", except for updating from beta label to GA"));
  }
  return errors;
}

void check_inline_volume(View spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";
  if (!spec.get("claimRef").is_null()) note_forbidden(path.child("claimRef"), kNotInline, errors);
  if (!spec.get("capacity").empty()) note_forbidden(path.child("capacity"), kNotInline, errors);
  if (spec.get("csi").is_null()) {
    note_required(path.child("csi"), errors,
                  "has to be specified in the context of inline volumes");
  }
  if (spec.get("accessModes").empty()) note_required(path.child("accessModes"), errors);
  check_access_modes(spec.get("accessModes"), path.child("accessModes"), errors);
  const auto policy = spec.get("persistentVolumeReclaimPolicy").as_string("Retain");
  if (policy != "Retain") {
    note_forbidden(path.child("persistentVolumeReclaimPolicy"),
                   "may only be Retain in the context of inline volumes", errors);
  }
  if (!spec.get("nodeAffinity").is_null()) {
    note_forbidden(path.child("nodeAffinity"), kNotInline, errors);
  }
  check_volume_source(spec, path, errors);
  if (!spec.get("storageClassName").as_string().empty()) {
    note_forbidden(path.child("storageClassName"), kNotInline, errors);
  }
  if (spec.get("volumeMode").as_string("Filesystem") != "Filesystem") {
    note_forbidden(
        path.child("volumeMode"),
        "may not specify volumeMode other than Filesystem in the context of inline volumes",
        errors);
  }
}

FieldErrors validate_storage_class(View object) {
  return check_storage_class(object);
}

FieldErrors validate_storage_class_update(View object, View old_object) {
  FieldErrors errors;
  for (const std::string_view field : {"parameters", "provisioner", "reclaimPolicy"}) {
    if (object.get(field) == old_object.get(field)) continue;
    note_forbidden(FieldPath{field}, fmt::format("updates to {} are forbidden.", field), errors);
  }
  check_immutable(object.get("volumeBindingMode"), old_object.get("volumeBindingMode"),
                  FieldPath{"volumeBindingMode"}, errors);
  return errors;
}

}  // namespace fixpoint::kinds
