// SPDX-License-Identifier: Apache-2.0
#include "cluster/endpoints/service_endpoints.h"

#include "cluster/endpoints/slices.h"
#include "cluster/endpoints/subsets.h"
#include "cluster/nodes/pods_by_node.h"
#include "kube/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster::endpoints {
namespace {

using nodes::kPods;

constexpr std::string_view kServices = "services/";
constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

const kube::GroupVersionResource kEndpointsResource{"", "v1", "endpoints"};

// What endpoints show of a pod.
bool shows_the_same(json::View before, json::View after) {
  return before.get("status", "podIP") == after.get("status", "podIP") &&
         before.get("status", "podIPs") == after.get("status", "podIPs") &&
         is_ready(before) == is_ready(after) && has_place(before) == has_place(after) &&
         kube::being_deleted(before) == kube::being_deleted(after) &&
         before.get("spec", "nodeName") == after.get("spec", "nodeName");
}

std::string service_key(std::string_view ns, std::string_view name) {
  return fmt::format("{}{}/{}", kServices, ns, name);
}

bool is_mirrored(json::View endpoints) {
  return kube::label_of(endpoints, "endpointslice.kubernetes.io/skip-mirror") != "true" &&
         !kube::annotations_of(endpoints).contains("control-plane.alpha.kubernetes.io/leader");
}

}  // namespace

void ServiceEndpoints::begin(Api& api) {
  for (const auto prefix : {kServices, kEndpoints}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      observe({.revision = record->modified, .before = {}, .after = record, .last = {}});
      return true;
    });
  }
}

void ServiceEndpoints::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kPods) return see_pod(event);
  if (parts.prefix == kServices) return see_service(event);
  if (parts.prefix != kEndpoints && parts.prefix != kSlices) return;
  if (echoes_.erase(event.revision) > 0) return;
  if (parts.prefix == kEndpoints) return queue_.add(service_key(parts.ns, parts.name));
  for (const auto& record : {event.before, event.after}) {
    if (!record) continue;
    const auto owner = kube::label_of(record->body, kServiceLabel);
    const auto manager = kube::label_of(record->body, kManagedByLabel);
    if (manager == kSliceController || manager == kMirrorController) {
      queue_.add(service_key(parts.ns, owner));
    }
  }
}

void ServiceEndpoints::see_service(const store::Event& event) {
  const auto parts = split_key(event.key());
  auto& services = services_[std::string{parts.ns}];
  const std::string name{parts.name};
  if (!event.after || !selects_pods(event.after->body)) {
    services.erase(name);
    if (services.empty()) services_.erase(std::string{parts.ns});
    if (!event.after) gone_.insert(event.key());
    return queue_.add(event.key());
  }
  const auto selector = kube::LabelSelector::from_labels(event.after->body.get("spec", "selector"));
  auto [at, fresh] = services.try_emplace(name);
  if (fresh || !(at->second.selector == selector)) {
    at->second.selector = selector;
    fresh_.add(event.key());
  }
  queue_.add(event.key());
}

void ServiceEndpoints::see_pod(const store::Event& event) {
  const auto ns = split_key(event.key()).ns;
  const auto known = services_.find(ns);
  if (known == services_.end()) return;
  const auto labels = [](const store::RecordRef& record) {
    return record ? kube::labels_of(record->body) : json::View{};
  };
  const bool same_labels =
      event.before && event.after && labels(event.before) == labels(event.after);
  if (same_labels && shows_the_same(event.before->body, event.after->body)) return;
  for (auto& [name, service] : known->second) {
    const bool has = event.after && service.selector.matches(labels(event.after));
    const bool had = service.pods.contains(event.key());
    if (has && !had) service.pods.insert(event.key());
    if (!has && had) service.pods.erase(event.key());
    if (has || had) queue_.add(service_key(ns, name));
  }
}

void ServiceEndpoints::enlist(Api& api, const std::string& key) {
  const auto parts = split_key(key);
  const auto known = services_.find(parts.ns);
  if (known == services_.end()) return;
  const auto service = known->second.find(parts.name);
  if (service == known->second.end()) return;
  service->second.pods.clear();
  api.latest().scan(fmt::format("{}{}/", kPods, parts.ns), {}, [&](const store::RecordRef& pod) {
    if (service->second.selector.matches(kube::labels_of(pod->body))) {
      service->second.pods.insert(pod->key);
    }
    return true;
  });
}

bool ServiceEndpoints::step(Api& api) {
  while (auto due = deadlines_.take(api.now())) queue_.add(*std::move(due));
  if (const auto key = fresh_.take()) {
    enlist(api, *key);
    return true;
  }
  const auto key = queue_.take();
  if (!key) return false;
  look(api, *key);
  return true;
}

void ServiceEndpoints::look(Api& api, const std::string& key) {
  const auto parts = split_key(key);
  const auto record = api.latest().find(key);
  if (!record) {
    deadlines_.clear(key);
    if (gone_.erase(key) == 0) return;
    const auto endpoints =
        api.latest().find(fmt::format("{}{}/{}", kEndpoints, parts.ns, parts.name));
    // Endpoints go with their service, whoever wrote them; slices have an owner that sees to it.
    if (endpoints) send(api, key, {delete_request(kEndpointsResource, endpoints->body)});
    return;
  }
  gone_.erase(key);
  if (kube::being_deleted(record->body)) return;
  if (!selects_pods(record->body)) return mirror(api, key, record->body);
  write_for_pods(api, key, record->body);
}

std::vector<Backend> ServiceEndpoints::backends_of(Api& api, json::View service,
                                                   const Service& known) const {
  std::vector<Backend> backends;
  for (const auto& pod_key : known.pods) {
    const auto pod = api.latest().find(pod_key);
    if (!pod || !has_place(pod->body)) continue;
    auto ports = ports_on(pod->body, service);
    const auto node = api.latest().find(nodes::node_key(nodes::node_of(pod->body)));
    backends.push_back(
        {.pod = pod->body,
         .zone = node ? std::string{kube::label_of(node->body, kZoneLabel)} : std::string{},
         .ports = std::move(ports)});
  }
  return backends;
}

void ServiceEndpoints::write_for_pods(Api& api, const std::string& key,
                                      const json::Value& service) {
  const auto parts = split_key(key);
  const auto in_namespace = services_.find(parts.ns);
  if (in_namespace == services_.end()) return;
  const auto known = in_namespace->second.find(parts.name);
  if (known == in_namespace->second.end()) return;
  Service& state = known->second;
  if (api.now() < state.rests_until) return deadlines_.set(key, state.rests_until);
  const auto hundreds = static_cast<std::int64_t>(state.pods.size() / 100);
  state.rests_until = api.now() + std::min<Duration>(kPauseMax, kPausePerHundred * hundreds);

  const auto backends = backends_of(api, service, state);
  auto requests = plan(goal_of_service(service, backends),
                       api.reader().controlled(kube::uid_of(service), kSlices));
  const auto present = api.latest().find(fmt::format("{}{}/{}", kEndpoints, parts.ns, parts.name));
  const auto body = present ? present->body : json::Value{};
  if (const auto wanted = wanted_endpoints(service, backends, body)) {
    requests.push_back(present ? update_request(kEndpointsResource, *wanted)
                               : create_request(kEndpointsResource, *wanted));
  }
  send(api, key, requests);
}

void ServiceEndpoints::mirror(Api& api, const std::string& key, const json::Value& service) {
  const auto parts = split_key(key);
  const auto present = api.latest().find(fmt::format("{}{}/{}", kEndpoints, parts.ns, parts.name));
  if (!present || service.get("spec", "type").as_string() == "ExternalName") return;
  auto goal = goal_of_mirror(present->body);
  if (!is_mirrored(present->body)) goal.groups.clear();
  send(api, key, plan(goal, api.reader().controlled(kube::uid_of(present->body), kSlices)));
}

void ServiceEndpoints::send(Api& api, const std::string& key,
                            const std::vector<apiserver::Request>& requests) {
  for (const auto& request : requests) {
    const auto before = api.latest().revision();
    const auto response = api.call(request);
    if (response.ok() && api.latest().revision() != before) {
      echoes_.insert(api.latest().revision());
    }
    if (!response.ok() && response.code != 404) {
      return deadlines_.set(key, api.now() + kTryAgain);
    }
  }
}

}  // namespace fixpoint::cluster::endpoints
