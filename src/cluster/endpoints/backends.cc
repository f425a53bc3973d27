// SPDX-License-Identifier: Apache-2.0
#include "cluster/endpoints/backends.h"

#include "cluster/nodes/pods_by_node.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster::endpoints {
namespace {

bool is_ip6(std::string_view address) {
  return address.find(':') != std::string_view::npos;
}

}  // namespace

std::int64_t port_on(json::View pod, json::View service_port) {
  const json::View target = service_port.get("targetPort");
  if (target.is_int()) return target.as_int();
  if (!target.is_string()) return service_port.get("port").as_int();
  const auto protocol = service_port.get("protocol").as_string("TCP");
  const auto named = [&](json::View container) -> std::int64_t {
    for (const json::View port : container.get("ports").elements()) {
      if (port.get("name").as_string() == target.as_string() &&
          port.get("protocol").as_string("TCP") == protocol) {
        return port.get("containerPort").as_int();
      }
    }
    return 0;
  };
  for (const json::View container : pod.get("spec", "containers").elements()) {
    if (const auto found = named(container); found != 0) return found;
  }
  for (const json::View container : pod.get("spec", "initContainers").elements()) {
    if (container.get("restartPolicy").as_string() != "Always") continue;
    if (const auto found = named(container); found != 0) return found;
  }
  return 0;
}

json::Value ports_on(json::View pod, json::View service) {
  auto ports = json::Draft::array();
  for (const json::View port : service.get("spec", "ports").elements()) {
    const auto number = port_on(pod, port);
    if (number == 0) continue;
    auto made = json::Draft::object({
        {"name",     port.get("name").as_string()         },
        {"port",     number                               },
        {"protocol", port.get("protocol").as_string("TCP")}
    });
    if (port.contains("appProtocol")) made["appProtocol"] = port.get("appProtocol");
    ports.push_back(std::move(made));
  }
  return ports.freeze();
}

bool is_headless(json::View service) {
  const auto address = service.get("spec", "clusterIP").as_string();
  return address.empty() || address == "None";
}

bool selects_pods(json::View service) {
  return service.get("spec", "type").as_string() != "ExternalName" &&
         service.get("spec", "selector").is_object();
}

std::vector<std::string_view> families_of(json::View service) {
  std::vector<std::string_view> families;
  for (const json::View family : service.get("spec", "ipFamilies").elements()) {
    families.push_back(family.as_string());
  }
  if (families.empty()) families.emplace_back("IPv4");
  return families;
}

std::string address_of(json::View pod, std::string_view family) {
  for (const json::View one : pod.get("status", "podIPs").elements()) {
    const auto address = one.get("ip").as_string();
    if (is_ip6(address) == (family == "IPv6")) return std::string{address};
  }
  const auto address = pod.get("status", "podIP").as_string();
  if (address.empty() || is_ip6(address) != (family == "IPv6")) return {};
  return std::string{address};
}

bool is_ready(json::View pod) {
  return kube::condition_is_true(pod, "Ready");
}

bool has_place(json::View pod) {
  return !nodes::is_over(pod) &&
         (!pod.get("status", "podIP").as_string().empty() || !pod.get("status", "podIPs").empty());
}

bool shows_hostname(json::View pod, json::View service) {
  return !pod.get("spec", "hostname").as_string().empty() &&
         pod.get("spec", "subdomain").as_string() == kube::name_of(service);
}

std::string last_change(json::View service, const std::vector<Backend>& backends) {
  std::string_view newest = kube::creation_timestamp_of(service);
  for (const auto& backend : backends) {
    newest = std::max(
        newest, kube::condition_of(backend.pod, "Ready").get("lastTransitionTime").as_string());
  }
  return std::string{newest};
}

}  // namespace fixpoint::cluster::endpoints
