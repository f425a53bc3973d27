// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/limit_range.h"

#include "apiserver/admission/resource_list.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

using kube::Quantity;
using Texts = std::vector<std::string>;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

// Amounts above it are compared in whole units, as their thousandths do not fit int64.
constexpr std::int64_t kMilliValueMax = std::numeric_limits<std::int64_t>::max() / 1000;

std::vector<store::RecordRef> limit_ranges_in(const store::Snapshot& snapshot,
                                              std::string_view ns) {
  std::vector<store::RecordRef> found;
  snapshot.scan("limitranges/" + std::string{ns} + "/", {}, [&](const store::RecordRef& record) {
    found.push_back(record);
    return true;
  });
  return found;
}

// Defaults.

struct ContainerDefaults {
  ResourceList requests;
  ResourceList limits;
};

ContainerDefaults container_defaults(json::View limit_range) {
  ContainerDefaults defaults;
  for (const json::View item : limit_range.get("spec", "limits").elements()) {
    if (item.get("type").as_string() != "Container") continue;
    for (auto& [name, amount] : read_resources(item.get("defaultRequest"))) {
      defaults.requests[name] = amount;
    }
    for (auto& [name, amount] : read_resources(item.get("default"))) {
      defaults.limits[name] = amount;
    }
  }
  return defaults;
}

// The names that were missing and now are set.
Texts fill(json::Draft& container, std::string_view member, const ResourceList& defaults) {
  Texts set;
  const json::Draft* given = container.find("resources", member);
  for (const auto& [name, amount] : defaults) {
    if (given == nullptr || !given->contains(name)) set.push_back(name);
  }
  if (set.empty()) return set;
  auto& amounts = container.object_at("resources").object_at(member);
  for (const auto& name : set) amounts[name] = defaults.find(name)->second.to_string();
  return set;
}

void fill_container(json::Draft& container, std::string_view role,
                    const ContainerDefaults& defaults, Texts& notes) {
  const auto limits = fill(container, "limits", defaults.limits);
  const auto requests = fill(container, "requests", defaults.requests);
  const json::Draft* name = container.find("name");
  const std::string who =
      fmt::format("{} {}", role, name == nullptr ? std::string_view{} : name->as_string());
  if (!requests.empty()) notes.push_back(kube::joined(requests, ", ") + " request for " + who);
  if (!limits.empty()) notes.push_back(kube::joined(limits, ", ") + " limit for " + who);
}

void fill_containers(json::Draft& spec, std::string_view member, std::string_view role,
                     const ContainerDefaults& defaults, Texts& notes) {
  json::Draft* containers = spec.find(member);
  if (containers == nullptr || !containers->is_array()) return;
  for (auto& container : containers->elements()) {
    fill_container(container, role, defaults, notes);
  }
}

// Bounds.

// One amount as a container, pod or claim states it, and the bound it has to keep.
struct Bound {
  std::string_view type;
  const std::string& name;
  const Quantity& amount;
};

// What was stated, at a precision at which it can be compared with the bound.
struct Stated {
  std::optional<Quantity> request;
  std::optional<Quantity> limit;
  std::int64_t request_value = 0;
  std::int64_t limit_value = 0;
  std::int64_t bound_value = 0;
};

std::optional<Quantity> amount_of(const ResourceList& list, std::string_view name) {
  const auto at = list.find(name);
  return at == list.end() ? std::nullopt : std::optional{at->second};
}

Stated stated(const Bound& bound, const PodResources& resources) {
  Stated result{.request = amount_of(resources.requests, bound.name),
                .limit = amount_of(resources.limits, bound.name)};
  const Quantity request = result.request.value_or(Quantity{});
  const Quantity limit = result.limit.value_or(Quantity{});
  const bool fine = request.value() <= kMilliValueMax && limit.value() <= kMilliValueMax &&
                    bound.amount.value() <= kMilliValueMax;
  result.request_value = fine ? request.milli_value() : request.value();
  result.limit_value = fine ? limit.milli_value() : limit.value();
  result.bound_value = fine ? bound.amount.milli_value() : bound.amount.value();
  return result;
}

std::string broken(std::string_view which, const Bound& bound, std::string_view how) {
  return fmt::format("{} {} usage per {} is {}{}", which, bound.name, bound.type,
                     bound.amount.to_string(), how);
}

void check_min(const Bound& bound, const PodResources& resources, Texts& errors) {
  const auto seen = stated(bound, resources);
  if (!seen.request) {
    errors.push_back(broken("minimum", bound, ".  No request is specified"));
  } else if (seen.request_value < seen.bound_value) {
    errors.push_back(broken("minimum", bound, ", but request is " + seen.request->to_string()));
  } else if (seen.limit && seen.limit_value < seen.bound_value) {
    errors.push_back(broken("minimum", bound, ", but limit is " + seen.limit->to_string()));
  }
}

void check_max(const Bound& bound, const PodResources& resources, Texts& errors) {
  const auto seen = stated(bound, resources);
  if (!seen.limit) {
    errors.push_back(broken("maximum", bound, ".  No limit is specified"));
  } else if (seen.limit_value > seen.bound_value) {
    errors.push_back(broken("maximum", bound, ", but limit is " + seen.limit->to_string()));
  } else if (seen.request && seen.request_value > seen.bound_value) {
    errors.push_back(broken("maximum", bound, ", but request is " + seen.request->to_string()));
  }
}

// Claims have no limits: what they request is all there is.
void check_max_request(const Bound& bound, const PodResources& resources, Texts& errors) {
  const auto seen = stated(bound, resources);
  if (!seen.request) {
    errors.push_back(broken("maximum", bound, ".  No request is specified"));
  } else if (seen.request_value > seen.bound_value) {
    errors.push_back(broken("maximum", bound, ", but request is " + seen.request->to_string()));
  }
}

void check_ratio(const Bound& bound, const PodResources& resources, Texts& errors) {
  const auto seen = stated(bound, resources);
  const auto note = [&](std::string_view how) {
    errors.push_back(fmt::format("{} max limit to request ratio per {} is {}, but {}", bound.name,
                                 bound.type, bound.amount.to_string(), how));
  };
  if (seen.request_value == 0) return note("no request is specified or request is 0");
  if (seen.limit_value == 0) return note("no limit is specified or limit is 0");
  const double ratio =
      static_cast<double>(seen.limit_value) / static_cast<double>(seen.request_value);
  const bool fine = bound.amount.value() <= kMilliValueMax;
  const double compared = fine ? ratio * 1000 : ratio;
  const auto allowed =
      static_cast<double>(fine ? bound.amount.milli_value() : bound.amount.value());
  if (compared > allowed) note(fmt::format("provided ratio is {:.6f}", ratio));
}

using Check = void (*)(const Bound&, const PodResources&, Texts&);

void check_each(json::View item, std::string_view member, const PodResources& resources,
                Check check, Texts& errors) {
  for (const auto& [name, amount] : read_resources(item.get(member))) {
    check({.type = item.get("type").as_string(), .name = name, .amount = amount}, resources,
          errors);
  }
}

void check_item(json::View item, const PodResources& resources, Texts& errors) {
  check_each(item, "min", resources, check_min, errors);
  check_each(item, "max", resources, check_max, errors);
  check_each(item, "maxLimitRequestRatio", resources, check_ratio, errors);
}

void check_pod(json::View item, json::View pod, Texts& errors) {
  if (item.get("type").as_string() == "Pod") {
    check_item(item, pod_total(pod, PodTotal::ForLimitRange), errors);
  }
  if (item.get("type").as_string() != "Container") return;
  for (const auto member : {"containers", "initContainers"}) {
    for (const json::View container : pod.get("spec", member).elements()) {
      const json::View resources = container.get("resources");
      check_item(item,
                 {.requests = read_resources(resources.get("requests")),
                  .limits = read_resources(resources.get("limits"))},
                 errors);
    }
  }
}

void check_claim(json::View item, json::View claim, Texts& errors) {
  if (item.get("type").as_string() != "PersistentVolumeClaim") return;
  const PodResources resources{
      .requests = read_resources(claim.get("spec", "resources", "requests")), .limits = {}};
  check_each(item, "min", resources, check_min, errors);
  check_each(item, "max", resources, check_max_request, errors);
}

// Several errors as a real server joins them: each once, in brackets.
std::string aggregate(const Texts& errors) {
  Texts unique;
  for (const auto& error : errors) {
    if (std::ranges::find(unique, error) == unique.end()) unique.push_back(error);
  }
  return kube::go_aggregate(unique);
}

// A pod's containers can only change through /resize.
bool concerns_limits(const AdmissionCall& call) {
  const bool updates = call.verb == "update";
  if (call.resource.prefix == "pods/") {
    return updates ? call.subresource == "resize" : call.subresource.empty();
  }
  return call.resource.prefix == "persistentvolumeclaims/" && call.subresource.empty();
}

}  // namespace

void set_limit_range_defaults(const AdmissionCall& call, const store::Snapshot& snapshot,
                              json::Draft& object) {
  if (call.resource.prefix != "pods/" || !concerns_limits(call)) return;
  for (const auto& record : limit_ranges_in(snapshot, call.ns)) {
    const auto defaults = container_defaults(record->body);
    auto& spec = object.object_at("spec");
    Texts notes;
    fill_containers(spec, "containers", "container", defaults, notes);
    fill_containers(spec, "initContainers", "init container", defaults, notes);
    if (notes.empty()) continue;
    object.object_at("metadata").object_at("annotations")[kAnnotation] =
        "LimitRanger plugin set: " + kube::joined(notes, "; ");
  }
}

kube::Answer<void> check_limit_ranges(const AdmissionCall& call, const store::Snapshot& snapshot,
                                      json::View object, json::View old_object) {
  if (!concerns_limits(call) || kube::being_deleted(old_object)) return {};
  const auto check = call.resource.prefix == "pods/" ? check_pod : check_claim;
  for (const auto& record : limit_ranges_in(snapshot, call.ns)) {
    Texts errors;
    for (const json::View item : record->body.get("spec", "limits").elements()) {
      check(item, object, errors);
    }
    if (errors.empty()) continue;
    return std::unexpected(
        kube::forbidden(call.resource.group_resource(), call.shown_name(), aggregate(errors)));
  }
  return {};
}

}  // namespace fixpoint::apiserver
