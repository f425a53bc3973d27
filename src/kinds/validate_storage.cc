// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_storage.h"

#include "json/draft.h"
#include "kinds/internal_form.h"
#include "kube/go_text.h"
#include "kube/label_selector.h"
#include "kube/quantity.h"

#include <algorithm>
#include <array>

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

void check_positive(View amount, const FieldPath& path, FieldErrors& errors) {
  const auto quantity = kube::Quantity::parse(amount.as_string());
  if (quantity && quantity->sign() <= 0) {
    note_invalid(path, amount, "must be greater than zero", errors);
  }
}

FieldErrors check_claim(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
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
    check_positive(storage, resources.key("storage"), errors);
  }
  if (const auto name = spec.get("storageClassName").as_string(); !name.empty()) {
    kube::note_problems(path.child("storageClassName"), name, kube::dns1123_subdomain_problems,
                        errors);
  }
  check_optional_one_of(spec.get("volumeMode"), path.child("volumeMode"), {"Block", "Filesystem"},
                        errors);
  return errors;
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

void check_volume_source(View spec, const FieldPath& path, FieldErrors& errors) {
  bool found = false;
  for (const auto source : kVolumeSources) {
    if (spec.get(source).is_null()) continue;
    if (found)
      note_forbidden(path.child(source), "may not specify more than 1 volume type", errors);
    found = true;
    if (source != "hostPath") continue;
    const FieldPath host = path.child("hostPath");
    const View where = spec.get("hostPath", "path");
    if (where.as_string().empty()) {
      note_required(host.child("path"), errors);
    } else if (("/" + std::string{where.as_string()} + "/").find("/../") != std::string::npos) {
      note_invalid(host.child("path"), where, "must not contain '..'", errors);
    }
  }
  if (!found) note_required(path, errors, "must specify a volume type");
}

void check_capacity(View capacity, const FieldPath& path, FieldErrors& errors) {
  if (capacity.empty()) note_required(path, errors);
  if (capacity.size() != 1 || !capacity.contains("storage")) {
    errors.push_back(kube::not_supported(path, capacity, {"storage"}));
  }
  for (const auto [name, amount] : capacity.members()) {
    if (name != "storage") continue;
    const auto quantity = kube::Quantity::parse(amount.as_string());
    if (quantity && quantity->sign() < 0) {
      errors.push_back(kube::invalid(path.key(name), std::to_string(quantity->value()),
                                     "must be a valid resource quantity"));
    }
    check_positive(amount, path.key(name), errors);
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
  check_volume_source(spec, path, errors);
  if (const auto name = spec.get("storageClassName").as_string(); !name.empty()) {
    kube::note_problems(path.child("storageClassName"), name, kube::dns1123_subdomain_problems,
                        errors);
  }
  check_optional_one_of(spec.get("volumeMode"), path.child("volumeMode"), {"Block", "Filesystem"},
                        errors);
  return errors;
}

FieldErrors check_storage_class(View object) {
  FieldErrors errors;
  const auto provisioner = object.get("provisioner").as_string();
  if (provisioner.empty()) {
    note_required(FieldPath{"provisioner"}, errors);
  } else {
    const auto lower = kube::lower_case(provisioner);
    kube::note_problems(FieldPath{"provisioner"}, lower, kube::qualified_name_problems, errors);
  }
  for (const auto [key, value] : object.get("parameters").members()) {
    if (key.empty()) note_invalid(FieldPath{"parameters"}, key, "field can not be empty.", errors);
  }
  check_optional_one_of(object.get("reclaimPolicy"), FieldPath{"reclaimPolicy"},
                        {"Delete", "Retain"}, errors);
  check_optional_one_of(object.get("volumeBindingMode"), FieldPath{"volumeBindingMode"},
                        {"Immediate", "WaitForFirstConsumer"}, errors);
  return errors;
}

FieldErrors check_csi_driver(View object) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  check_optional_one_of(object.get("spec", "fsGroupPolicy"), path.child("fsGroupPolicy"),
                        {"File", "None", "ReadWriteOnceWithFSType"}, errors);
  const FieldPath modes_path = path.child("volumeLifecycleModes");
  for (const View mode : object.get("spec", "volumeLifecycleModes").elements()) {
    check_one_of(mode, modes_path, {"Ephemeral", "Persistent"}, errors);
  }
  return errors;
}

}  // namespace

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

// A claim without a class is given one later, when there is a default.
bool learns_class(View object, View old_object) {
  constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
  const View wanted = object.get("spec", "storageClassName");
  if (wanted.is_null() || !old_object.get("spec", "storageClassName").is_null()) return false;
  const View annotated = old_object.get("metadata", "annotations", kBetaClass);
  return annotated.is_null() || annotated.as_string() == wanted.as_string();
}

}  // namespace

FieldErrors validate_persistent_volume_claim_update(View object, View old_object) {
  FieldErrors errors = check_claim(object);
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  const FieldPath path{"spec"};
  const bool bound = object.get("status", "phase").as_string() == "Bound";
  Draft now{spec};
  Draft before{old_spec};
  // A claim may learn its volume and its class once, and a bound one may ask for more.
  if (old_spec.get("volumeName").as_string().empty()) put(before, spec, "volumeName");
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
  return errors;
}

FieldErrors validate_persistent_volume(View object) {
  return check_volume(object);
}

FieldErrors validate_persistent_volume_update(View object, View old_object) {
  FieldErrors errors = check_volume(object);
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
  check_immutable(spec.get("volumeMode"), old_spec.get("volumeMode"), path.child("volumeMode"),
                  errors);
  return errors;
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

FieldErrors validate_csi_driver(View object) {
  return check_csi_driver(object);
}

FieldErrors validate_csi_driver_update(View object, View old_object) {
  FieldErrors errors = check_csi_driver(object);
  const FieldPath path{"spec"};
  check_immutable(object.get("spec", "attachRequired"), old_object.get("spec", "attachRequired"),
                  path.child("attachedRequired"), errors);
  return errors;
}

}  // namespace fixpoint::kinds
