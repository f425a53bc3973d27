// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/resource_list.h"

namespace fixpoint::apiserver {
namespace {

bool is_pod_level(std::string_view name, PodTotal purpose) {
  if (name == "cpu" || name == "memory") return true;
  return purpose == PodTotal::ForQuota && name.starts_with("hugepages-");
}

void replace_by_pod_level(json::View amounts, PodTotal purpose, ResourceList& total) {
  for (auto& [name, amount] : read_resources(amounts)) {
    if (is_pod_level(name, purpose)) total[name] = amount;
  }
}

}  // namespace

PodResources pod_total(json::View pod, PodTotal purpose) {
  const json::View spec = pod.get("spec");
  PodResources total{.requests = kinds::containers_total(spec, "requests"),
                     .limits = kinds::containers_total(spec, "limits")};
  replace_by_pod_level(spec.get("resources", "requests"), purpose, total.requests);
  replace_by_pod_level(spec.get("resources", "limits"), purpose, total.limits);
  if (purpose == PodTotal::ForLimitRange) return total;

  const auto overhead = read_resources(spec.get("overhead"));
  add(total.requests, overhead);
  for (const auto& [name, amount] : overhead) {
    // No limit is no limit with overhead either.
    const auto limit = total.limits.find(name);
    if (limit != total.limits.end() && limit->second.sign() != 0) limit->second += amount;
  }
  return total;
}

bool has_pod_level_resources(json::View pod) {
  for (const auto member : {"requests", "limits"}) {
    for (const auto& [name, value] : pod.get("spec", "resources", member).members()) {
      if (is_pod_level(name, PodTotal::ForQuota)) return true;
    }
  }
  return false;
}

}  // namespace fixpoint::apiserver
