// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/storage/csi.h"

#include "json/print.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/storage/storage.h"
#include "kube/go/text.h"
#include "kube/selectors/label_selector.h"

#include <set>
#include <string>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::size_t kDriverNameMax = 63;
constexpr std::size_t kNodeIdMax = 256;
constexpr std::size_t kParametersMax = 512;
constexpr std::size_t kParameterBytesMax = std::size_t{256} << 10U;

void check_token_requests(View requests, const FieldPath& path, FieldErrors& errors) {
  constexpr std::int64_t kSecondsMin = 600;
  constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32U;
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const FieldPath here = path.index(i);
    const auto audience = requests[i].get("audience").as_string();
    if (!seen.emplace(audience).second) {
      const auto text = json::Value::string(audience);
      errors.push_back(kube::duplicate(here.child("audience"), text));
      continue;
    }
    const View seconds = requests[i].get("expirationSeconds");
    if (seconds.is_null()) continue;
    if (seconds.as_int() < kSecondsMin) {
      note_invalid(here.child("expirationSeconds"), seconds,
                   "may not specify a duration less than 10 minutes", errors);
    }
    if (seconds.as_int() > kSecondsMax) {
      note_invalid(here.child("expirationSeconds"), seconds,
                   "may not specify a duration larger than 2^32 seconds", errors);
    }
  }
}

void check_driver_spec(View spec, FieldErrors& errors) {
  const FieldPath path{"spec"};
  check_optional_one_of(spec.get("fsGroupPolicy"), path.child("fsGroupPolicy"),
                        {"File", "None", "ReadWriteOnceWithFSType"}, errors);
  check_token_requests(spec.get("tokenRequests"), path.child("tokenRequests"), errors);
  const FieldPath modes_path = path.child("volumeLifecycleModes");
  for (const View mode : spec.get("volumeLifecycleModes").elements()) {
    check_one_of(mode, modes_path, {"Persistent", "Ephemeral"}, errors);
  }
}

void check_node_driver(View driver, const FieldPath& path, FieldErrors& errors) {
  check_driver_name(driver.get("name"), path.child("name"), errors);
  const View id = driver.get("nodeID");
  if (id.as_string().empty()) note_required(path.child("nodeID"), errors);
  if (id.as_string().size() > kNodeIdMax) {
    note_invalid(path.child("nodeID"), id, fmt::format("must be {} characters or less", kNodeIdMax),
                 errors);
  }
  const FieldPath allocatable = path.child("allocatable");
  check_nonnegative(driver.get("allocatable", "count"), allocatable.child("count"), errors);
}

void check_topology_keys(View keys, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string, std::less<>> seen;
  for (const View key : keys.elements()) {
    if (key.as_string().empty()) note_required(path, errors);
    if (!seen.emplace(key.as_string()).second) errors.push_back(kube::duplicate(path, key));
    kube::note_problems(path, key.as_string(), kube::qualified_name_problems, errors);
  }
}

void check_node_drivers(View drivers, FieldErrors& errors) {
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("drivers");
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = drivers[i].get("name");
    check_node_driver(drivers[i], here, errors);
    if (!seen.emplace(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
    check_topology_keys(drivers[i].get("topologyKeys"), here, errors);
  }
}

std::string shown_or(View value, std::string_view absent) {
  return value.is_null() ? std::string{absent} : json::to_text(value);
}

// As a server has them inside.
std::string shown_driver(View driver) {
  const View allocatable = driver.get("allocatable");
  const auto count =
      allocatable.is_null()
          ? "null"
          : fmt::format(R"({{"Count":{}}})", shown_or(allocatable.get("count"), "null"));
  return fmt::format(R"({{"Name":{},"NodeID":{},"TopologyKeys":{},"Allocatable":{}}})",
                     shown_or(driver.get("name"), "\"\""), shown_or(driver.get("nodeID"), "\"\""),
                     shown_or(driver.get("topologyKeys"), "null"), count);
}

std::string shown_attachment(View spec) {
  const View inline_spec = spec.get("source", "inlineVolumeSpec");
  return fmt::format(
      R"({{"Attacher":{},"Source":{{"PersistentVolumeName":{},"InlineVolumeSpec":{}}},"NodeName":{}}})",
      shown_or(spec.get("attacher"), "\"\""),
      shown_or(spec.get("source", "persistentVolumeName"), "null"),
      inline_spec.is_null() ? "null" : internal_text("PersistentVolumeSpec", inline_spec),
      shown_or(spec.get("nodeName"), "\"\""));
}

void check_attachment(View object, FieldErrors& errors) {
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  if (spec.get("attacher").as_string().empty()) note_required(path.child("attacher"), errors);
  const FieldPath source = path.child("source");
  const View name = spec.get("source", "persistentVolumeName");
  const View inline_spec = spec.get("source", "inlineVolumeSpec");
  constexpr std::string_view kOne =
      "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name.is_null() == inline_spec.is_null()) {
    if (name.is_null()) {
      note_required(source, errors, kOne);
    } else {
      note_forbidden(source, kOne, errors);
    }
  } else if (!name.is_null() && name.as_string().empty()) {
    note_required(source.child("persistentVolumeName"), errors,
                  "must specify non empty persistentVolumeName");
  } else if (!inline_spec.is_null()) {
    check_inline_volume(inline_spec, source.child("inlineVolumeSpec"), errors);
  }
  kube::note_problems(path.child("nodeName"), spec.get("nodeName").as_string(),
                      kube::dns1123_subdomain_problems, errors);
}

void check_attributes_class(View object, FieldErrors& errors) {
  check_provisioner(object.get("driverName"), FieldPath{"driverName"}, errors);
  const FieldPath parameters{"parameters"};
  check_parameters(object.get("parameters"), parameters, errors);
  if (object.get("parameters").empty()) {
    note_required(parameters, errors, "must contain at least one key/value pair");
  }
}

}  // namespace

void check_driver_name(View name, const FieldPath& path, FieldErrors& errors) {
  const auto text = name.as_string();
  if (text.empty()) note_required(path, errors);
  if (text.size() > kDriverNameMax) errors.push_back(kube::too_long(path, kDriverNameMax));
  for (const auto& problem : kube::dns1123_subdomain_problems(kube::lower_case(text))) {
    note_invalid(path, text, problem, errors);
  }
}

void check_provisioner(View name, const FieldPath& path, FieldErrors& errors) {
  if (name.as_string().empty()) {
    note_required(path, errors);
  } else {
    const auto lower = kube::lower_case(name.as_string());
    kube::note_problems(path, lower, kube::qualified_name_problems, errors);
  }
}

void check_parameters(View parameters, const FieldPath& path, FieldErrors& errors) {
  if (parameters.size() > kParametersMax) {
    errors.push_back(kube::too_long(path, kParametersMax));
    return;
  }
  std::size_t bytes = 0;
  for (const auto [key, value] : parameters.members()) {
    if (key.empty()) note_invalid(path, key, "field can not be empty.", errors);
    bytes += key.size() + value.as_string().size();
  }
  if (bytes > kParameterBytesMax) errors.push_back(kube::too_long(path, kParameterBytesMax));
}

FieldErrors validate_csi_driver(View object) {
  FieldErrors errors;
  check_driver_spec(object.get("spec"), errors);
  return errors;
}

FieldErrors validate_csi_driver_update(View object, View old_object) {
  FieldErrors errors = validate_csi_driver(object);
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  const FieldPath path{"spec"};
  // Its own name for the field, with one letter more.
  check_immutable(spec.get("attachRequired"), old_spec.get("attachRequired"),
                  path.child("attachedRequired"), errors);
  check_immutable(spec.get("volumeLifecycleModes"), old_spec.get("volumeLifecycleModes"),
                  path.child("volumeLifecycleModes"), errors);
  return errors;
}

FieldErrors validate_csi_node(View object) {
  FieldErrors errors;
  check_node_drivers(object.get("spec", "drivers"), errors);
  return errors;
}

FieldErrors validate_csi_node_update(View object, View old_object) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  for (const View old_driver : old_object.get("spec", "drivers").elements()) {
    for (const View driver : object.get("spec", "drivers").elements()) {
      if (!(driver.get("name") == old_driver.get("name")) || driver == old_driver) continue;
      errors.push_back(
          kube::invalid(path.child("drivers"), shown_driver(driver), std::string{kImmutable}));
    }
  }
  return errors;
}

FieldErrors validate_storage_capacity(View object) {
  FieldErrors errors;
  kube::append(
      errors, kube::validate_label_selector(object.get("nodeTopology"), FieldPath{"nodeTopology"}));
  kube::note_problems(FieldPath{"storageClassName"}, object.get("storageClassName").as_string(),
                      kube::dns1123_subdomain_problems, errors);
  check_quantity_nonnegative(object.get("capacity"), FieldPath{"capacity"}, errors);
  return errors;
}

FieldErrors validate_storage_capacity_update(View object, View old_object) {
  FieldErrors errors;
  if (!(object.get("nodeTopology") == old_object.get("nodeTopology"))) {
    errors.push_back(
        kube::invalid(FieldPath{"nodeTopology"},
                      shown_struct(object.get("nodeTopology"), {"matchLabels", "matchExpressions"}),
                      std::string{kImmutable}));
  }
  if (object.get("storageClassName").as_string() !=
      old_object.get("storageClassName").as_string()) {
    note_invalid(FieldPath{"storageClassName"}, object.get("storageClassName").as_string(),
                 kImmutable, errors);
  }
  return errors;
}

FieldErrors validate_volume_attachment(View object) {
  FieldErrors errors;
  check_attachment(object, errors);
  const View spec = object.get("spec");
  check_driver_name(spec.get("attacher"), FieldPath{"spec.attacher"}, errors);
  if (const View name = spec.get("source", "persistentVolumeName"); !name.is_null()) {
    kube::note_problems(FieldPath{"spec.source.persistentVolumeName"}, name.as_string(),
                        kube::dns1123_subdomain_problems, errors);
  }
  return errors;
}

FieldErrors validate_volume_attachment_update(View object, View old_object) {
  FieldErrors errors;
  // Twice, but not as closely as at a new one.
  check_attachment(object, errors);
  check_attachment(object, errors);
  if (!(object.get("spec") == old_object.get("spec"))) {
    errors.push_back(kube::invalid(FieldPath{"spec"}, shown_attachment(object.get("spec")),
                                   std::string{kImmutable}));
  }
  return errors;
}

FieldErrors validate_attributes_class(View object) {
  FieldErrors errors;
  check_attributes_class(object, errors);
  return errors;
}

FieldErrors validate_attributes_class_update(View object, View old_object) {
  FieldErrors errors;
  check_attributes_class(object, errors);
  for (const std::string_view field : {"driverName", "parameters"}) {
    if (object.get(field) == old_object.get(field)) continue;
    note_forbidden(FieldPath{field}, fmt::format("updates to {} are forbidden.", field), errors);
  }
  check_attributes_class(object, errors);
  return errors;
}

}  // namespace fixpoint::kinds
