// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/volumes.h"

#include "kube/go/text.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>
#include <set>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kFileModeRange =
    "must be a number between 0 and 0777 (octal), both inclusive";

void check_mode(View mode, const FieldPath& path, FieldErrors& errors) {
  if (mode.as_int() > 0777 || mode.as_int() < 0) note_invalid(path, mode, kFileModeRange, errors);
}

bool has_backstep(std::string_view text) {
  while (true) {
    const auto slash = text.find('/');
    if (text.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    text.remove_prefix(slash + 1);
  }
}

void check_no_backsteps(View value, const FieldPath& path, FieldErrors& errors) {
  if (has_backstep(value.as_string())) note_invalid(path, value, "must not contain '..'", errors);
}

void check_local_path(View value, const FieldPath& path, FieldErrors& errors) {
  check_descending_path(value, path, errors);
  const auto text = value.as_string();
  if (text.starts_with("..") && !text.starts_with("../")) {
    note_invalid(path, value, "must not start with '..'", errors);
  }
}

void check_key_to_path(View item, const FieldPath& path, FieldErrors& errors) {
  require_text(item.get("key"), path.child("key"), errors);
  require_text(item.get("path"), path.child("path"), errors);
  check_local_path(item.get("path"), path.child("path"), errors);
  check_mode(item.get("mode"), path.child("mode"), errors);
}

void check_items(View source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath items_path = path.child("items");
  const View items = source.get("items");
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_key_to_path(items[i], items_path.index(i), errors);
  }
}

void check_empty_dir(View source, const FieldPath& path, FieldErrors& errors) {
  const auto size = kube::Quantity::parse(source.get("sizeLimit").as_string());
  if (size && size->sign() < 0) {
    note_forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity",
                   errors);
  }
}

void check_secret(View source, const FieldPath& path, FieldErrors& errors) {
  require_text(source.get("secretName"), path.child("secretName"), errors);
  check_mode(source.get("defaultMode"), path.child("defaultMode"), errors);
  check_items(source, path, errors);
}

void check_config_map(View source, const FieldPath& path, FieldErrors& errors) {
  require_text(source.get("name"), path.child("name"), errors);
  check_mode(source.get("defaultMode"), path.child("defaultMode"), errors);
  check_items(source, path, errors);
}

void check_claim_source(View source, const FieldPath& path, FieldErrors& errors) {
  require_text(source.get("claimName"), path.child("claimName"), errors);
}

void check_csi(View source, const FieldPath& path, FieldErrors& errors) {
  const View driver = source.get("driver");
  require_text(driver, path.child("driver"), errors);
  if (driver.as_string().empty()) return;
  for (const auto& problem :
       kube::dns1123_subdomain_problems(kube::lower_case(driver.as_string()))) {
    note_invalid(path.child("driver"), driver, problem, errors);
  }
}

// One file of a downward API volume; a real server gives them no index.
void check_downward_file(View file, const FieldPath& path, FieldErrors& errors) {
  require_text(file.get("path"), path.child("path"), errors);
  check_local_path(file.get("path"), path.child("path"), errors);
  const View field = file.get("fieldRef");
  const View resource = file.get("resourceFieldRef");
  if (!field.is_null()) {
    validate_field_ref(field, FieldUse::Volume, path.child("fieldRef"), errors);
    if (!resource.is_null()) {
      note_invalid(path, "resource",
                   "fieldRef and resourceFieldRef can not be specified simultaneously", errors);
    }
  } else if (!resource.is_null()) {
    validate_resource_field_ref(resource, FieldUse::Volume, path.child("resourceFieldRef"), errors);
  } else {
    note_required(path, errors, "one of fieldRef and resourceFieldRef is required");
  }
  check_mode(file.get("mode"), path.child("mode"), errors);
}

void check_downward(View source, const FieldPath& path, FieldErrors& errors) {
  check_mode(source.get("defaultMode"), path.child("defaultMode"), errors);
  for (const View file : source.get("items").elements()) check_downward_file(file, path, errors);
}

void check_token(View token, const FieldPath& projected, const FieldPath& path,
                 FieldErrors& errors) {
  const View seconds = token.get("expirationSeconds");
  const FieldPath seconds_path = path.child("expirationSeconds");
  if (seconds.as_int() < 600) {
    note_invalid(seconds_path, seconds, "may not specify a duration less than 10 minutes", errors);
  }
  if (seconds.as_int() > (std::int64_t{1} << 32U)) {
    note_invalid(seconds_path, seconds, "may not specify a duration larger than 2^32 seconds",
                 errors);
  }
  const View where = token.get("path");
  require_text(where, projected.child("path"), errors);
  if (!where.as_string().empty()) check_local_path(where, projected.child("path"), errors);
}

// Each file of a volume has a path of its own; `said` is what a refusal shows.
void check_new_path(View path_of, View said, std::set<std::string>& paths,
                    const FieldPath& projected, FieldErrors& errors) {
  const std::string path{path_of.as_string()};
  if (path.empty() || paths.insert(path).second) return;
  note_invalid(projected, said, "conflicting duplicate paths", errors);
}

void check_projection(View source, std::set<std::string>& paths, const FieldPath& projected,
                      const FieldPath& path, FieldErrors& errors) {
  int kinds = 0;
  for (const std::string_view kind : {"secret", "configMap"}) {
    const View part = source.get(kind);
    if (part.is_null()) continue;
    ++kinds;
    const FieldPath here = path.child(kind);
    require_text(part.get("name"), here.child("name"), errors);
    check_items(part, here, errors);
    for (const View item : part.get("items").elements()) {
      check_new_path(item.get("path"), part.get("name"), paths, projected, errors);
    }
  }
  if (const View part = source.get("downwardAPI"); !part.is_null()) {
    ++kinds;
    const FieldPath here = path.child("downwardAPI");
    for (const View file : part.get("items").elements()) {
      check_downward_file(file, here, errors);
      check_new_path(file.get("path"), file.get("path"), paths, projected, errors);
    }
  }
  if (const View part = source.get("serviceAccountToken"); !part.is_null()) {
    ++kinds;
    check_token(part, projected, path.child("serviceAccountToken"), errors);
  }
  if (!source.get("clusterTrustBundle").is_null()) ++kinds;
  if (kinds > 1) {
    note_forbidden(path, "may not specify more than 1 volume type per source", errors);
  }
}

void check_projected(View source, const FieldPath& path, FieldErrors& errors) {
  check_mode(source.get("defaultMode"), path.child("defaultMode"), errors);
  const FieldPath sources_path = path.child("sources");
  const View sources = source.get("sources");
  std::set<std::string> paths;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_projection(sources[i], paths, path, sources_path.index(i), errors);
  }
}

struct VolumeKind {
  std::string_view name;
  void (*check)(View source, const FieldPath& path, FieldErrors& errors) = nullptr;
};
// In the order in which a real server looks at them; kinds without a check are taken as they are.
constexpr std::array kVolumeKinds{
    VolumeKind{"emptyDir", check_empty_dir},
    VolumeKind{"hostPath", check_host_path},
    VolumeKind{"gitRepo"},
    VolumeKind{"gcePersistentDisk"},
    VolumeKind{"awsElasticBlockStore"},
    VolumeKind{"secret", check_secret},
    VolumeKind{"nfs", check_nfs},
    VolumeKind{"iscsi"},
    VolumeKind{"glusterfs"},
    VolumeKind{"flocker"},
    VolumeKind{"persistentVolumeClaim", check_claim_source},
    VolumeKind{"rbd"},
    VolumeKind{"cinder"},
    VolumeKind{"cephfs"},
    VolumeKind{"quobyte"},
    VolumeKind{"downwardAPI", check_downward},
    VolumeKind{"fc"},
    VolumeKind{"flexVolume"},
    VolumeKind{"configMap", check_config_map},
    VolumeKind{"azureFile"},
    VolumeKind{"vsphereVolume"},
    VolumeKind{"photonPersistentDisk"},
    VolumeKind{"portworxVolume"},
    VolumeKind{"azureDisk"},
    VolumeKind{"storageos"},
    VolumeKind{"projected", check_projected},
    VolumeKind{"scaleIO"},
    VolumeKind{"csi", check_csi},
    VolumeKind{"ephemeral"},
    VolumeKind{"image"}
};

// How a real server writes a second type: two of them otherwise than they are called.
std::string_view second_type(std::string_view name) {
  if (name == "cephfs") return "cephFS";
  return name == "downwardAPI" ? "downwarAPI" : name;
}

void check_pod_volume_source(View volume, const FieldPath& path, FieldErrors& errors) {
  bool found = false;
  for (const auto& kind : kVolumeKinds) {
    const View source = volume.get(kind.name);
    if (source.is_null()) continue;
    if (found) {
      note_forbidden(path.child(second_type(kind.name)), "may not specify more than 1 volume type",
                     errors);
    } else if (kind.check != nullptr) {
      kind.check(source, path.child(kind.name), errors);
    }
    found = true;
  }
  if (!found) note_required(path, errors, "must specify a volume type");
}

// metadata.labels['key'] -> metadata.labels, key.
bool split_subscript(std::string_view text, std::string_view& path, std::string_view& subscript) {
  if (!text.ends_with("']")) return false;
  const auto open = text.find("['");
  if (open == std::string_view::npos || open == 0) return false;
  path = text.substr(0, open);
  subscript = text.substr(open + 2, text.size() - open - 4);
  return true;
}

// What a fieldPath may name at all, before it is asked who may use it.
bool known_field(std::string_view path) {
  constexpr std::array<std::string_view, 13> kKnown{
      "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
      "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
      "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
      "status.podIP"};
  return std::ranges::find(kKnown, path) != kKnown.end() || path == "status.podIPs";
}

}  // namespace

void check_host_path(View source, const FieldPath& path, FieldErrors& errors) {
  if (source.get("path").as_string().empty()) {
    note_required(path.child("path"), errors);
    return;
  }
  check_no_backsteps(source.get("path"), path.child("path"), errors);
  check_optional_one_of(source.get("type"), path.child("type"),
                        {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                         "FileOrCreate", "Socket"},
                        errors);
}

void check_local(View source, const FieldPath& path, FieldErrors& errors) {
  if (source.get("path").as_string().empty()) {
    note_required(path.child("path"), errors);
  } else {
    check_no_backsteps(source.get("path"), path.child("path"), errors);
  }
}

void check_nfs(View source, const FieldPath& path, FieldErrors& errors) {
  require_text(source.get("server"), path.child("server"), errors);
  const View where = source.get("path");
  require_text(where, path.child("path"), errors);
  if (!where.as_string().starts_with('/')) {
    note_invalid(path.child("path"), where.as_string(), "must be an absolute path", errors);
  }
}

void check_descending_path(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.as_string().starts_with('/')) {
    note_invalid(path, value, "must be a relative path", errors);
  }
  check_no_backsteps(value, path, errors);
}

void validate_field_ref(View reference, FieldUse use, const FieldPath& path, FieldErrors& errors) {
  const View field = reference.get("fieldPath");
  if (reference.get("apiVersion").as_string().empty()) {
    note_required(path.child("apiVersion"), errors);
    return;
  }
  if (field.as_string().empty()) {
    note_required(path.child("fieldPath"), errors);
    return;
  }
  std::string_view name;
  std::string_view subscript;
  if (split_subscript(field.as_string(), name, subscript)) {
    if (name == "metadata.annotations") {
      const auto lower = kube::lower_case(subscript);
      kube::note_problems(path, lower, kube::qualified_name_problems, errors);
    } else if (name == "metadata.labels") {
      kube::note_problems(path, subscript, kube::qualified_name_problems, errors);
    } else {
      note_invalid(path.child("fieldPath"), field,
                   "error converting fieldPath: field label does not support subscript", errors);
    }
    return;
  }
  if (!known_field(field.as_string())) {
    note_invalid(
        path.child("fieldPath"), field,
        "error converting fieldPath: field label not supported: " + std::string{field.as_string()},
        errors);
    return;
  }
  if (use == FieldUse::Volume) {
    check_one_of(field, path.child("fieldPath"),
                 {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                  "metadata.uid"},
                 errors);
  } else {
    check_one_of(field, path.child("fieldPath"),
                 {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                  "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
                  "status.podIPs"},
                 errors);
  }
}

void validate_resource_field_ref(View reference, FieldUse use, const FieldPath& path,
                                 FieldErrors& errors) {
  const View resource = reference.get("resource");
  if (use == FieldUse::Volume && reference.get("containerName").as_string().empty()) {
    note_required(path.child("containerName"), errors);
    return;
  }
  if (resource.as_string().empty()) {
    note_required(path.child("resource"), errors);
    return;
  }
  if (resource.as_string().starts_with("limits.hugepages-") ||
      resource.as_string().starts_with("requests.hugepages-")) {
    return;
  }
  check_one_of(resource, path.child("resource"),
               {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                "requests.ephemeral-storage", "requests.memory"},
               errors);
}

Volumes validate_volumes(View volumes, const FieldPath& path, FieldErrors& errors) {
  Volumes good;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const FieldPath here = path.index(i);
    const FieldPath name_path = here.child("name");
    const View name = volumes[i].get("name");
    const auto before = errors.size();
    check_pod_volume_source(volumes[i], here, errors);
    require_text(name, name_path, errors);
    if (!name.as_string().empty()) {
      kube::note_problems(name_path, name.as_string(), kube::dns1123_label_problems, errors);
    }
    if (good.contains(name.as_string())) errors.push_back(kube::duplicate(name_path, name));
    if (errors.size() == before) good.emplace(std::string{name.as_string()}, volumes[i]);
  }
  return good;
}

}  // namespace fixpoint::kinds
