// SPDX-License-Identifier: Apache-2.0
//
// Volumes, claims, storage classes and drivers.
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"

#include <algorithm>
#include <utility>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

std::string access_modes(View modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce",    "RWO" },
      {"ReadOnlyMany",     "ROX" },
      {"ReadWriteMany",    "RWX" },
      {"ReadWriteOncePod", "RWOP"},
  };
  const auto given = strings_of(modes);
  std::vector<std::string> shown;
  for (const auto& [mode, letters] : kShort) {
    if (std::ranges::find(given, mode) != given.end()) shown.emplace_back(letters);
  }
  return joined(shown, ",");
}

std::string storage_class(View object) {
  const auto beta =
      object.get("metadata", "annotations").find("volume.beta.kubernetes.io/storage-class");
  return beta ? text(*beta) : text(object.get("spec", "storageClassName"));
}

std::string phase(View object) {
  return object.get("metadata", "deletionTimestamp").is_null() ? text(object.get("status", "phase"))
                                                               : "Terminating";
}

Cells volume_cells(View object, Instant now) {
  const View spec = object.get("spec");
  const View claim = spec.get("claimRef");
  return {
      name_cell(object),
      Draft{or_else(spec.get("capacity", "storage"), "0")},
      Draft{access_modes(spec.get("accessModes"))},
      Draft{text(spec.get("persistentVolumeReclaimPolicy"))},
      Draft{phase(object)},
      Draft{claim.is_null() ? "" : text(claim.get("namespace")) + "/" + text(claim.get("name"))},
      Draft{storage_class(object)},
      Draft{spec.get("volumeAttributesClassName").as_string(kUnset)},
      Draft{text(object.get("status", "reason"))},
      age_cell(object, now),
      Draft{spec.get("volumeMode").as_string(kUnset)}};
}

Cells claim_cells(View object, Instant now) {
  const View spec = object.get("spec");
  const bool bound = !spec.get("volumeName").as_string().empty();
  return {name_cell(object),
          Draft{phase(object)},
          Draft{text(spec.get("volumeName"))},
          Draft{bound ? or_else(object.get("status", "capacity", "storage"), "0") : ""},
          Draft{bound ? access_modes(object.get("status", "accessModes")) : ""},
          Draft{storage_class(object)},
          Draft{spec.get("volumeAttributesClassName").as_string(kUnset)},
          age_cell(object, now),
          Draft{spec.get("volumeMode").as_string(kUnset)}};
}

Cells class_cells(View object, Instant now) {
  auto name = text(object.get("metadata", "name"));
  for (const std::string_view mark : {"storageclass.kubernetes.io/is-default-class",
                                      "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (object.get("metadata", "annotations", mark).as_string() == "true") {
      name += " (default)";
      break;
    }
  }
  return {Draft{std::move(name)},
          Draft{text(object.get("provisioner"))},
          Draft{object.get("reclaimPolicy").as_string("Delete")},
          Draft{object.get("volumeBindingMode").as_string("Immediate")},
          Draft{object.get("allowVolumeExpansion").as_bool()},
          age_cell(object, now)};
}

Cells attributes_class_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("driverName"))}, age_cell(object, now)};
}

Cells attachment_cells(View object, Instant now) {
  const View spec = object.get("spec");
  return {name_cell(object),
          Draft{text(spec.get("attacher"))},
          Draft{text(spec.get("source", "persistentVolumeName"))},
          Draft{text(spec.get("nodeName"))},
          Draft{object.get("status", "attached").as_bool()},
          age_cell(object, now)};
}

Cells driver_cells(View object, Instant now) {
  const View spec = object.get("spec");
  const View tokens = spec.get("tokenRequests");
  const auto modes = joined(strings_of(spec.get("volumeLifecycleModes")), ",");
  return {name_cell(object),
          Draft{spec.get("attachRequired").as_bool(true)},
          Draft{spec.get("podInfoOnMount").as_bool()},
          Draft{spec.get("storageCapacity").as_bool()},
          Draft{tokens.is_null() ? std::string{kUnset} : joined(each(tokens, "audience"), ",")},
          Draft{spec.get("requiresRepublish").as_bool()},
          Draft{modes.empty() ? std::string{kNone} : modes},
          age_cell(object, now)};
}

Cells node_drivers_cells(View object, Instant now) {
  return {name_cell(object), Draft{static_cast<std::int64_t>(object.get("spec", "drivers").size())},
          age_cell(object, now)};
}

constexpr Printer kStoragePrinters[] = {
    {"",               "PersistentVolume",
     "Name,Capacity,Access Modes,Reclaim "
     "Policy,Status,Claim,StorageClass,VolumeAttributesClass,Reason,Age,*VolumeMode",                     volume_cells          },
    {"",               "PersistentVolumeClaim",
     "Name,Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,Age,*VolumeMode",       claim_cells           },
    {"storage.k8s.io", "StorageClass",
     "Name,Provisioner,ReclaimPolicy,VolumeBindingMode,AllowVolumeExpansion,Age",                         class_cells           },
    {"storage.k8s.io", "VolumeAttributesClass", "Name,DriverName,Age",                                    attributes_class_cells},
    {"storage.k8s.io", "VolumeAttachment",      "Name,Attacher:string:name,PV,Node,Attached:boolean,Age",
     attachment_cells                                                                                                           },
    {"storage.k8s.io", "CSIDriver",
     "Name,AttachRequired:boolean,PodInfoOnMount:boolean,StorageCapacity:boolean,TokenRequests,"
     "RequiresRepublish:boolean,Modes,Age",                                                               driver_cells          },
    {"storage.k8s.io", "CSINode",               "Name,Drivers:integer,Age",                               node_drivers_cells    },
};

}  // namespace

std::span<const Printer> storage_printers() {
  return kStoragePrinters;
}

}  // namespace fixpoint::kinds
