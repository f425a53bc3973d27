// SPDX-License-Identifier: Apache-2.0
#include "cluster/endpoints/slices.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cluster::endpoints {
namespace {

using json::Draft;

const kube::GroupVersionResource kSliceResource{"discovery.k8s.io", "v1", "endpointslices"};

Draft endpoint_of(const Backend& backend, json::View service, std::string address) {
  const json::View pod = backend.pod;
  const bool serving = is_ready(pod);
  const bool leaving = kube::being_deleted(pod);
  const bool ready =
      service.get("spec", "publishNotReadyAddresses").as_bool() || (serving && !leaving);
  auto made = Draft::object({
      {"addresses",  Draft::array({std::move(address)})                                 },
      {"conditions",
       Draft::object({{"ready", ready}, {"serving", serving}, {"terminating", leaving}})},
      {"targetRef",  Draft::object({{"kind", "Pod"},
                                   {"namespace", kube::namespace_of(pod)},
                                   {"name", kube::name_of(pod)},
                                   {"uid", kube::uid_of(pod)}})      }
  });
  const auto node = pod.get("spec", "nodeName").as_string();
  if (!node.empty()) made["nodeName"] = node;
  if (!backend.zone.empty()) made["zone"] = backend.zone;
  if (shows_hostname(pod, service)) made["hostname"] = pod.get("spec", "hostname");
  return made;
}

std::string group_key(std::string_view family, json::View ports) {
  return fmt::format("{} {}", family, json::to_text(ports));
}

SliceGroup& group_for(std::map<std::string, SliceGroup>& groups, std::string_view family,
                      const json::Value& ports) {
  auto [at, fresh] = groups.try_emplace(group_key(family, ports));
  if (fresh) {
    at->second.family = family;
    at->second.ports = ports;
  }
  return at->second;
}

std::vector<SliceGroup> listed(std::map<std::string, SliceGroup> groups) {
  std::vector<SliceGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  return all;
}

bool is_reserved(std::string_view label) {
  return label == kServiceLabel || label == kManagedByLabel || label == kHeadlessLabel;
}

Draft own_labels(json::View owner, std::string_view controller) {
  auto labels = Draft::object();
  for (const auto& [key, value] : kube::labels_of(owner).members()) {
    if (!is_reserved(key)) labels[key] = value;
  }
  labels[kServiceLabel] = kube::name_of(owner);
  labels[kManagedByLabel] = controller;
  return labels;
}

// The identity of an endpoint that is already in a slice.
std::string identity_of(json::View endpoint) {
  const auto uid = endpoint.get("targetRef", "uid").as_string();
  return std::string{uid.empty() ? endpoint.get("addresses")[0].as_string() : uid};
}

// Owner names are long at times; what generateName cannot take goes without the last part.
std::string name_prefix(std::string_view owner) {
  constexpr std::size_t kPrefixBytesMax = 63 - 5;
  return std::string{owner.substr(0, kPrefixBytesMax - 1)} + "-";
}

struct Slice {
  store::RecordRef record;  // empty for a new one
  std::vector<json::Value> endpoints;
  bool changed = false;
};

Draft listing(const std::vector<json::Value>& endpoints) {
  auto all = Draft::array();
  for (const auto& endpoint : endpoints) all.push_back(endpoint);
  return all;
}

apiserver::Request new_slice(const SliceGoal& goal, std::string_view family, json::View ports,
                             const std::vector<json::Value>& endpoints) {
  const json::View owner = goal.owner;
  auto metadata = Draft::object({
      {"generateName",    name_prefix(kube::name_of(owner))                                 },
      {"namespace",       kube::namespace_of(owner)                                         },
      {"labels",          goal.labels                                                       },
      {"ownerReferences", Draft::array({Draft{kube::controller_reference(owner).to_json()}})}
  });
  if (!goal.annotations.is_null()) metadata["annotations"] = goal.annotations;
  const auto body = Draft::object({
                                      {"metadata",    std::move(metadata)},
                                      {"addressType", family             },
                                      {"endpoints",   listing(endpoints) },
                                      {"ports",       ports              }
  })
                        .freeze();
  return create_request(kSliceResource, body);
}

apiserver::Request changed_slice(const SliceGoal& goal, const Slice& slice) {
  Draft made{slice.record->body};
  auto& metadata = made.object_at("metadata");
  metadata["labels"] = goal.labels;
  // A mirrored slice is written anew under the name it has.
  if (goal.controller == kMirrorController) metadata.erase("generateName");
  if (!goal.annotations.is_null()) metadata["annotations"] = goal.annotations;
  made["endpoints"] = listing(slice.endpoints);
  const json::Value body = made.freeze();
  return update_request(kSliceResource, body);
}

// Takes out what should not be there and brings up to date what stays.
Slice refreshed(const store::RecordRef& record, std::map<std::string, json::Value>& missing,
                const SliceGoal& goal) {
  Slice slice{.record = record};
  for (const json::View endpoint : record->body.get("endpoints").elements()) {
    const auto wanted = missing.find(identity_of(endpoint));
    if (wanted == missing.end()) {
      slice.changed = true;
      continue;
    }
    slice.changed = slice.changed || !(wanted->second == endpoint);
    slice.endpoints.push_back(std::move(wanted->second));
    missing.erase(wanted);
  }
  slice.changed = slice.changed || !(kube::labels_of(record->body) == goal.labels.view());
  return slice;
}

void fill(Slice& slice, std::map<std::string, json::Value>& missing) {
  while (!missing.empty() && slice.endpoints.size() < kEndpointsPerSlice) {
    slice.endpoints.push_back(std::move(missing.begin()->second));
    missing.erase(missing.begin());
    slice.changed = true;
  }
}

// Where what is missing goes among the slices of one group.
void distribute(std::vector<Slice>& slices, std::map<std::string, json::Value>& missing) {
  for (auto& slice : slices) {
    if (slice.changed) fill(slice, missing);
  }
  // A rest goes into the one untouched slice that has room for all of it, the fullest first.
  if (!missing.empty() && missing.size() < kEndpointsPerSlice) {
    Slice* best = nullptr;
    for (auto& slice : slices) {
      const bool room = slice.endpoints.size() + missing.size() <= kEndpointsPerSlice;
      if (room && (best == nullptr || slice.endpoints.size() > best->endpoints.size())) {
        best = &slice;
      }
    }
    if (best != nullptr) fill(*best, missing);
  }
  while (!missing.empty()) fill(slices.emplace_back(), missing);
}

struct Changes {
  std::vector<apiserver::Request> requests;
  std::vector<store::RecordRef> emptied;
  std::size_t left = 0;  // slices with endpoints
};

void plan_group(const SliceGoal& goal, const SliceGroup& group,
                const std::vector<store::RecordRef>& records, Changes& changes) {
  auto missing = group.endpoints;
  std::vector<Slice> slices;
  for (const auto& record : records) slices.push_back(refreshed(record, missing, goal));
  distribute(slices, missing);
  for (const auto& slice : slices) {
    if (slice.endpoints.empty()) {
      changes.emptied.push_back(slice.record);
      continue;
    }
    ++changes.left;
    if (!slice.record) {
      changes.requests.push_back(new_slice(goal, group.family, group.ports, slice.endpoints));
    } else if (slice.changed) {
      changes.requests.push_back(changed_slice(goal, slice));
    }
  }
}

bool is_empty_slice(const SliceGoal& goal, json::View slice) {
  return slice.get("ports").empty() && slice.get("endpoints").empty() &&
         kube::labels_of(slice) == goal.labels.view();
}

void finish_family(const SliceGoal& goal, std::string_view family, Changes& changes) {
  const bool keeps_one =
      goal.keeps_empty && std::ranges::count(families_of(goal.owner), family) > 0;
  if (keeps_one && changes.left == 0) {
    const auto kept = std::ranges::find_if(
        changes.emptied, [&](const auto& record) { return is_empty_slice(goal, record->body); });
    if (kept != changes.emptied.end()) {
      changes.emptied.erase(kept);
    } else {
      const auto none = json::Value::empty_array();
      changes.requests.push_back(new_slice(goal, family, none, {}));
    }
  }
  for (const auto& record : changes.emptied) {
    changes.requests.push_back(delete_request(kSliceResource, record->body));
  }
}

}  // namespace

SliceGoal goal_of_service(json::View service, const std::vector<Backend>& backends) {
  SliceGoal goal{.owner = service, .controller = kSliceController};
  goal.keeps_empty = true;
  auto labels = own_labels(service, kSliceController);
  if (is_headless(service)) labels[kHeadlessLabel] = "";
  goal.labels = labels.freeze();
  goal.annotations = Draft::object({
                                       {kLastChange, last_change(service, backends)}
  })
                         .freeze();
  std::map<std::string, SliceGroup> groups;
  for (const auto family : families_of(service)) {
    for (const auto& backend : backends) {
      auto address = address_of(backend.pod, family);
      if (address.empty()) continue;
      group_for(groups, family, backend.ports)
          .endpoints.emplace(kube::uid_of(backend.pod),
                             endpoint_of(backend, service, std::move(address)).freeze());
    }
  }
  goal.groups = listed(std::move(groups));
  return goal;
}

SliceGoal goal_of_mirror(json::View endpoints) {
  SliceGoal goal{.owner = endpoints, .controller = kMirrorController};
  goal.labels = own_labels(endpoints, kMirrorController).freeze();
  auto annotations = Draft::object();
  for (const auto& [key, value] : kube::annotations_of(endpoints).members()) {
    if (key != kLastChange && key != "kubectl.kubernetes.io/last-applied-configuration") {
      annotations[key] = value;
    }
  }
  if (!annotations.empty()) goal.annotations = annotations.freeze();
  std::map<std::string, SliceGroup> groups;
  for (const json::View subset : endpoints.get("subsets").elements()) {
    auto ports = Draft::array();
    for (const json::View port : subset.get("ports").elements()) {
      auto made = Draft{port};
      if (!port.contains("name")) made["name"] = "";
      ports.push_back(std::move(made));
    }
    const auto frozen = ports.freeze();
    std::size_t mirrored = 0;
    for (const auto member : {"addresses", "notReadyAddresses"}) {
      for (const json::View address : subset.get(member).elements()) {
        if (++mirrored > kMirroredMax) break;
        const std::string ip{address.get("ip").as_string()};
        auto made = Draft::object({
            {"addresses",  Draft::array({ip})                                                 },
            {"conditions", Draft::object({{"ready", std::string_view{member} == "addresses"}})}
        });
        for (const auto copied : {"targetRef", "nodeName", "hostname"}) {
          if (address.contains(copied)) made[copied] = address.get(copied);
        }
        auto value = made.freeze();
        const auto identity = identity_of(value);
        const bool six = ip.find(':') != std::string::npos;
        group_for(groups, six ? "IPv6" : "IPv4", frozen)
            .endpoints.emplace(identity, std::move(value));
      }
    }
  }
  goal.groups = listed(std::move(groups));
  return goal;
}

std::vector<apiserver::Request> plan(const SliceGoal& goal,
                                     const std::vector<store::RecordRef>& slices) {
  std::map<std::string, std::vector<store::RecordRef>> by_group;
  std::set<std::string> families;
  for (const auto& record : slices) {
    if (kube::being_deleted(record->body)) continue;
    if (kube::label_of(record->body, kManagedByLabel) != goal.controller) continue;
    const auto family = record->body.get("addressType").as_string();
    families.emplace(family);
    by_group[group_key(family, record->body.get("ports"))].push_back(record);
  }
  if (goal.keeps_empty) {
    for (const auto family : families_of(goal.owner)) families.emplace(family);
  }
  for (const auto& group : goal.groups) families.insert(group.family);
  std::vector<apiserver::Request> requests;
  for (const auto& family : families) {
    Changes changes;
    for (const auto& group : goal.groups) {
      if (group.family != family) continue;
      auto known = by_group.extract(group_key(group.family, group.ports));
      plan_group(goal, group, known.empty() ? std::vector<store::RecordRef>{} : known.mapped(),
                 changes);
    }
    for (const auto& [key, records] : by_group) {
      if (!key.starts_with(family + " ")) continue;
      changes.emptied.insert(changes.emptied.end(), records.begin(), records.end());
    }
    finish_family(goal, family, changes);
    std::ranges::move(changes.requests, std::back_inserter(requests));
  }
  return requests;
}

}  // namespace fixpoint::cluster::endpoints
