// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/quota_usage.h"

#include "apiserver/definition.h"
#include "apiserver/resource.h"
#include "base/rfc3339.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/kind.h"
#include "kinds/validation/fields.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>

namespace fixpoint::apiserver {
namespace {

using kube::GroupResource;
using kube::Quantity;

constexpr std::string_view kCountPrefix = "count/";
constexpr std::string_view kRequestsPrefix = "requests.";
constexpr std::string_view kStorageClassInfix = ".storageclass.storage.k8s.io/";

constexpr std::array<std::string_view, 10> kPodNames{"pods",
                                                     "cpu",
                                                     "memory",
                                                     "requests.cpu",
                                                     "limits.cpu",
                                                     "requests.memory",
                                                     "limits.memory",
                                                     "ephemeral-storage",
                                                     "requests.ephemeral-storage",
                                                     "limits.ephemeral-storage"};
constexpr std::array<std::string_view, 3> kServiceNames{"services", "services.nodeports",
                                                        "services.loadbalancers"};
constexpr std::array<std::string_view, 2> kClaimNames{"persistentvolumeclaims", "requests.storage"};
// Resources whose plain name is a quota name too.
constexpr std::array<std::string_view, 4> kCountedByName{"configmaps", "resourcequotas",
                                                         "replicationcontrollers", "secrets"};

bool is_core(const GroupResource& resource, std::string_view name) {
  return resource.group.empty() && resource.resource == name;
}

bool contains(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string count_name(const GroupResource& resource) {
  return std::string{kCountPrefix} + resource.to_string();
}

bool used_by_pods(std::string_view name) {
  if (contains(kPodNames, name) || name.starts_with("hugepages-")) return true;
  if (!name.starts_with(kRequestsPrefix)) return false;
  // Extended resources: only as requests, since they cannot be overcommitted.
  return name.starts_with("requests.hugepages-") ||
         (name.contains('/') && !name.contains("kubernetes.io/"));
}

bool used_by_claims(std::string_view name) {
  if (contains(kClaimNames, name)) return true;
  return std::ranges::any_of(kClaimNames, [&](std::string_view claim_name) {
    return name.ends_with(std::string{kStorageClassInfix} + std::string{claim_name});
  });
}

bool used_by(const GroupResource& resource, std::string_view name) {
  if (name == count_name(resource)) return true;
  if (!resource.group.empty()) return false;
  if (resource.resource == "pods") return used_by_pods(name);
  if (resource.resource == "services") return contains(kServiceNames, name);
  if (resource.resource == "persistentvolumeclaims") return used_by_claims(name);
  return name == resource.resource && contains(kCountedByName, name);
}

// A pod that came to its end, or should have long ago, holds nothing.
bool pod_holds_resources(json::View pod, Instant now) {
  const auto phase = pod.get("status", "phase").as_string();
  if (phase == "Failed" || phase == "Succeeded") return false;
  const auto grace = kube::deletion_grace_seconds_of(pod);
  if (!kube::being_deleted(pod) || !grace) return true;
  const auto deleted = parse_rfc3339(kube::deletion_timestamp_of(pod));
  return !deleted || now <= *deleted + std::chrono::seconds{*grace};
}

ResourceList pod_usage(json::View pod, Instant now) {
  ResourceList usage;
  if (!pod_holds_resources(pod, now)) return usage;
  usage["pods"] = Quantity::of(1);
  const auto total = pod_total(pod, PodTotal::ForQuota);
  for (const std::string name : {"cpu", "memory", "ephemeral-storage"}) {
    if (const auto at = total.requests.find(name); at != total.requests.end()) {
      usage[name] = at->second;
      usage[std::string{kRequestsPrefix} + name] = at->second;
    }
    if (const auto at = total.limits.find(name); at != total.limits.end()) {
      usage["limits." + name] = at->second;
    }
  }
  for (const auto& [name, amount] : total.requests) {
    const bool huge_page = name.starts_with("hugepages-");
    if (huge_page) usage[name] = amount;
    if (huge_page || kinds::is_extended_resource(name)) {
      usage[std::string{kRequestsPrefix} + name] = amount;
    }
  }
  return usage;
}

// Node ports are counted by intent: quota is charged before they are allocated.
ResourceList service_usage(json::View service) {
  const json::View spec = service.get("spec");
  const auto type = spec.get("type").as_string();
  const bool balanced = type == "LoadBalancer";
  std::int64_t ports = 0;
  if (balanced && !spec.get("allocateLoadBalancerNodePorts").as_bool(true)) {
    for (const json::View port : spec.get("ports").elements()) {
      ports += port.get("nodePort").as_int() != 0 ? 1 : 0;
    }
  } else if (balanced || type == "NodePort") {
    ports = static_cast<std::int64_t>(spec.get("ports").size());
  }
  return {
      {"services",               Quantity::of(1)               },
      {"services.nodeports",     Quantity::of(ports)           },
      {"services.loadbalancers", Quantity::of(balanced ? 1 : 0)}
  };
}

std::string storage_class_of(json::View claim) {
  const auto legacy = kube::annotation_of(claim, "volume.beta.kubernetes.io/storage-class");
  return std::string{legacy.empty() ? claim.get("spec", "storageClassName").as_string() : legacy};
}

// Whole bytes, and what was already allocated if that is more.
std::optional<Quantity> storage_of(json::View claim) {
  const auto requests = read_resources(claim.get("spec", "resources", "requests"));
  const auto request = requests.find("storage");
  if (request == requests.end()) return std::nullopt;
  Quantity amount = request->second;
  const auto allocated = read_resources(claim.get("status", "allocatedResources"));
  const auto more = allocated.find("storage");
  if (more != allocated.end() && more->second > amount) amount = more->second;
  const auto whole = Quantity::of(amount.value(), amount.format());
  return whole == amount ? amount : whole;
}

ResourceList claim_usage(json::View claim) {
  ResourceList usage{
      {"persistentvolumeclaims", Quantity::of(1)}
  };
  if (auto storage = storage_of(claim)) usage["requests.storage"] = *std::move(storage);
  const auto storage_class = storage_class_of(claim);
  if (storage_class.empty()) return usage;
  const ResourceList overall = usage;
  for (const auto& [name, amount] : overall) {
    usage[storage_class + std::string{kStorageClassInfix} + name] = amount;
  }
  return usage;
}

bool crosses_namespaces(json::View term) {
  return !term.get("namespaces").empty() || term.get("namespaceSelector").is_object();
}

bool has_cross_namespace_affinity(json::View pod) {
  for (const auto kind : {"podAffinity", "podAntiAffinity"}) {
    const json::View affinity = pod.get("spec", "affinity", kind);
    for (const json::View term :
         affinity.get("requiredDuringSchedulingIgnoredDuringExecution").elements()) {
      if (crosses_namespaces(term)) return true;
    }
    for (const json::View weighted :
         affinity.get("preferredDuringSchedulingIgnoredDuringExecution").elements()) {
      if (crosses_namespaces(weighted.get("podAffinityTerm"))) return true;
    }
  }
  return false;
}

// An operator of a scope selector on a class name; "" is no class.
bool class_matches(json::View requirement, std::string_view class_name) {
  const auto op = requirement.get("operator").as_string("Exists");
  if (op == "Exists") return !class_name.empty();
  if (op == "DoesNotExist") return class_name.empty();
  bool listed = false;
  for (const json::View value : requirement.get("values").elements()) {
    listed = listed || (!class_name.empty() && value.as_string() == class_name);
  }
  return op == "In" ? listed : (op == "NotIn" && !listed);
}

bool pod_in_scope(json::View pod, std::string_view scope, json::View requirement) {
  if (scope == "Terminating") return is_terminating_pod(pod);
  if (scope == "NotTerminating") return !is_terminating_pod(pod);
  if (scope == "BestEffort") return kinds::qos_class(pod.get("spec")) == "BestEffort";
  if (scope == "NotBestEffort") return kinds::qos_class(pod.get("spec")) != "BestEffort";
  if (scope == "CrossNamespacePodAffinity") return has_cross_namespace_affinity(pod);
  if (scope != "PriorityClass") return false;
  return class_matches(requirement, pod.get("spec", "priorityClassName").as_string());
}

// A claim is in the scope when any of the classes it has, had or is getting matches.
bool claim_in_scope(json::View claim, std::string_view scope, json::View requirement) {
  if (scope != "VolumeAttributesClass") return false;
  std::set<std::string_view> names{
      claim.get("spec", "volumeAttributesClassName").as_string(),
      claim.get("status", "currentVolumeAttributesClassName").as_string(),
      claim.get("status", "modifyVolumeStatus", "targetVolumeAttributesClassName").as_string()};
  names.erase("");
  if (names.empty()) return class_matches(requirement, "");
  return std::ranges::any_of(
      names, [&](std::string_view name) { return class_matches(requirement, name); });
}

bool in_scope(const GroupResource& resource, json::View object, std::string_view scope,
              json::View requirement) {
  if (is_core(resource, "pods")) return pod_in_scope(object, scope, requirement);
  if (is_core(resource, "persistentvolumeclaims")) {
    return claim_in_scope(object, scope, requirement);
  }
  return false;  // nothing else has scopes
}

bool has_scopes(json::View quota) {
  return !quota.get("spec", "scopes").empty() ||
         !quota.get("spec", "scopeSelector", "matchExpressions").empty();
}

bool is_served(const store::Snapshot& snapshot, const GroupResource& resource) {
  const auto same = [&](const kinds::Kind& kind) {
    return kind.namespaced && kind.group_resource() == resource && contains(kind.verbs, "create") &&
           contains(kind.verbs, "list") && contains(kind.verbs, "delete");
  };
  if (std::ranges::any_of(kinds::all(), same)) return true;
  const auto definition =
      snapshot.find(std::string{kDefinitionPrefix} + "/" + resource.to_string());
  return definition && established(definition->body) &&
         definition->body.get("spec", "scope").as_string() == "Namespaced";
}

// The resources that a quota's names speak of.
std::set<GroupResource> resources_named(const ResourceList& hard) {
  std::set<GroupResource> found;
  for (const auto name : {"pods", "services", "persistentvolumeclaims"}) {
    found.insert({"", std::string{name}});
  }
  for (const auto name : kCountedByName) found.insert({"", std::string{name}});
  for (const auto& [name, amount] : hard) {
    if (!name.starts_with(kCountPrefix)) continue;
    const auto counted = std::string_view{name}.substr(kCountPrefix.size());
    const auto dot = std::min(counted.find('.'), counted.size());
    found.insert({std::string{counted.substr(std::min(dot + 1, counted.size()))},
                  std::string{counted.substr(0, dot)}});
  }
  return found;
}

// Adds one resource's use to `usage`, which holds exactly the names to be counted.
void count_resource(const store::Snapshot& snapshot, json::View quota, Instant now,
                    const GroupResource& resource, ResourceList& usage) {
  const std::string prefix =
      key_prefix(resource.group, resource.resource) + std::string{kube::namespace_of(quota)} + "/";
  const bool measured = is_core(resource, "pods") || is_core(resource, "services") ||
                        is_core(resource, "persistentvolumeclaims");
  if (!measured) {
    // Nothing but the number matters, and nothing that is only counted has scopes.
    const auto count = has_scopes(quota) ? 0 : snapshot.count(prefix);
    for (auto& [name, amount] : usage) amount = Quantity::of(static_cast<std::int64_t>(count));
    return;
  }
  snapshot.scan(prefix, {}, [&](const store::RecordRef& record) {
    if (!in_scopes(resource, quota, record->body)) return true;
    for (const auto& [name, amount] : usage_of(resource, record->body, now)) {
      if (const auto at = usage.find(name); at != usage.end()) at->second += amount;
    }
    return true;
  });
}

}  // namespace

std::vector<std::string> names_used_by(const GroupResource& resource, const ResourceList& amounts) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : amounts) {
    if (used_by(resource, name)) names.push_back(name);
  }
  return names;
}

ResourceList usage_of(const GroupResource& resource, json::View object, Instant now) {
  ResourceList usage;
  if (is_core(resource, "pods")) {
    usage = pod_usage(object, now);
  } else if (is_core(resource, "services")) {
    usage = service_usage(object);
  } else if (is_core(resource, "persistentvolumeclaims")) {
    usage = claim_usage(object);
  } else if (resource.group.empty() && contains(kCountedByName, resource.resource)) {
    usage[resource.resource] = Quantity::of(1);
  }
  usage[count_name(resource)] = Quantity::of(1);
  return usage;
}

bool is_terminating_pod(json::View pod) {
  return pod.get("spec", "activeDeadlineSeconds").as_int(-1) >= 0;
}

bool in_scopes(const GroupResource& resource, json::View quota, json::View object) {
  for (const json::View scope : quota.get("spec", "scopes").elements()) {
    if (!in_scope(resource, object, scope.as_string(), {})) return false;
  }
  for (const json::View requirement :
       quota.get("spec", "scopeSelector", "matchExpressions").elements()) {
    if (!in_scope(resource, object, requirement.get("scopeName").as_string(), requirement)) {
      return false;
    }
  }
  return true;
}

bool exempt_from_quota(const GroupResource& resource) {
  if (resource.resource == "events") {
    return resource.group.empty() || resource.group == "events.k8s.io";
  }
  return is_core(resource, "bindings") || resource.group == "authorization.k8s.io" ||
         resource.group == "authentication.k8s.io";
}

ResourceList usage_of(const store::Snapshot& snapshot, json::View quota, Instant now) {
  const auto hard = read_resources(quota.get("spec", "hard"));
  ResourceList total;
  for (const auto& resource : resources_named(hard)) {
    ResourceList usage;
    for (const auto& name : names_used_by(resource, hard)) usage.emplace(name, Quantity{});
    if (usage.empty() || exempt_from_quota(resource) || !is_served(snapshot, resource)) continue;
    count_resource(snapshot, quota, now, resource, usage);
    add(total, usage);
  }
  return total;
}

}  // namespace fixpoint::apiserver
