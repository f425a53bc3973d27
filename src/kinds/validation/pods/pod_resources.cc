// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/pod_resources.h"

#include "kinds/conversion/internal_form.h"
#include "kinds/resource_list.h"
#include "kinds/validation/pods/resources.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::kinds {
namespace {

std::set<std::string> claim_names_of(View pod_claims) {
  std::set<std::string> names;
  for (const View claim : pod_claims.elements()) {
    if (const auto name = claim.get("name").as_string(); !name.empty()) names.emplace(name);
  }
  return names;
}

// A claim named as a whole overlaps with each of its requests that was named before.
void check_repetition(View claim, std::set<std::string>& seen, const FieldPath& path,
                      FieldErrors& errors) {
  const std::string name{claim.get("name").as_string()};
  const auto request = claim.get("request").as_string();
  if (seen.contains(name)) {
    errors.push_back(kube::duplicate(path, name));
    return;
  }
  auto key = name;
  if (!request.empty()) {
    kube::note_problems(path.child("request"), request, kube::dns1123_label_problems, errors);
    key += "/" + std::string{request};
  }
  if (seen.contains(key)) {
    errors.push_back(kube::duplicate(path, key));
  } else if (request.empty()) {
    for (const auto& other : seen) {
      if (other.starts_with(name + "/")) errors.push_back(kube::duplicate(path, name));
    }
  }
  seen.insert(key);
}

void check_aggregate(View spec, const FieldPath& path, FieldErrors& errors) {
  const FieldPath requests = path.child("requests");
  for (const auto& [name, sum] : containers_total(spec, "requests")) {
    const View own = spec.get("resources", "requests", name);
    const auto amount = kube::Quantity::parse(own.as_string());
    if (own.is_null() || !amount || !(sum > *amount)) continue;
    note_invalid(requests.key(name), amount->to_string(),
                 fmt::format("must be greater than or equal to aggregate container requests of {}",
                             sum.to_string()),
                 errors);
  }
  const FieldPath limits = path.child("limits");
  for (const auto& [name, sum] : containers_total(spec, "limits")) {
    const View own = spec.get("resources", "limits", name);
    const auto amount = kube::Quantity::parse(own.as_string());
    if (!is_huge_page(name) || own.is_null() || !amount || !(sum > *amount)) continue;
    note_invalid(limits.key(name), amount->to_string(),
                 fmt::format("must be greater than or equal to aggregate container limits of {}",
                             sum.to_string()),
                 errors);
  }
}

void check_container_limits(View spec, const FieldPath& path, FieldErrors& errors) {
  const auto own = read_resources(spec.get("resources", "limits"));
  const FieldPath list = path.child("containers");
  const View containers = spec.get("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath container = list.index(i);
    for (const auto& [name, limit] : read_resources(containers[i].get("resources", "limits"))) {
      const auto most = own.find(name);
      if (most == own.end() || !(limit > most->second)) continue;
      const FieldPath here = container.key(name);
      note_invalid(
          here.child("limits"), limit.to_string(),
          fmt::format("must be less than or equal to pod limits of {}", most->second.to_string()),
          errors);
    }
  }
}

}  // namespace

void validate_pod_claims(View claims, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const FieldPath here = path.index(i);
    const View claim = claims[i];
    const auto name = claim.get("name").as_string();
    if (name.empty()) {
      note_required(here.child("name"), errors);
    } else if (!seen.insert(name).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    } else {
      kube::note_problems(here.child("name"), name, kube::dns1123_label_problems, errors);
    }
    const View own = claim.get("resourceClaimName");
    const View made = claim.get("resourceClaimTemplateName");
    if (own.is_null() == made.is_null()) {
      errors.push_back(kube::invalid(
          here, internal_text("PodResourceClaim", claim),
          own.is_null()
              ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
              : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                "specified"));
    }
    if (!own.is_null()) {
      kube::note_problems(here.child("resourceClaimName"), own.as_string(),
                          kube::dns1123_subdomain_problems, errors);
    }
    if (!made.is_null()) {
      kube::note_problems(here.child("resourceClaimTemplateName"), made.as_string(),
                          kube::dns1123_subdomain_problems, errors);
    }
  }
}

void validate_claim_names(View used, View pod_claims, const FieldPath& path, FieldErrors& errors) {
  if (used.empty()) return;
  const auto known = claim_names_of(pod_claims);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = used[i].get("name");
    if (name.as_string().empty()) {
      note_required(here, errors);
      continue;
    }
    check_repetition(used[i], seen, here, errors);
    if (known.contains(std::string{name.as_string()})) continue;
    errors.push_back(kube::not_found(here, name));
    errors.back().detail =
        known.empty() ? "must be one of the names in pod.spec.resourceClaims which is empty"
                      : fmt::format("must be one of the names in pod.spec.resourceClaims: {}",
                                    fmt::join(known, ", "));
  }
}

void validate_pod_resources(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const View own = spec.get("resources");
  if (own.is_null()) return;
  const FieldPath path = spec_path.child("resources");
  if (spec.get("os", "name").as_string() == "windows") {
    note_forbidden(path, "may not be set for a windows pod", errors);
    return;
  }
  if (!own.get("claims").is_null()) {
    note_forbidden(path.child("claims"), "claims may not be set for Resources at pod-level",
                   errors);
  }
  validate_resource_requirements(own, ResourcesOf::Pod, path, errors);
  validate_claim_names(own.get("claims"), spec.get("resourceClaims"), path.child("claims"), errors);
  check_aggregate(spec, path, errors);
  check_container_limits(spec, path, errors);
}

}  // namespace fixpoint::kinds
