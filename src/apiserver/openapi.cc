// SPDX-License-Identifier: Apache-2.0
#include "apiserver/openapi.h"

#include "base/hash.h"
#include "json/print.h"
#include "kinds/openapi.h"
#include "kube/crd_openapi.h"
#include "kube/metadata.h"

namespace fixpoint::apiserver {
namespace {

// Part of every tag: documents of built-in kinds change only with the program.
constexpr std::string_view kTablesVersion = "kubernetes-1.34.4/fixpoint-1";

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

const std::vector<std::string>& custom_verbs() {
  static const std::vector<std::string> verbs{"create", "delete", "deletecollection", "get",
                                              "list",   "patch",  "update",           "watch"};
  return verbs;
}

void add_custom(kinds::OpenApiDocument& document, const Resource& resource) {
  const auto published = kube::openapi_schemas(resource.custom->facts, *resource.custom_version());
  kinds::OpenApiResource entry{.kind = resource.kind,
                               .resource = resource.path.resource,
                               .namespaced = resource.namespaced,
                               .verbs = custom_verbs(),
                               .subresources = {},
                               .definition = published.name,
                               .list_definition = published.list_name,
                               .strategic_merge = false};
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

}  // namespace

std::string openapi_v3(const std::vector<Resource>& resources, const kube::GroupVersion& version) {
  if (auto text = kinds::openapi_v3(version); !text.empty()) return text;
  const auto custom = custom_in(resources, version);
  if (custom.empty()) return {};
  kinds::OpenApiDocument document;
  document.definitions = {std::string{kinds::kObjectMetaDefinition},
                          std::string{kinds::kListMetaDefinition}};
  for (const Resource* resource : custom) add_custom(document, *resource);
  return kinds::openapi_text(document, kinds::OpenApi::V3);
}

std::string openapi_tag(const std::vector<Resource>& resources, const kube::GroupVersion& version) {
  std::string content{kTablesVersion};
  content += version.api_version();
  for (const Resource* resource : custom_in(resources, version)) {
    const json::View definition = resource->custom->definition;
    content += kube::uid_of(definition);
    content += std::to_string(kube::generation_of(definition));
  }
  return hash128(content).hex();
}

}  // namespace fixpoint::apiserver
