// SPDX-License-Identifier: Apache-2.0
#include "apiserver/documents/discovery.h"

#include "base/base64.h"
#include "json/draft.h"
#include "json/strings.h"
#include "kube/crd/crd.h"

#include <algorithm>
#include <ranges>

namespace fixpoint::apiserver {
namespace {

// A custom resource's verbs in the order a real server lists them.
const std::vector<std::string>& custom_verbs() {
  static const std::vector<std::string> verbs{"delete", "deletecollection", "get",    "list",
                                              "patch",  "create",           "update", "watch"};
  return verbs;
}

const std::vector<std::string>& subresource_verbs() {
  static const std::vector<std::string> verbs{"get", "patch", "update"};
  return verbs;
}

const std::vector<std::string>& verbs_of(const Resource& resource) {
  return resource.builtin != nullptr ? resource.builtin->verbs : custom_verbs();
}

struct Names {
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
};

Names names_of(const Resource& resource) {
  if (resource.builtin != nullptr) {
    return {resource.builtin->singular, resource.builtin->short_names,
            resource.builtin->categories};
  }
  const auto& names = resource.custom->facts.names;
  return {names.singular, names.short_names, names.categories};
}

std::vector<kinds::Subresource> subresources_of(const Resource& resource) {
  if (resource.builtin != nullptr) return resource.builtin->subresources;
  std::vector<kinds::Subresource> subresources;
  if (resource.has_status) {
    subresources.push_back({"status", resource.kind, subresource_verbs()});
  }
  if (resource.custom_version()->scale) {
    subresources.push_back({
        "scale", {"autoscaling", "v1", "Scale"},
         subresource_verbs()
    });
  }
  return subresources;
}

// Reviews are never stored; component statuses are read, but made up.
bool stored(const Resource& resource) {
  return std::ranges::find(verbs_of(resource), "watch") != verbs_of(resource).end();
}

// A real server of this version still stores these in an older one, and its hash says so.
struct OlderStorage {
  std::string_view prefix;  // of keys; a whole group when it begins with a dot
  std::string_view api_version;
};
constexpr OlderStorage kOlderStorage[] = {
    {"customresourcedefinitions.apiextensions.k8s.io/", "apiextensions.k8s.io/v1beta1"},
    {"volumeattributesclasses.storage.k8s.io/",         "storage.k8s.io/v1beta1"      },
    {".resource.k8s.io/",                               "resource.k8s.io/v1beta2"     },
};

std::string_view storage_version(const Resource& resource) {
  for (const auto& older : kOlderStorage) {
    if (resource.builtin != nullptr && resource.prefix.ends_with(older.prefix)) {
      return older.api_version;
    }
  }
  return resource.stored_api_version;
}

// Of "group/version/Kind" as it is stored, the group empty but its slash there for the core group.
std::string storage_hash(const Resource& resource, Discovery::Digest digest) {
  constexpr std::size_t kShownBytes = 8;
  std::string stored{storage_version(resource)};
  if (stored.find('/') == std::string::npos) stored.insert(0, "/");
  return base64_encode(digest(stored + "/" + resource.kind.kind).substr(0, kShownBytes));
}

json::Draft listed(const Resource& resource, Discovery::Digest digest) {
  const auto names = names_of(resource);
  json::Draft entry = json::Draft::object({
      {"name",         resource.path.resource           },
      {"singularName", names.singular                   },
      {"namespaced",   resource.namespaced              },
      {"kind",         resource.kind.kind               },
      {"verbs",        json::list_of(verbs_of(resource))}
  });
  if (!names.short_names.empty()) entry["shortNames"] = json::list_of(names.short_names);
  if (!names.categories.empty()) entry["categories"] = json::list_of(names.categories);
  if (stored(resource)) entry["storageVersionHash"] = storage_hash(resource, digest);
  return entry;
}

json::Draft listed(const Resource& resource, const kinds::Subresource& subresource) {
  json::Draft entry = json::Draft::object({
      {"name",         resource.path.resource + "/" + subresource.name},
      {"singularName", ""                                             },
      {"namespaced",   resource.namespaced                            },
      {"kind",         subresource.kind.kind                          },
      {"verbs",        json::list_of(subresource.verbs)               }
  });
  const bool foreign = subresource.kind.group != resource.kind.group ||
                       subresource.kind.version != resource.kind.version;
  if (foreign) {
    entry["group"] = subresource.kind.group;
    entry["version"] = subresource.kind.version;
  }
  return entry;
}

// Built-in kinds of the same group version are named without it in the aggregated form.
json::Draft response_kind(const Resource& resource, const kube::GroupVersionKind& kind) {
  const bool implied = resource.builtin != nullptr && kind.group == resource.kind.group &&
                       kind.version == resource.kind.version;
  return json::Draft::object({
      {"group",   implied ? "" : kind.group  },
      {"version", implied ? "" : kind.version},
      {"kind",    kind.kind                  }
  });
}

json::Draft aggregated_entry(const Resource& resource) {
  const auto names = names_of(resource);
  json::Draft entry = json::Draft::object({
      {"resource", resource.path.resource},
      {"responseKind", response_kind(resource, resource.kind)},
      {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
      {"singularResource", names.singular},
      {"verbs", json::list_of(verbs_of(resource))}
  });
  if (!names.short_names.empty()) entry["shortNames"] = json::list_of(names.short_names);
  if (!names.categories.empty()) entry["categories"] = json::list_of(names.categories);
  for (const auto& subresource : subresources_of(resource)) {
    entry.array_at("subresources")
        .push_back(json::Draft::object({
            {"subresource", subresource.name},
            {"responseKind", response_kind(resource, subresource.kind)},
            {"verbs", json::list_of(subresource.verbs)}
    }));
  }
  return entry;
}

json::Draft version_entry(std::string_view group, std::string_view version) {
  return json::Draft::object({
      {"groupVersion", std::string{group} + "/" + std::string{version}},
      {"version",      version                                        }
  });
}

json::Draft group_entry(const Discovery::Group& group) {
  json::Draft entry = json::Draft::object({
      {"name", group.name}
  });
  for (const auto& version : group.versions) {
    entry.array_at("versions").push_back(version_entry(group.name, version));
  }
  entry["preferredVersion"] = version_entry(group.name, group.versions.front());
  return entry;
}

}  // namespace

Discovery::Discovery(std::vector<Resource> resources, Digest sha256)
    : resources_(std::move(resources)), sha256_(sha256) {
  for (const auto& resource : resources_) {
    const auto& name = resource.kind.group;
    auto known = std::ranges::find(groups_, name, &Group::name);
    if (known == groups_.end()) {
      groups_.push_back({.name = name, .versions = {}});
      known = std::prev(groups_.end());
      if (resource.builtin != nullptr) builtin_groups_ = groups_.size();
    }
    if (std::ranges::find(known->versions, resource.kind.version) == known->versions.end()) {
      known->versions.push_back(resource.kind.version);
    }
  }
  for (auto& group : groups_) std::ranges::stable_sort(group.versions, kube::newer_version);
  std::ranges::sort(groups_ | std::views::drop(builtin_groups_), {}, &Group::name);
}

std::vector<const Resource*> Discovery::in(std::string_view group, std::string_view version) const {
  std::vector<const Resource*> found;
  for (const auto& resource : resources_) {
    if (resource.kind.group == group && resource.kind.version == version)
      found.push_back(&resource);
  }
  return found;
}

bool Discovery::has(const kube::GroupVersion& version) const {
  return std::ranges::any_of(resources_, [&](const Resource& resource) {
    return resource.kind.group == version.group && resource.kind.version == version.version;
  });
}

json::Value Discovery::api_versions(std::string_view server_address) const {
  return json::Draft::object(
             {
                 {"kind",                       "APIVersions"                            },
                 {"versions",                   json::Draft::array({"v1"})               },
                 {"serverAddressByClientCIDRs",
                  json::Draft::array({json::Draft::object(
                      {{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}})})}
  })
      .freeze();
}

// Custom groups by the names of a real server's APIServices, VERSION.GROUP: the first of each
// counts.
json::Value Discovery::group_list() const {
  auto ordered = groups_;
  std::ranges::sort(ordered | std::views::drop(builtin_groups_), {}, [](const Group& group) {
    return std::ranges::min(group.versions) + "." + group.name;
  });
  json::Draft groups = json::Draft::array();
  for (const auto& group : ordered) {
    if (!group.name.empty()) groups.push_back(group_entry(group));
  }
  return json::Draft::object(
             {
                 {"kind",       "APIGroupList"   },
                 {"apiVersion", "v1"             },
                 {"groups",     std::move(groups)}
  })
      .freeze();
}

std::optional<json::Value> Discovery::group(std::string_view name) const {
  const auto known = std::ranges::find(groups_, name, &Group::name);
  if (name.empty() || known == groups_.end()) return std::nullopt;
  json::Draft entry = group_entry(*known);
  entry["kind"] = "APIGroup";
  entry["apiVersion"] = "v1";
  return entry.freeze();
}

std::optional<json::Value> Discovery::resource_list(const kube::GroupVersion& version) const {
  const auto found = in(version.group, version.version);
  if (found.empty()) return std::nullopt;
  json::Draft list = json::Draft::array();
  for (const Resource* resource : found) {
    list.push_back(listed(*resource, sha256_));
    for (const auto& subresource : subresources_of(*resource)) {
      list.push_back(listed(*resource, subresource));
    }
  }
  json::Draft made = json::Draft::object({
      {"kind",         "APIResourceList"    },
      {"groupVersion", version.api_version()},
      {"resources",    std::move(list)      }
  });
  // Only the core group's is older than the rule that everything says its version.
  if (!version.group.empty()) made["apiVersion"] = "v1";
  return made.freeze();
}

json::Value Discovery::aggregated(bool core) const {
  json::Draft items = json::Draft::array();
  for (const auto& group : groups_) {
    if (group.name.empty() != core) continue;
    json::Draft metadata = json::Draft::object();
    if (!group.name.empty()) metadata["name"] = group.name;
    json::Draft versions = json::Draft::array();
    for (const auto& served : group.versions) {
      json::Draft entry = json::Draft::object({
          {"version",   served   },
          {"freshness", "Current"}
      });
      auto& resources = entry.array_at("resources");
      for (const Resource* resource : in(group.name, served)) {
        resources.push_back(aggregated_entry(*resource));
      }
      versions.push_back(std::move(entry));
    }
    items.push_back(json::Draft::object({
        {"metadata", std::move(metadata)},
        {"versions", std::move(versions)}
    }));
  }
  return json::Draft::object({
                                 {"kind",       "APIGroupDiscoveryList" },
                                 {"apiVersion", "apidiscovery.k8s.io/v2"},
                                 {"metadata",   json::Draft::object()   },
                                 {"items",      std::move(items)        }
  })
      .freeze();
}

}  // namespace fixpoint::apiserver
