// SPDX-License-Identifier: Apache-2.0
#include "cluster/endpoints/subsets.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <map>
#include <string>

namespace fixpoint::cluster::endpoints {
namespace {

using json::Draft;

constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";
constexpr std::string_view kManagedBy = "endpoints.kubernetes.io/managed-by";

struct Address {
  json::Value value;
  bool ready = false;
};
using Addresses = std::map<std::string, Address>;  // in the order they are shown
struct Port {
  json::Value value;  // null where a service has none
  Addresses addresses;
};

Draft address_draft(json::View pod, json::View service, std::string_view ip) {
  auto made = Draft::object({
      {"ip",        ip                                                            },
      {"targetRef", Draft::object({{"kind", "Pod"},
                                   {"namespace", kube::namespace_of(pod)},
                                   {"name", kube::name_of(pod)},
                                   {"uid", kube::uid_of(pod)}})}
  });
  const auto node = pod.get("spec", "nodeName").as_string();
  if (!node.empty()) made["nodeName"] = node;
  if (shows_hostname(pod, service)) made["hostname"] = pod.get("spec", "hostname");
  return made;
}

// Ports by the addresses behind them: ports of the same addresses make one subset.
std::map<std::string, Port> by_port(json::View service, const std::vector<Backend>& backends) {
  const bool publish = service.get("spec", "publishNotReadyAddresses").as_bool();
  std::map<std::string, Port> ports;
  for (const auto& backend : backends) {
    if (kube::being_deleted(backend.pod) && !publish) continue;
    const auto ip = address_of(backend.pod, families_of(service).front());
    if (ip.empty()) continue;
    const Address address{.value = address_draft(backend.pod, service, ip).freeze(),
                          .ready = publish || is_ready(backend.pod)};
    const auto key = ip + " " + std::string{kube::uid_of(backend.pod)};
    if (service.get("spec", "ports").empty()) ports[""].addresses.emplace(key, address);
    for (const json::View port : backend.ports.elements()) {
      Draft shown{port};
      if (port.get("name").as_string().empty()) shown.erase("name");
      const auto value = shown.freeze();
      auto& known = ports[json::to_text(value)];
      known.value = value;
      known.addresses.emplace(key, address);
    }
  }
  return ports;
}

std::string identity_of_addresses(const Addresses& addresses) {
  std::string text;
  for (const auto& [key, address] : addresses) text += key + (address.ready ? "+ " : "- ");
  return text;
}

struct Subsets {
  Draft list = Draft::array();
  bool truncated = false;
};

Draft subset_of(const Addresses& addresses, Draft ports, bool& truncated) {
  auto ready = Draft::array();
  auto others = Draft::array();
  std::size_t count = 0;
  for (const auto& [key, address] : addresses) {
    if (++count > kAddressesMax) {
      truncated = true;
      break;
    }
    (address.ready ? ready : others).push_back(address.value);
  }
  auto subset = Draft::object();
  if (!ready.empty()) subset["addresses"] = std::move(ready);
  if (!others.empty()) subset["notReadyAddresses"] = std::move(others);
  if (!ports.empty()) subset["ports"] = std::move(ports);
  return subset;
}

Subsets subsets_of(json::View service, const std::vector<Backend>& backends) {
  std::map<std::string, std::pair<Addresses, Draft>> groups;
  for (const auto& [text, port] : by_port(service, backends)) {
    auto [at, fresh] =
        groups.try_emplace(identity_of_addresses(port.addresses), port.addresses, Draft::array());
    if (!port.value.is_null()) at->second.second.push_back(port.value);
  }
  Subsets subsets;
  for (auto& [identity, group] : groups) {
    subsets.list.push_back(subset_of(group.first, std::move(group.second), subsets.truncated));
  }
  return subsets;
}

}  // namespace

std::optional<json::Value> wanted_endpoints(json::View service,
                                            const std::vector<Backend>& backends,
                                            json::View present) {
  auto subsets = subsets_of(service, backends);
  auto labels = Draft{kube::labels_of(service)};
  if (labels.is_null()) labels = Draft::object();
  labels[kManagedBy] = "endpoint-controller";
  if (is_headless(service)) labels[kHeadlessLabel] = "";
  const auto list = subsets.list.freeze();
  const auto own_labels = labels.freeze();
  const bool was_truncated = kube::annotations_of(present).contains(kOverCapacity);
  const bool same_subsets =
      present.get("subsets") == list.view() || (present.get("subsets").empty() && list.empty());
  if (!present.is_null() && same_subsets && kube::labels_of(present) == own_labels.view() &&
      was_truncated == subsets.truncated) {
    return std::nullopt;
  }
  Draft made{present};
  if (present.is_null()) made = Draft::object();
  auto& metadata = made.object_at("metadata");
  metadata["name"] = kube::name_of(service);
  metadata["namespace"] = kube::namespace_of(service);
  metadata["labels"] = own_labels;
  auto& annotations = metadata.object_at("annotations");
  annotations[kLastChange] = last_change(service, backends);
  annotations.erase(kOverCapacity);
  if (subsets.truncated) annotations[kOverCapacity] = "truncated";
  made.erase("subsets");
  if (!list.empty()) made["subsets"] = list;
  return made.freeze();
}

}  // namespace fixpoint::cluster::endpoints
