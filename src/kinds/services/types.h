// SPDX-License-Identifier: Apache-2.0
//
// What the type of a Service brings with it.
#pragma once

#include <string_view>

namespace fixpoint::kinds {

constexpr bool has_cluster_ip(std::string_view type) {
  return type != "ExternalName";
}
constexpr bool has_node_ports(std::string_view type) {
  return type == "NodePort" || type == "LoadBalancer";
}
constexpr bool is_accessible_from_outside(std::string_view type, bool has_external_ips) {
  return has_node_ports(type) || (type == "ClusterIP" && has_external_ips);
}
// Balancers that send only to nodes with a pod ask each node.
constexpr bool needs_health_port(std::string_view type, std::string_view traffic_policy) {
  return type == "LoadBalancer" && traffic_policy == "Local";
}

}  // namespace fixpoint::kinds
