// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/volume_warnings.h"

#include "kube/go/text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::View;
using kube::FieldPath;

struct OldVolume {
  std::string_view source;
  std::string_view shown;
  std::string_view text;
};
constexpr std::array kOldVolumes{
    OldVolume{"photonPersistentDisk", "photonPersistentDisk",
              "deprecated in v1.11, non-functional in v1.16+"                                                         },
    OldVolume{"gitRepo",              "gitRepo",              "deprecated in v1.11, and disabled by default in v1.33+"},
    OldVolume{"scaleIO",              "scaleIO",              "deprecated in v1.16, non-functional in v1.22+"         },
    OldVolume{"flocker",              "flocker",              "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"storageos",            "storageOS",            "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"quobyte",              "quobyte",              "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"glusterfs",            "glusterfs",            "deprecated in v1.25, non-functional in v1.26+"         },
    OldVolume{"cephfs",               "cephfs",               "deprecated in v1.28, non-functional in v1.31+"         },
    OldVolume{"rbd",                  "rbd",                  "deprecated in v1.28, non-functional in v1.31+"         }
};

// The paths of files that one volume shows, and where each comes from.
struct File {
  std::string path;
  std::string source;

  std::string shown() const {
    const auto quoted = kube::go_quoted(path);
    return source.empty() ? quoted : fmt::format("{} ({})", quoted, source);
  }
};

bool overlap(const File& one, const File& other) {
  if (one.path.empty() || other.path.empty()) return false;
  const auto a = one.path + "/";
  const auto b = other.path + "/";
  return a.starts_with(b) || b.starts_with(a);
}

void add_items(View items, const std::string& source, std::vector<File>& files) {
  for (const View item : items.elements()) {
    files.push_back({std::string{item.get("path").as_string()}, source});
  }
}

void warn_of_overlaps(const std::vector<File>& files, const std::string& volume,
                      Warnings& warnings) {
  std::vector<File> earlier;
  for (auto file : files) {
    while (file.path.ends_with('/')) file.path.pop_back();
    for (const auto& other : earlier) {
      if (!overlap(file, other)) continue;
      warnings.push_back(fmt::format("volume {}: overlapping paths: {} with {}", volume,
                                     file.shown(), other.shown()));
    }
    earlier.push_back(std::move(file));
  }
}

std::string named(std::string_view what, View name) {
  return fmt::format("{} {}", what, kube::go_quoted(name.as_string()));
}

void add_projected(View source, std::vector<File>& files) {
  const auto add = [&](View path, std::string from) {
    files.push_back({std::string{path.as_string()}, std::move(from)});
  };
  if (const View map = source.get("configMap"); !map.get("items").empty()) {
    add_items(map.get("items"), named("ConfigMap", map.get("name")), files);
  } else if (const View secret = source.get("secret"); !secret.get("items").empty()) {
    add_items(secret.get("items"), named("Secret", secret.get("name")), files);
  } else if (const View down = source.get("downwardAPI"); !down.get("items").empty()) {
    add_items(down.get("items"), "DownwardAPI", files);
  } else if (const View token = source.get("serviceAccountToken"); !token.is_null()) {
    add(token.get("path"), "ServiceAccountToken");
  } else if (const View bundle = source.get("clusterTrustBundle"); !bundle.is_null()) {
    const View name = bundle.get("name");
    add(bundle.get("path"),
        named("ClusterTrustBundle", name.is_null() ? bundle.get("signerName") : name));
  } else if (const View certificate = source.get("podCertificate"); !certificate.is_null()) {
    for (const auto& [field, what] : {
             std::pair{"certificateChainPath", "PodCertificate chain"            },
             std::pair{"keyPath",              "PodCertificate key"              },
             std::pair{"credentialBundlePath", "PodCertificate credential bundle"}
    }) {
      const View path = certificate.get(field);
      if (!path.as_string().empty()) add(path, what);
    }
  }
}

}  // namespace

void warn_of_old_volume(View volume, const FieldPath& path, Warnings& warnings) {
  for (const auto& old : kOldVolumes) {
    if (!volume.get(old.source).is_null()) warn(warnings, path.child(old.shown), old.text);
  }
}

void warn_of_old_sources(View volume_spec, const FieldPath& path, Warnings& warnings) {
  for (const std::string_view source :
       {"cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"}) {
    if (volume_spec.get(source).is_null()) continue;
    const auto* old = std::ranges::find(kOldVolumes, source, &OldVolume::source);
    warn(warnings, path.child(old->shown), old->text);
  }
}

void warn_of_files(View volume, Warnings& warnings) {
  const auto name = kube::go_quoted(volume.get("name").as_string());
  const auto check = [&](View items, const std::string& what) {
    std::vector<File> files;
    add_items(items, "", files);
    warn_of_overlaps(files, fmt::format("{} ({})", name, what), warnings);
  };
  if (const View map = volume.get("configMap"); !map.is_null()) {
    check(map.get("items"), named("ConfigMap", map.get("name")));
  }
  if (const View secret = volume.get("secret"); !secret.is_null()) {
    check(secret.get("items"), named("Secret", secret.get("secretName")));
  }
  check(volume.get("downwardAPI", "items"), "DownwardAPI");
  std::vector<File> files;
  for (const View source : volume.get("projected", "sources").elements()) {
    if (source.empty()) {
      warnings.push_back(fmt::format("volume {} (Projected) has no sources provided", name));
    }
    add_projected(source, files);
  }
  warn_of_overlaps(files, name + " (Projected)", warnings);
}

}  // namespace fixpoint::kinds
