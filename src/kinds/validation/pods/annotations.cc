// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/annotations.h"

#include "kinds/defaults/annotated_tolerations.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/pods/volumes.h"
#include "kube/go/text.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kTolerations = "scheduler.alpha.kubernetes.io/tolerations";

// A plus sign and leading zeroes are none of a number here.
bool is_cost(std::string_view text) {
  if (text.empty()) return false;
  const char first = text.front();
  if (first != '-' && text != "0" && (first < '1' || first > '9')) return false;
  std::int32_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end;
}

bool wrong_cost(View annotations) {
  return annotations.contains(kCost) && !is_cost(annotations.get(kCost).as_string());
}

void check_seccomp_annotation(std::string_view profile, const FieldPath& path,
                              FieldErrors& errors) {
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") {
    return;
  }
  if (!profile.starts_with(kLocalProfile)) {
    note_invalid(path, profile, "must be a valid seccomp profile", errors);
    return;
  }
  const json::Value file = json::Draft{profile.substr(kLocalProfile.size())}.freeze();
  check_descending_path(file, path, errors);
}

bool has_container(View spec, std::string_view name) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const auto range = spec.get(list).elements();
    if (std::any_of(range.begin(), range.end(),
                    [&](View each) { return each.get("name").as_string() == name; })) {
      return true;
    }
  }
  return false;
}

void check_app_armor(std::string_view key, std::string_view profile, View spec,
                     const FieldPath& path, FieldErrors& errors) {
  const auto container = key.substr(kAppArmor.size());
  if (!has_container(spec, container)) {
    note_invalid(path.key(key), container, "container not found", errors);
  }
  if (profile.empty() || profile == "runtime/default" || profile == "unconfined" ||
      profile.starts_with(kLocalProfile)) {
    return;
  }
  note_invalid(path.key(key), profile,
               fmt::format("invalid AppArmor profile name: {}", kube::go_quoted(profile)), errors);
}

// One sort of profile, told by an annotation and by a field.
void match_profile(std::string_view sort, std::string_view annotation, View profile,
                   const FieldPath& path, FieldErrors& errors) {
  const auto type = profile.get("type").as_string();
  const bool local = annotation.starts_with(kLocalProfile);
  const bool by_default =
      annotation == "runtime/default" || (sort == "seccomp" && annotation == "docker/default");
  if ((type == "Unconfined" && annotation != "unconfined") ||
      (type == "RuntimeDefault" && !by_default) || (type == "Localhost" && !local)) {
    note_forbidden(path.child("type"),
                   fmt::format("{} type in annotation and field must match", sort), errors);
  } else if (type == "Localhost" && (!profile.contains("localhostProfile") ||
                                     annotation.substr(kLocalProfile.size()) !=
                                         profile.get("localhostProfile").as_string())) {
    note_forbidden(path.child("localhostProfile"),
                   fmt::format("{} profile in annotation and field must match", sort), errors);
  }
}

using Visit = std::function<void(View container, const FieldPath& path)>;

// Of each container's security context.
void visit_containers(View spec, const FieldPath& path, const Visit& visit) {
  for (const std::string_view name : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath list = path.child(name);
    const View containers = spec.get(name);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath here = list.index(i);
      visit(containers[i], here.child("securityContext"));
    }
  }
}

// What an annotation about this container says; nothing if there is none.
std::optional<std::string_view> said_of(View annotations, std::string_view prefix, View container) {
  const auto key = std::string{prefix}.append(container.get("name").as_string());
  const auto said = annotations.find(key);
  if (!said) return std::nullopt;
  return said->as_string();
}

}  // namespace

std::string app_armor_annotation(std::string_view container) {
  return std::string{kAppArmor}.append(container);
}

std::optional<json::Draft> app_armor_field(std::string_view annotation) {
  using json::Draft;
  if (annotation == "unconfined")
    return Draft::object({
        {"type", "Unconfined"}
    });
  if (annotation == "runtime/default")
    return Draft::object({
        {"type", "RuntimeDefault"}
    });
  if (!annotation.starts_with(kLocalProfile)) return std::nullopt;
  const auto profile = annotation.substr(kLocalProfile.size());
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  constexpr std::size_t kProfileBytesMax = 4095;  // of a file's path
  if (profile.empty() || profile.size() > kProfileBytesMax || kSpaces.contains(profile.front()) ||
      kSpaces.contains(profile.back())) {
    return std::nullopt;
  }
  return Draft::object({
      {"type",             "Localhost"},
      {"localhostProfile", profile    }
  });
}

void match_pod_annotations(View annotations, View spec, const FieldPath& path,
                           FieldErrors& errors) {
  if (annotations.empty()) return;
  const FieldPath pod_path = path.child("securityContext");
  const View pod_seccomp = spec.get("securityContext", "seccompProfile");
  if (annotations.contains(kSeccomp) && !pod_seccomp.is_null()) {
    match_profile("seccomp", annotations.get(kSeccomp).as_string(), pod_seccomp,
                  pod_path.child("seccompProfile"), errors);
  }
  visit_containers(spec, path, [&](View container, const FieldPath& here) {
    const View profile = container.get("securityContext", "seccompProfile");
    const auto said = said_of(annotations, kContainerSeccomp, container);
    if (said && !profile.is_null()) {
      match_profile("seccomp", *said, profile, here.child("seccompProfile"), errors);
    }
  });
  if (spec.get("os", "name").as_string() == "windows") return;
  const View pod_armor = spec.get("securityContext", "appArmorProfile");
  visit_containers(spec, path, [&](View container, const FieldPath& here) {
    const View own = container.get("securityContext", "appArmorProfile");
    const View profile = own.is_null() ? pod_armor : own;
    const auto said = said_of(annotations, kAppArmor, container);
    if (said && !profile.is_null()) {
      match_profile("apparmor", *said, profile, here.child("appArmorProfile"), errors);
    }
  });
}

void validate_pod_annotations(View annotations, View old_annotations, View spec,
                              const FieldPath& path, FieldErrors& errors) {
  if (annotations.contains(kMirror) && spec.get("nodeName").as_string().empty()) {
    note_invalid(path.key(kMirror), annotations.get(kMirror).as_string(),
                 "must set spec.nodeName if mirror pod annotation is set", errors);
  }
  if (const auto text = annotations.get(kTolerations).as_string(); !text.empty()) {
    const auto tolerations = read_tolerations(text);
    if (tolerations) {
      validate_tolerations(*tolerations, path.child(kTolerations), errors);
    } else {
      note_invalid(path, kTolerations, tolerations.error().message, errors);
    }
  }
  if (wrong_cost(annotations) && !wrong_cost(old_annotations)) {
    note_invalid(path.key(kCost), annotations.get(kCost).as_string(), "must be a 32bit integer",
                 errors);
  }
  if (annotations.contains(kSeccomp)) {
    check_seccomp_annotation(annotations.get(kSeccomp).as_string(), path.child(kSeccomp), errors);
  }
  for (const auto [key, value] : annotations.members()) {
    if (key.starts_with(kContainerSeccomp)) {
      check_seccomp_annotation(value.as_string(), path.child(key), errors);
    }
  }
  for (const auto [key, value] : annotations.members()) {
    if (key.starts_with(kAppArmor)) check_app_armor(key, value.as_string(), spec, path, errors);
  }
}

void validate_pod_annotations_update(View annotations, View old_annotations, const FieldPath& path,
                                     FieldErrors& errors) {
  for (const auto [key, value] : old_annotations.members()) {
    if (annotations.get(key) == value) continue;
    if (key.starts_with(kAppArmor)) {
      note_forbidden(path.key(key), "may not remove or update AppArmor annotations", errors);
    }
    if (key == kMirror) {
      note_forbidden(path.key(key), "may not remove or update mirror pod annotation", errors);
    }
  }
  for (const auto [key, value] : annotations.members()) {
    if (old_annotations.contains(key)) continue;
    if (key.starts_with(kAppArmor)) {
      note_forbidden(path.key(key), "may not add AppArmor annotations", errors);
    }
    if (key == kMirror) note_forbidden(path.key(key), "may not add mirror pod annotation", errors);
  }
}

}  // namespace fixpoint::kinds
