// SPDX-License-Identifier: Apache-2.0
#include "kube/meta/gvk.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

// "deployments.apps"; the core group adds nothing.
std::string with_group(const std::string& name, const std::string& group) {
  return group.empty() ? name : name + "." + group;
}

}  // namespace

std::string GroupVersion::api_version() const {
  return group.empty() ? version : group + "/" + version;
}

std::string GroupKind::to_string() const {
  return with_group(kind, group);
}

std::string GroupResource::to_string() const {
  return with_group(resource, group);
}

// Go keeps the slash of the core group: "/v1, Kind=Event".
std::string GroupVersionKind::to_string() const {
  return group + "/" + version + ", Kind=" + kind;
}

Result<GroupVersion> parse_group_version(std::string_view api_version) {
  if (api_version.empty() || api_version == "/") return GroupVersion{};
  const auto slashes = std::ranges::count(api_version, '/');
  if (slashes == 0) return GroupVersion{"", std::string{api_version}};
  if (slashes > 1) {
    return fail(ErrorKind::Invalid, "unexpected GroupVersion string: " + std::string{api_version});
  }
  const auto slash = api_version.find('/');
  return GroupVersion{std::string{api_version.substr(0, slash)},
                      std::string{api_version.substr(slash + 1)}};
}

}  // namespace fixpoint::kube
