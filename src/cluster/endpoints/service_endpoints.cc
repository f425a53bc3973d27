// SPDX-License-Identifier: Apache-2.0
#include "cluster/endpoints/service_endpoints.h"

#include "cluster/endpoints/slices.h"
#include "cluster/endpoints/subsets.h"
#include "cluster/nodes/pods_by_node.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <optional>
#include <utility>

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

std::string label_text(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, value);
}

json::View labels_of(const store::RecordRef& record) {
  return record ? kube::labels_of(record->body) : json::View{};
}

template <class Table>
std::size_t count_at(const Table& table, std::string_view key) {
  const auto found = table.find(key);
  return found == table.end() ? 0 : found->second.size();
}

// None where nobody has counted yet.
template <class Columns>
std::size_t pods_at(const Columns& columns, std::string_view label, std::string_view value) {
  const auto column = columns.find(label);
  return column == columns.end() ? 0 : count_at(column->second, value);
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
  const std::string ns{parts.ns};
  const std::string name{parts.name};
  auto& shelf = shelves_[ns];
  if (!event.after || !selects_pods(event.after->body)) {
    take_off(shelf, name);
    if (shelf.services.empty()) shelves_.erase(ns);
    if (!event.after) gone_.insert(event.key());
    return queue_.add(event.key());
  }
  const auto labels = event.after->body.get("spec", "selector");
  const auto known = shelf.services.find(name);
  if (known == shelf.services.end() ||
      !(known->second.selector == kube::LabelSelector::from_labels(labels))) {
    take_off(shelf, name);
    file(shelf, name, labels);
    fresh_[ns].insert(name);
  }
  queue_.add(event.key());
}

// Under the label that the fewest others are found by: many services ask for what all pods of a
// product have, and for the name of one.
void ServiceEndpoints::file(Shelf& shelf, const std::string& name, json::View labels) {
  Service& service = shelf.services[name];
  service.selector = kube::LabelSelector::from_labels(labels);
  std::optional<std::size_t> fewest;
  for (const auto [key, value] : labels.members()) {
    const std::size_t others = count_at(shelf.by_label, label_text(key, value.as_string())) +
                               pods_at(shelf.columns, key, value.as_string());
    if (fewest && *fewest <= others) continue;
    fewest = others;
    service.label = key;
    service.value = value.as_string();
  }
  shelf.by_label[label_text(service.label, service.value)].insert(name);
}

void ServiceEndpoints::take_off(Shelf& shelf, const std::string& name) {
  const auto service = shelf.services.find(name);
  if (service == shelf.services.end()) return;
  const auto filed = shelf.by_label.find(label_text(service->second.label, service->second.value));
  filed->second.erase(name);
  if (filed->second.empty()) shelf.by_label.erase(filed);
  const auto first = label_text(service->second.label, "");
  const auto other = shelf.by_label.lower_bound(first);
  const bool filed_so = other != shelf.by_label.end() && other->first.starts_with(first);
  if (!filed_so) shelf.columns.erase(service->second.label);
  shelf.services.erase(service);
}

void ServiceEndpoints::add_asking(const Shelf& shelf, json::View labels, Names& names) {
  for (const auto [key, value] : labels.members()) {
    const auto filed = shelf.by_label.find(label_text(key, value.as_string()));
    if (filed != shelf.by_label.end()) names.insert(filed->second.begin(), filed->second.end());
  }
}

ServiceEndpoints::Service* ServiceEndpoints::find(std::string_view ns, std::string_view name) {
  const auto shelf = shelves_.find(ns);
  if (shelf == shelves_.end()) return nullptr;
  const auto service = shelf->second.services.find(name);
  return service == shelf->second.services.end() ? nullptr : &service->second;
}

void ServiceEndpoints::see_pod(const store::Event& event) {
  const auto ns = split_key(event.key()).ns;
  const auto shelf = shelves_.find(ns);
  if (shelf == shelves_.end()) return;
  const bool same_labels =
      event.before && event.after && labels_of(event.before) == labels_of(event.after);
  if (!same_labels) note_pod(shelf->second, event);
  if (same_labels && shows_the_same(event.before->body, event.after->body)) return;
  // Who has the pod found it by the labels that it had.
  Names asking;
  add_asking(shelf->second, labels_of(event.before), asking);
  add_asking(shelf->second, labels_of(event.after), asking);
  for (const std::string& name : asking) {
    Service& service = shelf->second.services.at(name);
    const bool has = event.after && service.selector.matches(labels_of(event.after));
    const bool had = service.pods.contains(event.key());
    if (has && !had) service.pods.insert(event.key());
    if (!has && had) service.pods.erase(event.key());
    if (has || had) queue_.add(service_key(ns, name));
  }
}

void ServiceEndpoints::note_pod(Shelf& shelf, const store::Event& event) {
  for (const auto [label, value] : labels_of(event.before).members()) {
    const auto column = shelf.columns.find(label);
    if (column == shelf.columns.end()) continue;
    const auto pods = column->second.find(value.as_string());
    if (pods == column->second.end()) continue;
    pods->second.erase(event.key());
    if (pods->second.empty()) column->second.erase(pods);
  }
  for (const auto [label, value] : labels_of(event.after).members()) {
    const auto column = shelf.columns.find(label);
    if (column == shelf.columns.end()) continue;
    column->second[std::string{value.as_string()}].insert(event.key());
  }
}

// From now on note_pod keeps it. What the store has and was not told yet will be told: then it is
// noted once more, or taken off.
const ServiceEndpoints::Column& ServiceEndpoints::column(Api& api, const std::string& ns,
                                                         Shelf& shelf, const std::string& label) {
  const auto known = shelf.columns.find(label);
  if (known != shelf.columns.end()) return known->second;
  Column& made = shelf.columns[label];
  api.latest().scan(fmt::format("{}{}/", kPods, ns), {}, [&](const store::RecordRef& pod) {
    if (const auto has = kube::labels_of(pod->body).find(label)) {
      made[std::string{has->as_string()}].insert(pod->key);
    }
    return true;
  });
  return made;
}

void ServiceEndpoints::enlist_fresh(Api& api) {
  for (const auto& [ns, names] : std::exchange(fresh_, {})) {
    const auto shelf = shelves_.find(ns);
    if (shelf == shelves_.end()) continue;
    for (const std::string& name : names) enlist(api, ns, shelf->second, name);
  }
}

void ServiceEndpoints::enlist(Api& api, const std::string& ns, Shelf& shelf,
                              const std::string& name) {
  const auto known = shelf.services.find(name);
  if (known == shelf.services.end()) return;
  Service& service = known->second;
  service.pods.clear();
  const Column& pods = column(api, ns, shelf, service.label);
  const auto asked_for = pods.find(service.value);
  if (asked_for == pods.end()) return;
  for (const std::string& key : asked_for->second) {
    const auto pod = api.latest().find(key);
    if (pod && service.selector.matches(kube::labels_of(pod->body))) service.pods.insert(key);
  }
}

bool ServiceEndpoints::step(Api& api) {
  while (auto due = deadlines_.take(api.now())) queue_.add(*std::move(due));
  if (!fresh_.empty()) {
    enlist_fresh(api);
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
  Service* known = find(parts.ns, parts.name);
  if (known == nullptr) return;
  Service& state = *known;
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
