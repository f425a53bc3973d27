// SPDX-License-Identifier: Apache-2.0
#include "node/agent/pod_volumes.h"

#include "kube/meta/metadata.h"
#include "node/volume/file_tree.h"

#include <cstdint>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kGroupReads = 0440;

// The group that the pod's volumes are for.
std::optional<std::uint32_t> group_of(json::View pod) {
  const json::View group = pod.get("spec", "securityContext", "fsGroup");
  if (!group.is_int()) return std::nullopt;
  return static_cast<std::uint32_t>(group.as_int());
}

Result<void> make_shared_directory(const fs::path& path, json::View pod) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return fail(ErrorKind::Unavailable,
                fmt::format("mkdir {}: {}", path.string(), error.message()));
  }
  // Anybody's, as Kubernetes' own; of the pod's group where it has one and we may.
  ::chmod(path.c_str(), 0777);
  if (const auto group = group_of(pod); group && ::geteuid() == 0) {
    // Both are ours to change: we made it.
    (void)!::chown(path.c_str(), static_cast<uid_t>(-1), *group);
    ::chmod(path.c_str(), 02777);
  }
  return {};
}

std::string type_of(json::View volume) {
  for (const auto [key, value] : volume.members()) {
    if (key != "name") return std::string{key};
  }
  return "unknown";
}

bool below(const fs::path& path, const fs::path& root) {
  if (root.empty()) return false;
  const auto relative = path.lexically_normal().lexically_relative(root.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<void> PodVolumes::prepare(json::View pod, const Place& place, const Tokens& tokens) {
  Result<void> outcome;
  for (const json::View volume : pod.get("spec", "volumes").elements()) {
    const std::string name{volume.get("name").as_string()};
    auto made = make(pod, volume, place, tokens);
    if (made) {
      by_name_[name] = *std::move(made);
    } else if (outcome) {
      const bool wait = made.error().kind == ErrorKind::Unavailable && has_files(volume);
      outcome = fail(wait ? ErrorKind::Unavailable : made.error().kind,
                     fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", name,
                                 made.error().message));
    }
  }
  return outcome;
}

Result<fs::path> PodVolumes::own(json::View pod, std::string_view name) const {
  FP_TRY_VOID(check_file_path(name));
  fs::path path = directory_ / name;
  FP_TRY_VOID(make_shared_directory(path, pod));
  return path;
}

Result<fs::path> PodVolumes::make(json::View pod, json::View volume, const Place& place,
                                  const Tokens& tokens) {
  const std::string name{volume.get("name").as_string()};
  if (has_files(volume)) {
    FP_TRY_VOID(check_file_path(name));
    fs::path path = directory_ / name;
    FP_TRY(files,
           files_of(volume,
                    {.pod = pod, .sources = host_.sources(), .place = place, .tokens = tokens}));
    const auto group = group_of(pod);
    // Whatever the mode says, the group may read, as in Kubernetes.
    for (auto& [name_of_file, file] : files) file.mode |= group ? kGroupReads : 0U;
    FP_TRY_VOID(write_file_set(path, files, group));
    return path;
  }
  if (const json::View source = volume.get("persistentVolumeClaim"); !source.is_null()) {
    return claim(pod, std::string{source.get("claimName").as_string()});
  }
  if (!volume.get("ephemeral").is_null()) {
    return claim(pod, fmt::format("{}-{}", kube::name_of(pod), name));
  }
  if (const json::View source = volume.get("hostPath"); !source.is_null()) {
    if (!host_.options().allow_host_path) {
      return fail(ErrorKind::Invalid, "hostPath volumes are not allowed on this node");
    }
    return host_path(source);
  }
  if (!volume.get("emptyDir").is_null() || volume.size() == 1) return own(pod, name);
  return fail(ErrorKind::Invalid,
              fmt::format("volumes of type {} are not supported on this node", type_of(volume)));
}

Result<fs::path> PodVolumes::host_path(json::View source) const {
  fs::path path{std::string{source.get("path").as_string()}};
  const auto type = source.get("type").as_string();
  std::error_code error;
  if (type == "DirectoryOrCreate") fs::create_directories(path, error);
  if (!path.is_absolute()) return fail(ErrorKind::Invalid, "the path must be absolute");
  if (!fs::exists(path, error)) {
    return fail(ErrorKind::NotFound,
                fmt::format("hostPath type check failed: {} is not there", path.string()));
  }
  return path;
}

Result<fs::path> PodVolumes::claim(json::View pod, const std::string& name) const {
  const json::View claim = host_.sources().claim({std::string{kube::namespace_of(pod)}, name});
  if (claim.is_null()) {
    return fail(ErrorKind::NotFound, fmt::format("persistentvolumeclaim \"{}\" not found", name));
  }
  const auto volume_name = claim.get("spec", "volumeName").as_string();
  if (volume_name.empty() || claim.get("status", "phase").as_string() != "Bound") {
    return fail(ErrorKind::NotFound, "PVC is not bound");
  }
  const json::View volume = host_.sources().persistent_volume(volume_name);
  if (volume.is_null()) {
    return fail(ErrorKind::NotFound, fmt::format("persistentvolume \"{}\" not found", volume_name));
  }
  auto place = volume.get("spec", "hostPath", "path").as_string();
  if (place.empty()) place = volume.get("spec", "local", "path").as_string();
  fs::path path{std::string{place}};
  if (place.empty() || !path.is_absolute()) {
    return fail(ErrorKind::Invalid,
                fmt::format("persistentvolume \"{}\" is no directory of this node", volume_name));
  }
  if (!below(path, host_.options().volumes) && !host_.options().allow_host_path) {
    return fail(
        ErrorKind::Invalid,
        fmt::format("persistentvolume \"{}\" lies outside of the node's volumes", volume_name));
  }
  std::error_code error;
  if (!fs::exists(path, error)) FP_TRY_VOID(make_shared_directory(path, pod));
  return path;
}

Result<std::vector<BindMount>> PodVolumes::mounts_of(json::View pod, json::View container,
                                                     const Environment& environment) const {
  std::vector<BindMount> out;
  for (const json::View mount : container.get("volumeMounts").elements()) {
    const auto found = by_name_.find(mount.get("name").as_string());
    if (found == by_name_.end()) {
      return fail(ErrorKind::NotFound,
                  fmt::format("cannot find volume \"{}\" to mount into container \"{}\"",
                              mount.get("name").as_string(), container.get("name").as_string()));
    }
    fs::path source = found->second;
    std::string sub{mount.get("subPath").as_string()};
    if (sub.empty()) sub = expand(mount.get("subPathExpr").as_string(), environment);
    if (!sub.empty()) {
      std::error_code error;
      FP_TRY_VOID(check_file_path(sub));
      const fs::path real = fs::canonical(source / sub, error);
      if (!error) {
        const fs::path root = fs::canonical(source, error);
        if (!below(real, root)) {
          return fail(ErrorKind::Invalid,
                      fmt::format("subPath \"{}\" leads out of its volume", sub));
        }
        source = real;
      } else {
        FP_TRY(made, directory_below(source, sub));
        FP_TRY_VOID(make_shared_directory(made, pod));
        source = made;
      }
    }
    out.push_back({.source = source.string(),
                   .target = std::string{mount.get("mountPath").as_string()},
                   .read_only = mount.get("readOnly").as_bool()});
  }
  return out;
}

}  // namespace fixpoint::node
