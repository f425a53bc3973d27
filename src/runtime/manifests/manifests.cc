// SPDX-License-Identifier: Apache-2.0
#include "runtime/manifests/manifests.h"

#include "json/yaml/yaml.h"
#include "kube/meta/names.h"
#include "runtime/manifests/parts.h"
#include "runtime/manifests/rbac.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::runtime {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

Grants grants_of(const ManifestOptions& options) {
  Grants grants;
  for (const auto* entry : options.operators) {
    for (const auto& part : entry->make()) grants.add(part.reconciler->declaration());
  }
  return grants;
}

json::Value role(const Place& place, std::string_view kind, const Grants& grants) {
  auto object = begin(place, "rbac.authorization.k8s.io/v1", kind);
  object["rules"] = grants.rules();
  return object.freeze();
}

json::Value binding(const Place& place, std::string_view role_kind,
                    const ManifestOptions& options) {
  auto object = begin(place, "rbac.authorization.k8s.io/v1", fmt::format("{}Binding", role_kind));
  object["roleRef"] = json::Draft::object({
      {"apiGroup", kRbac     },
      {"kind",     role_kind },
      {"name",     place.name}
  });
  object["subjects"] = json::Draft::array({
      json::Draft::object(
          {{"kind", "ServiceAccount"}, {"name", options.name}, {"namespace", options.ns}}
          )
  });
  return object.freeze();
}

Result<void> check_name(std::string_view what, std::string_view value) {
  const auto problems = kube::dns1123_label_problems(value);
  if (problems.empty()) return {};
  return fail(ErrorKind::Invalid, fmt::format("{} '{}': {}", what, value, problems.front()));
}

}  // namespace

Result<void> check(const ManifestOptions& options) {
  FP_TRY_VOID(check_name("name", options.name));
  FP_TRY_VOID(check_name("namespace", options.ns));
  for (const auto& ns : options.watch_namespaces) {
    FP_TRY_VOID(check_name("watched namespace", ns));
  }
  if (options.image.empty() || options.image.find_first_of(" \t\n\"'") != std::string::npos) {
    return fail(ErrorKind::Invalid,
                fmt::format("image '{}' is no image, e.g. fixpoint:latest", options.image));
  }
  for (const auto* entry : options.operators) {
    for (const auto* kind : entry->kinds()) {
      const auto wrong = types::mistakes(*kind);
      if (wrong.empty()) continue;
      return fail(ErrorKind::Invalid, fmt::format("operator {} has mistakes in its tables:\n  {}",
                                                  entry->name, fmt::join(wrong, "\n  ")));
    }
  }
  return {};
}

json::Value namespace_object(const ManifestOptions& options) {
  auto object = begin({.name = options.ns, .ns = {}, .part_of = options.name}, "v1", "Namespace");
  // What the Deployment below keeps to.
  object["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "restricted";
  return object.freeze();
}

std::vector<json::Value> custom_resource_definitions(const ManifestOptions& options) {
  std::vector<json::Value> objects;
  for (const auto* entry : options.operators) {
    for (const auto* kind : entry->kinds()) objects.push_back(types::crd(*kind));
  }
  return objects;
}

std::vector<json::Value> access_objects(const ManifestOptions& options) {
  const Place cluster{.name = options.name, .ns = {}, .part_of = options.name};
  const Place own{.name = options.name, .ns = options.ns, .part_of = options.name};
  std::vector<json::Value> objects{begin(own, "v1", "ServiceAccount").freeze()};
  const auto grants = grants_of(options);
  const auto wide = options.watch_namespaces.empty() ? grants : grants.cluster_scoped();
  if (!wide.empty()) {
    objects.push_back(role(cluster, "ClusterRole", wide));
    objects.push_back(binding(cluster, "ClusterRole", options));
  }
  for (const auto& ns : options.watch_namespaces) {
    const Place watched{.name = options.name + "-watched", .ns = ns, .part_of = options.name};
    objects.push_back(role(watched, "Role", grants.namespaced()));
    objects.push_back(binding(watched, "Role", options));
  }
  objects.push_back(role(own, "Role", own_namespace_grants()));
  objects.push_back(binding(own, "Role", options));
  return objects;
}

std::string to_yaml_documents(const std::vector<json::Value>& objects) {
  std::string text;
  for (const auto& object : objects) {
    if (!text.empty()) text += "---\n";
    text += json::to_yaml(object);
  }
  return text;
}

}  // namespace fixpoint::runtime
