// SPDX-License-Identifier: Apache-2.0
//
// Discovery: which groups, versions and resources this server has right now, in the old form (one
// document a group version) and the aggregated one (one document for everything).
#pragma once

#include "apiserver/resource.h"
#include "json/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

class Discovery {
 public:
  // SHA-256 as bytes. The core has no cryptography; the front gives it one.
  using Digest = std::string (*)(std::string_view);

  // `resources` as CustomKinds::all gives them.
  Discovery(std::vector<Resource> resources, Digest sha256);

  json::Value api_versions(std::string_view server_address) const;  // /api
  json::Value group_list() const;                                   // /apis
  std::optional<json::Value> group(std::string_view name) const;    // /apis/G
  // /api/v1 and /apis/G/V.
  std::optional<json::Value> resource_list(const kube::GroupVersion& version) const;
  // /api (core group) or /apis (all others) in the aggregated form, apidiscovery.k8s.io/v2.
  json::Value aggregated(bool core) const;

  // Group versions in order of preference within each group; built-in groups in the order of their
  // rows, then those of custom kinds by name.
  struct Group {
    std::string name;
    std::vector<std::string> versions;
  };
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Resource>& resources() const { return resources_; }
  bool has(const kube::GroupVersion& version) const;

 private:
  std::vector<const Resource*> in(std::string_view group, std::string_view version) const;

  std::vector<Resource> resources_;
  Digest sha256_;
  std::vector<Group> groups_;
  std::size_t builtin_groups_ = 0;  // of these, in front
};

}  // namespace fixpoint::apiserver
