// SPDX-License-Identifier: Apache-2.0
//
// Resource: one served group/version/resource, whether built in or defined by a CRD.
//
// The server is a function of the store: a CRD takes effect because its object is there. Compiling
// a schema is not cheap, so CustomKinds remembers compilations by the CRD object they came from;
// forgetting one only costs time.
#pragma once

#include "base/ref.h"
#include "cel/rules/resource_rules.h"
#include "kinds/kind.h"
#include "kube/crd/crd.h"
#include "kube/crd/schema.h"
#include "store/store.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixpoint::apiserver {

// One CRD as the server uses it: its facts and every version's compiled schema.
struct CustomKind final : RefCounted {
  json::Value definition;  // the CRD object this was made from
  kube::CustomResource facts;
  std::vector<kube::CompiledSchema> schemas;  // as facts.versions
  // The same for the rules in them; null where there are none.
  std::vector<std::shared_ptr<const cel::ResourceRules>> rules;
  std::size_t storage = 0;  // index of the storage version
};

struct Resource {
  kube::GroupVersionKind kind;
  kube::GroupVersionResource path;
  std::string list_kind;
  bool namespaced = true;
  const kinds::Kind* builtin = nullptr;  // exactly one of these two is set
  Ref<const CustomKind> custom;
  std::size_t version = 0;               // of custom
  const kube::Schema* schema = nullptr;  // of the whole object in this version, for ownership
  bool has_status = false;
  bool tracks_generation = false;
  bool unconditional_update = true;
  bool create_on_update = false;
  std::string stored_api_version;  // apiVersion of the bodies in the store
  std::string prefix;              // of its keys in the store: "deployments.apps/"

  kube::GroupResource group_resource() const { return path.group_resource(); }
  // As validation errors name it: by the group it is stored under.
  kube::GroupKind error_kind() const;
  std::string key(std::string_view ns, std::string_view name) const;
  const kube::CustomVersion* custom_version() const;
  // Of a custom resource in one of its versions; null when it has no such version.
  const kube::CompiledSchema* schema_of(std::string_view api_version) const;
  bool supports(std::string_view verb) const;
  bool has_subresource(std::string_view name) const;
  // What every answer about it warns of; empty for versions with a future.
  std::string_view deprecation() const;
};

// The store key prefix of a group's resource.
std::string key_prefix(std::string_view group, std::string_view resource);

class CustomKinds {
 public:
  // The resource, or nothing when no such group, version or name is served.
  std::optional<Resource> find(const store::Snapshot& snapshot,
                               const kube::GroupVersionResource& path);
  // The resource that serves a kind, as owner references and apply bodies name it.
  std::optional<Resource> find(const store::Snapshot& snapshot, const kube::GroupVersionKind& kind);
  // Every served resource, built-in ones first, then custom ones in name order.
  std::vector<Resource> all(const store::Snapshot& snapshot);
  // The compiled form of one CRD object; null if it cannot be compiled.
  Ref<const CustomKind> compiled(const json::Value& definition);

 private:
  // Far more definitions than a cluster has; beyond it the memory starts over.
  static constexpr std::size_t kRememberedMax = 4096;
  std::unordered_map<const json::Block*, Ref<const CustomKind>> compiled_;
};

// True once the names are accepted and the API is served.
bool established(json::View definition);

// A stored body as the requested version shows it; shares the tree when nothing differs.
json::Value in_version(const Resource& resource, const json::Value& stored);
// An object in its version as answers and events show it.
json::Value shown(const Resource& resource, json::Value object);
// And back: what goes into the store.
json::Value to_stored(const Resource& resource, const json::Value& object);

}  // namespace fixpoint::apiserver
