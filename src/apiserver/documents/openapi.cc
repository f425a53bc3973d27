// SPDX-License-Identifier: Apache-2.0
#include "apiserver/documents/openapi.h"

#include "base/hash.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/openapi/openapi.h"
#include "kube/crd/openapi.h"
#include "kube/meta/metadata.h"
#include "kube/protobuf/openapi_v2.h"

#include <algorithm>
#include <set>

namespace fixpoint::apiserver {
namespace {

// Part of every tag: documents of built-in kinds change only with the program.
constexpr std::string_view kTablesVersion = "kubernetes-1.34.4/fixpoint-2";

std::string path_of(const kube::GroupVersion& version) {
  return (version.group.empty() ? "api/" : "apis/" + version.group + "/") + version.version;
}

// "apis/apps/v1" -> apps/v1; anything else has no version.
kube::GroupVersion version_at(std::string_view path) {
  constexpr std::string_view kCore = "api/";
  constexpr std::string_view kGroups = "apis/";
  if (path.starts_with(kCore)) return {"", std::string{path.substr(kCore.size())}};
  if (!path.starts_with(kGroups)) return {};
  path.remove_prefix(kGroups.size());
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return {};
  return {std::string{path.substr(0, slash)}, std::string{path.substr(slash + 1)}};
}

std::vector<const Resource*> custom_in(const std::vector<Resource>& resources,
                                       const kube::GroupVersion& version) {
  std::vector<const Resource*> found;
  for (const auto& resource : resources) {
    if (resource.custom && resource.kind.group == version.group &&
        resource.kind.version == version.version) {
      found.push_back(&resource);
    }
  }
  return found;
}

const std::vector<std::string>& documented_verbs() {
  static const std::vector<std::string> verbs{"create", "delete", "deletecollection", "get",
                                              "list",   "patch",  "update",           "watch"};
  return verbs;
}

void add_custom(kinds::OpenApiDocument& document, const Resource& resource,
                kube::PublishedFor form) {
  const auto published =
      kube::openapi_schemas(resource.custom->facts, *resource.custom_version(), form);
  kinds::OpenApiResource entry{.kind = resource.kind,
                               .resource = resource.path.resource,
                               .namespaced = resource.namespaced,
                               .verbs = documented_verbs(),
                               .subresources = {},
                               .definition = published.name,
                               .list_definition = published.list_name,
                               .custom = true};
  const std::vector<std::string> verbs{"get", "patch", "update"};
  if (resource.has_status) entry.subresources.push_back({"status", resource.kind, verbs});
  if (resource.custom_version()->scale) {
    entry.subresources.push_back({
        "scale", {"autoscaling", "v1", "Scale"},
         verbs
    });
  }
  document.resources.push_back(std::move(entry));
  document.extra.emplace_back(published.name, json::to_text(published.schema));
  document.extra.emplace_back(published.list_name, json::to_text(published.list_schema));
}

void add_identity(const Resource& resource, std::string& content) {
  const json::View definition = resource.custom->definition;
  content += kube::uid_of(definition);
  content += std::to_string(kube::generation_of(definition));
}

}  // namespace

std::vector<std::string> openapi_v3_paths(const std::vector<Resource>& resources) {
  auto paths = kinds::page_documents();
  std::set<std::string> versions;
  for (const auto& resource : resources) versions.insert(path_of(resource.kind.group_version()));
  paths.insert(paths.end(), versions.begin(), versions.end());
  return paths;
}

std::string openapi_v3(const std::vector<Resource>& resources, std::string_view path) {
  const auto version = version_at(path);
  if (version.version.empty()) {
    const auto document = kinds::page_document(path);
    return document.pages.empty() ? std::string{}
                                  : kinds::openapi_text(document, kinds::OpenApi::V3);
  }
  if (auto text = kinds::openapi_v3(version); !text.empty()) return text;
  const auto custom = custom_in(resources, version);
  if (custom.empty()) return {};
  kinds::OpenApiDocument document;
  document.definitions = {std::string{kinds::kObjectMetaDefinition},
                          std::string{kinds::kListMetaDefinition}};
  for (const Resource* resource : custom) {
    add_custom(document, *resource, kube::PublishedFor::OpenApiV3);
  }
  return kinds::openapi_text(document, kinds::OpenApi::V3);
}

std::string openapi_v3_tag(const std::vector<Resource>& resources, std::string_view path) {
  std::string content{kTablesVersion};
  content += path;
  for (const Resource* resource : custom_in(resources, version_at(path))) {
    add_identity(*resource, content);
  }
  return hash128(content).hex();
}

std::string openapi_v2(const std::vector<Resource>& resources) {
  auto document = kinds::builtin_document();
  for (const auto& resource : resources) {
    if (resource.custom) add_custom(document, resource, kube::PublishedFor::OpenApiV2);
  }
  return kinds::openapi_text(document, kinds::OpenApi::V2);
}

Result<std::string> openapi_v2_protobuf(const std::vector<Resource>& resources) {
  FP_TRY(document, json::parse(openapi_v2(resources)));
  return kube::openapi_v2_protobuf(document);
}

std::string openapi_v2_tag(const std::vector<Resource>& resources) {
  std::string content{kTablesVersion};
  for (const auto& resource : resources) {
    if (resource.custom) add_identity(resource, content);
  }
  return hash128(content).hex();
}

}  // namespace fixpoint::apiserver
