// SPDX-License-Identifier: Apache-2.0
//
// Documents: which pages, resources and definitions belong together.
#include "kinds/openapi/openapi.h"

#include "kinds/openapi/json_text.h"
#include "kinds/openapi/parameters.h"
#include "kinds/openapi/paths.h"
#include "kinds/openapi/schemas.h"
#include "kinds/table.h"

#include <algorithm>
#include <map>
#include <set>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
constexpr std::string_view kVersion = "1.34";

constexpr std::string_view kDiscoveryTypes[] = {"application/json", "application/yaml",
                                                "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kJson[] = {"application/json"};
constexpr std::string_view kKeySet[] = {"application/jwk-set+json"};

// The group versions whose scheme knows the options of every call, served or not. Those marked with
// an asterisk are unknown to the part of a real server that describes custom resources.
constexpr std::string_view kSchemeVersions =
    "/v1 admission.k8s.io/v1* admission.k8s.io/v1beta1* admissionregistration.k8s.io/v1 "
    "admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1 "
    "apiextensions.k8s.io/v1* apiextensions.k8s.io/v1beta1* apiregistration.k8s.io/v1* "
    "apiregistration.k8s.io/v1beta1* apps/v1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1 "
    "authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1 authorization.k8s.io/v1 "
    "authorization.k8s.io/v1beta1 autoscaling/v1 autoscaling/v2 autoscaling/v2beta1 "
    "autoscaling/v2beta2 batch/v1 batch/v1beta1 certificates.k8s.io/v1 "
    "certificates.k8s.io/v1alpha1 certificates.k8s.io/v1beta1 coordination.k8s.io/v1 "
    "coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1 discovery.k8s.io/v1 "
    "discovery.k8s.io/v1beta1 events.k8s.io/v1 events.k8s.io/v1beta1 extensions/v1beta1 "
    "flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1 "
    "flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3 "
    "imagepolicy.k8s.io/v1alpha1* internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1 "
    "networking.k8s.io/v1beta1 node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1 "
    "policy/v1beta1 rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1alpha1 "
    "rbac.authorization.k8s.io/v1beta1 resource.k8s.io/v1 resource.k8s.io/v1alpha3 "
    "resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 scheduling.k8s.io/v1 "
    "scheduling.k8s.io/v1alpha1 scheduling.k8s.io/v1beta1 storage.k8s.io/v1 "
    "storage.k8s.io/v1alpha1 storage.k8s.io/v1beta1 storagemigration.k8s.io/v1alpha1";

std::string meta(std::string_view name) {
  return std::string{kMeta} + std::string{name};
}

using KindsOfDefinition = std::map<std::string, std::vector<kube::GroupVersionKind>, std::less<>>;

void add_once(std::vector<kube::GroupVersionKind>& kinds, const kube::GroupVersionKind& kind) {
  if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
}

kube::GroupVersionKind list_kind_of(kube::GroupVersionKind kind) {
  kind.kind += "List";
  return kind;
}

bool only_custom(const OpenApiDocument& document) {
  return !document.resources.empty() &&
         std::ranges::all_of(document.resources, &OpenApiResource::custom);
}

void add_options(KindsOfDefinition& made, std::string_view name, bool custom) {
  auto& kinds = made[meta(name)];
  for (auto version : split(kSchemeVersions, ' ')) {
    const bool elsewhere = version.ends_with('*');
    if (elsewhere) version.remove_suffix(1);
    if (elsewhere && custom) continue;
    const auto slash = version.find('/');
    kinds.push_back({std::string{version.substr(0, slash)}, std::string{version.substr(slash + 1)},
                     std::string{name}});
  }
}

// Which kinds each definition is the body of, wherever it is used.
KindsOfDefinition kinds_of_definitions(const OpenApiDocument& document) {
  KindsOfDefinition made;
  for (const auto& kind : all()) {
    add_once(made[builtin_definition(kind.gvk)], kind.gvk);
    add_once(made[builtin_definition(list_kind_of(kind.gvk))], list_kind_of(kind.gvk));
    for (const auto& sub : kind.subresources) {
      add_once(made[builtin_definition(sub.kind)], sub.kind);
    }
  }
  for (const auto* name : {"DeleteOptions", "WatchEvent"}) {
    add_options(made, name, only_custom(document));
  }
  for (const auto* name : {"Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"})
    made[meta(name)].push_back({"", "v1", name});
  return made;
}

std::vector<std::string> roots_of(const OpenApiDocument& document) {
  auto roots = document.definitions;
  const auto can = [](const OpenApiResource& resource, std::string_view verb) {
    return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
  };
  for (const auto& page : document.pages) roots.push_back(page.definition);
  for (const auto& resource : document.resources) {
    roots.push_back(resource.definition);
    roots.push_back(resource.list_definition);
    for (const auto& sub : resource.subresources) roots.push_back(builtin_definition(sub.kind));
    if (can(resource, "watch") && !resource.custom) roots.push_back(meta("WatchEvent"));
    if (can(resource, "patch")) roots.push_back(meta("Patch"));
    if (!can(resource, "delete")) continue;
    roots.push_back(meta("DeleteOptions"));
    roots.push_back(meta("Status"));
  }
  return roots;
}

void write_schemas(const OpenApiDocument& document, OpenApi version, JsonText& to) {
  const auto kinds = kinds_of_definitions(document);
  static const std::vector<kube::GroupVersionKind> none;
  const auto definitions = reachable(roots_of(document));
  if (definitions.empty() && document.extra.empty()) return;
  to.key(version == OpenApi::V3 ? "schemas" : "definitions").open();
  for (const auto& definition : definitions) {
    const auto found = kinds.find(definition);
    write_definition(definition, found == kinds.end() ? none : found->second, version, to);
  }
  for (const auto& [name, text] : document.extra) to.key(name).raw(text);
  to.close();
}

void write_security(std::string_view key, JsonText& to) {
  to.key(key).open().key("BearerToken").open();
  to.member("description", "A bearer token.")
      .member("type", "apiKey")
      .member("name", "authorization")
      .member("in", "header");
  to.close().close();
}

OpenApiResource resource_of(const Kind& kind) {
  return {.kind = kind.gvk,
          .resource = kind.resource,
          .namespaced = kind.namespaced,
          .verbs = kind.verbs,
          .subresources = kind.subresources,
          .definition = builtin_definition(kind.gvk),
          .list_definition = builtin_definition(list_kind_of(kind.gvk)),
          .shows_deleted = kind.shows_deleted};
}

OpenApiPage discovery_page(std::string path, std::string tag, std::string operation,
                           std::string_view answer) {
  return {.path = "/" + std::move(path) + "/",
          .tag = std::move(tag),
          .operation = std::move(operation),
          .description = "What there is.",
          .definition = meta(answer),
          .consumes = kDiscoveryTypes,
          .produces = kDiscoveryTypes};
}

OpenApiPage version_list_page(const kube::GroupVersion& version) {
  const auto word = group_word(version.group);
  return discovery_page(
      (version.group.empty() ? "api/" : "apis/" + version.group + "/") + version.version,
      operation_word(word, FirstLetter::Lower) + "_" + version.version,
      "get" + operation_word(word, FirstLetter::Upper) +
          operation_word(version.version, FirstLetter::Upper) + "APIResources",
      "APIResourceList");
}

OpenApiPage group_page(const std::string& group) {
  const auto word = group_word(group);
  return discovery_page("apis/" + group, operation_word(word, FirstLetter::Lower),
                        "get" + operation_word(word, FirstLetter::Upper) + "APIGroup", "APIGroup");
}

// Pages by the path of their v3 document.
std::map<std::string, OpenApiPage, std::less<>> pages() {
  std::map<std::string, OpenApiPage, std::less<>> made;
  made["api"] = discovery_page("api", "core", "getCoreAPIVersions", "APIVersions");
  made["apis"] = discovery_page("apis", "apis", "getAPIVersions", "APIGroupList");
  for (const auto& kind : all()) {
    const auto& group = kind.gvk.group;
    if (!group.empty()) made.try_emplace("apis/" + group, group_page(group));
  }
  made["version"] = {.path = "/version/",
                     .tag = "version",
                     .operation = "getCodeVersion",
                     .description = "The version of the server.",
                     .definition = "io.k8s.apimachinery.pkg.version.Info",
                     .consumes = kJson,
                     .produces = kJson};
  made[".well-known/openid-configuration"] = {
      .path = "/.well-known/openid-configuration/",
      .tag = "WellKnown",
      .operation = "getServiceAccountIssuerOpenIDConfiguration",
      .description = "Who issues tokens of service accounts.",
      .definition = {},
      .consumes = {},
      .produces = kJson};
  made["openid/v1/jwks"] = {.path = "/openid/v1/jwks/",
                            .tag = "openid",
                            .operation = "getServiceAccountIssuerOpenIDKeyset",
                            .description = "The keys to check tokens of service accounts with.",
                            .definition = {},
                            .consumes = {},
                            .produces = kKeySet};
  return made;
}

}  // namespace

std::string openapi_text(const OpenApiDocument& document, OpenApi version) {
  const bool v3 = version == OpenApi::V3;
  const bool custom = only_custom(document);
  JsonText text;
  text.open();
  text.member(v3 ? "openapi" : "swagger", v3 ? "3.0.0" : "2.0");
  text.key("info").open();
  text.member("title", custom ? "Kubernetes CRD Swagger" : "Kubernetes")
      .member("version", custom ? "v0.1.0" : kVersion)
      .close();
  text.key("paths").open();
  for (const auto& page : document.pages) write_page(page, version, text);
  for (const auto& resource : document.resources) write_paths(resource, version, text);
  text.close();
  if (v3) text.key("components").open();
  write_schemas(document, version, text);
  if (!custom) write_security(v3 ? "securitySchemes" : "securityDefinitions", text);
  if (v3) {
    text.close();
  } else {
    text.key("parameters").open();
    write_shared_parameters(text);
    text.close();
    text.key("security").raw(R"([{"BearerToken":[]}])");
  }
  text.close();
  return text.take();
}

OpenApiDocument builtin_document(const kube::GroupVersion& version) {
  OpenApiDocument document;
  for (const auto& kind : all()) {
    if (kind.gvk.group_version() == version) document.resources.push_back(resource_of(kind));
  }
  if (!document.resources.empty()) document.pages.push_back(version_list_page(version));
  return document;
}

OpenApiDocument builtin_document() {
  OpenApiDocument document;
  for (auto& [path, page] : pages()) document.pages.push_back(std::move(page));
  std::set<kube::GroupVersion> versions;
  for (const auto& kind : all()) {
    document.resources.push_back(resource_of(kind));
    const auto version = kind.gvk.group_version();
    if (versions.insert(version).second) document.pages.push_back(version_list_page(version));
  }
  return document;
}

std::vector<std::string> page_documents() {
  std::vector<std::string> paths;
  for (const auto& [path, page] : pages()) paths.push_back(path);
  return paths;
}

OpenApiDocument page_document(std::string_view path) {
  OpenApiDocument document;
  auto known = pages();
  if (const auto found = known.find(path); found != known.end()) {
    document.pages.push_back(std::move(found->second));
  }
  return document;
}

std::string openapi_v3(const kube::GroupVersion& version) {
  const auto document = builtin_document(version);
  return document.resources.empty() ? std::string{} : openapi_text(document, OpenApi::V3);
}

}  // namespace fixpoint::kinds
