// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_pod_annotations.h"

#include "json/draft.h"
#include "kinds/validate_volumes.h"
#include "kube/go_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocal = "localhost/";

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

void check_seccomp(std::string_view profile, const FieldPath& path, FieldErrors& errors) {
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") {
    return;
  }
  if (!profile.starts_with(kLocal)) {
    note_invalid(path, profile, "must be a valid seccomp profile", errors);
    return;
  }
  const json::Value file = json::Draft{profile.substr(kLocal.size())}.freeze();
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
      profile.starts_with(kLocal)) {
    return;
  }
  note_invalid(path.key(key), profile,
               fmt::format("invalid AppArmor profile name: {}", kube::go_quoted(profile)), errors);
}

}  // namespace

void validate_pod_annotations(View annotations, View old_annotations, View spec,
                              const FieldPath& path, FieldErrors& errors) {
  if (annotations.contains(kMirror) && spec.get("nodeName").as_string().empty()) {
    note_invalid(path.key(kMirror), annotations.get(kMirror).as_string(),
                 "must set spec.nodeName if mirror pod annotation is set", errors);
  }
  if (wrong_cost(annotations) && !wrong_cost(old_annotations)) {
    note_invalid(path.key(kCost), annotations.get(kCost).as_string(), "must be a 32bit integer",
                 errors);
  }
  if (annotations.contains(kSeccomp)) {
    check_seccomp(annotations.get(kSeccomp).as_string(), path.child(kSeccomp), errors);
  }
  for (const auto [key, value] : annotations.members()) {
    if (key.starts_with(kContainerSeccomp)) {
      check_seccomp(value.as_string(), path.child(key), errors);
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
