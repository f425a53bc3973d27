// SPDX-License-Identifier: Apache-2.0
//
// Services, networking, discovery and autoscaling.
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"
#include "kinds/conversion/convert.h"
#include "kinds/table.h"
#include "kube/meta/gvk.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

std::string balancer_addresses(View load_balancer) {
  std::set<std::string> all;
  for (const View ingress : load_balancer.get("ingress").elements()) {
    auto address = or_else(ingress.get("ip"), ingress.get("hostname").as_string());
    if (!address.empty()) all.insert(std::move(address));
  }
  return joined({all.begin(), all.end()}, ",");
}

std::string external_addresses(View service) {
  const auto type = service.get("spec", "type").as_string();
  const auto external = joined(strings_of(service.get("spec", "externalIPs")), ",");
  if (type == "ClusterIP" || type == "NodePort")
    return external.empty() ? std::string{kNone} : external;
  if (type == "ExternalName") return text(service.get("spec", "externalName"));
  if (type != "LoadBalancer") return "<unknown>";
  const auto balancer = balancer_addresses(service.get("status", "loadBalancer"));
  if (balancer.empty()) return external.empty() ? "<pending>" : external;
  return external.empty() ? balancer : balancer + "," + external;
}

std::string service_ports(View service) {
  std::vector<std::string> parts;
  for (const View port : service.get("spec", "ports").elements()) {
    const auto number = port.get("port").as_int();
    const auto node_port = port.get("nodePort").as_int();
    const auto protocol = port.get("protocol").as_string();
    parts.push_back(node_port > 0 ? fmt::format("{}:{}/{}", number, node_port, protocol)
                                  : fmt::format("{}/{}", number, protocol));
  }
  return parts.empty() ? std::string{kNone} : joined(parts, ",");
}

Cells service_cells(View object, Instant now) {
  const View addresses = object.get("spec", "clusterIPs");
  return {name_cell(object),
          Draft{text(object.get("spec", "type"))},
          Draft{addresses.empty() ? std::string{kNone} : text(addresses[0])},
          Draft{external_addresses(object)},
          Draft{service_ports(object)},
          age_cell(object, now),
          Draft{labels_text(object.get("spec", "selector"))}};
}

// The count after "+" is of rules, named or not: that is how it has always been shown.
std::string ingress_hosts(View rules) {
  constexpr std::size_t kShownMax = 3;
  std::vector<std::string> shown;
  bool more = false;
  for (const View rule : rules.elements()) {
    more = more || shown.size() == kShownMax;
    const auto host = rule.get("host").as_string();
    if (!more && !host.empty()) shown.emplace_back(host);
  }
  if (shown.empty()) return "*";
  return more ? fmt::format("{} + {} more...", joined(shown, ","), rules.size() - kShownMax)
              : joined(shown, ",");
}

Cells ingress_cells(View object, Instant now) {
  return {name_cell(object),
          Draft{object.get("spec", "ingressClassName").as_string(kNone)},
          Draft{ingress_hosts(object.get("spec", "rules"))},
          Draft{balancer_addresses(object.get("status", "loadBalancer"))},
          Draft{object.get("spec", "tls").empty() ? "80" : "80, 443"},
          age_cell(object, now)};
}

std::string class_parameters(View parameters) {
  if (parameters.is_null()) return std::string{kNone};
  auto made = text(parameters.get("kind"));
  if (const View group = parameters.get("apiGroup"); !group.is_null()) made += "." + text(group);
  return made + "/" + text(parameters.get("name"));
}

Cells ingress_class_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("spec", "controller"))},
          Draft{class_parameters(object.get("spec", "parameters"))}, age_cell(object, now)};
}

std::string parent_text(View parent) {
  if (parent.is_null()) return std::string{kNone};
  auto made =
      kube::GroupResource{text(parent.get("group")), text(parent.get("resource"))}.to_string();
  if (const auto ns = parent.get("namespace").as_string(); !ns.empty())
    made += "/" + std::string{ns};
  return made + "/" + text(parent.get("name"));
}

// A real server sends the age here too, though no column is declared for it.
Cells ip_address_cells(View object, Instant now) {
  return {name_cell(object), Draft{parent_text(object.get("spec", "parentRef"))},
          age_cell(object, now)};
}

Cells network_policy_cells(View object, Instant now) {
  return {name_cell(object), Draft{selector_text(object.get("spec", "podSelector"))},
          age_cell(object, now)};
}

Cells service_cidr_cells(View object, Instant now) {
  return {name_cell(object), Draft{joined(strings_of(object.get("spec", "cidrs")), ",")},
          age_cell(object, now)};
}

std::string slice_port(View port) {
  if (const View number = port.get("port"); !number.is_null())
    return fmt::format("{}", number.as_int());
  const View name = port.get("name");
  return name.is_null() ? "*" : text(name);
}

Cells endpoint_slice_cells(View object, Instant now) {
  std::vector<std::string> ports;
  for (const View port : object.get("ports").elements()) ports.push_back(slice_port(port));
  std::vector<std::string> addresses;
  for (const View endpoint : object.get("endpoints").elements()) {
    std::ranges::move(strings_of(endpoint.get("addresses")), std::back_inserter(addresses));
  }
  const auto shown = [](const std::vector<std::string>& all) {
    return Draft{all.empty() ? std::string{kUnset} : first_three(all)};
  };
  return {name_cell(object), Draft{text(object.get("addressType"))}, shown(ports), shown(addresses),
          age_cell(object, now)};
}

// "<unknown>" until the status has the metric.
std::string quantity_or_unknown(View value) {
  return value.is_null() ? "<unknown>" : text(value);
}

std::string percent_or(View value, std::string_view otherwise) {
  return value.is_null() ? std::string{otherwise} : fmt::format("{}%", value.as_int());
}

std::string resource_metric(View wanted, View current) {
  const View target = wanted.get("target");
  const auto name = text(wanted.get("name"));
  const View now = current.get("current");
  if (const View average = target.get("averageValue"); !average.is_null()) {
    return fmt::format("{}: {}/{}", name, quantity_or_unknown(now.get("averageValue")),
                       text(average));
  }
  return fmt::format("{}: {}/{}", name, percent_or(now.get("averageUtilization"), "<unknown>"),
                     percent_or(target.get("averageUtilization"), "<auto>"));
}

std::string object_metric(View wanted, View current) {
  const View target = wanted.get("target");
  const View now = current.get("current");
  if (const View average = target.get("averageValue"); !average.is_null()) {
    return fmt::format("{}/{} (avg)", quantity_or_unknown(now.get("averageValue")), text(average));
  }
  return fmt::format("{}/{}", quantity_or_unknown(now.get("value")), text(target.get("value")));
}

std::string metric_text(View wanted, View current) {
  const auto type = wanted.get("type").as_string();
  if (type == "Resource") return resource_metric(wanted.get("resource"), current.get("resource"));
  if (type == "ContainerResource") {
    return resource_metric(wanted.get("containerResource"), current.get("containerResource"));
  }
  if (type == "External") return object_metric(wanted.get("external"), current.get("external"));
  if (type == "Object") return object_metric(wanted.get("object"), current.get("object"));
  if (type != "Pods") return "<unknown type>";
  return fmt::format("{}/{}", quantity_or_unknown(current.get("pods", "current", "averageValue")),
                     text(wanted.get("pods", "target", "averageValue")));
}

std::string metrics_text(View autoscaler) {
  constexpr std::size_t kShownMax = 2;
  const View wanted = autoscaler.get("spec", "metrics");
  const View current = autoscaler.get("status", "currentMetrics");
  if (wanted.empty()) return std::string{kNone};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(wanted.size(), kShownMax); ++i) {
    parts.push_back(metric_text(wanted[i], current[i]));
  }
  if (wanted.size() <= kShownMax) return joined(parts, ", ");
  return fmt::format("{} + {} more...", joined(parts, ", "), wanted.size() - kShownMax);
}

Cells autoscaler_cells(View object, Instant now) {
  Draft converted{object};
  autoscaler_to_v2(converted);  // nothing to do for one that is
  const auto autoscaler = converted.freeze();
  const View spec = autoscaler.get("spec");
  const View target = spec.get("scaleTargetRef");
  const View least = spec.get("minReplicas");
  return {name_cell(object),
          Draft{text(target.get("kind")) + "/" + text(target.get("name"))},
          Draft{metrics_text(autoscaler)},
          Draft{least.is_null() ? std::string{kUnset} : fmt::format("{}", least.as_int())},
          Draft{spec.get("maxReplicas").as_int()},
          Draft{autoscaler.get("status", "currentReplicas").as_int()},
          age_cell(object, now)};
}

constexpr Printer kNetworkPrinters[] = {
    {"",                  "Service",                 "Name,Type,Cluster-IP,External-IP,Port(s),Age,*Selector", service_cells       },
    {"networking.k8s.io", "IngressClass",            "Name,Controller,Parameters,Age",                         ingress_class_cells },
    {"networking.k8s.io", "Ingress",                 "Name,Class,Hosts,Address,Ports,Age",                     ingress_cells       },
    {"networking.k8s.io", "IPAddress",               "Name,ParentRef",                                         ip_address_cells    },
    {"networking.k8s.io", "NetworkPolicy",           "Name,Pod-Selector,Age",                                  network_policy_cells},
    {"networking.k8s.io", "ServiceCIDR",             "Name,CIDRs,Age",                                         service_cidr_cells  },
    {"discovery.k8s.io",  "EndpointSlice",           "Name,AddressType,Ports,Endpoints,Age",
     endpoint_slice_cells                                                                                                          },
    {"autoscaling",       "HorizontalPodAutoscaler",
     "Name,Reference,Targets,MinPods,MaxPods,Replicas,Age",                                                    autoscaler_cells    },
};

}  // namespace

std::span<const Printer> network_printers() {
  return kNetworkPrinters;
}

}  // namespace fixpoint::kinds
