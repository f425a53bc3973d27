// SPDX-License-Identifier: Apache-2.0
//
// Backends: the pods behind a service, as endpoints. What EndpointSlices and the old Endpoints say
// is made from these.
#pragma once

#include "json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::endpoints {

inline constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
inline constexpr std::string_view kLastChange = "endpoints.kubernetes.io/last-change-trigger-time";

// One pod with the ports that the service has on it.
struct Backend {
  json::Value pod;
  std::string zone;   // of its node; may be empty
  json::Value ports;  // as an EndpointSlice has them
};

// Finds a service's port on a pod; 0 when the pod has none of that name.
std::int64_t port_on(json::View pod, json::View service_port);
json::Value ports_on(json::View pod, json::View service);

bool is_headless(json::View service);
// Whether a service gets endpoints from its pods at all.
bool selects_pods(json::View service);
// "IPv4" and "IPv6", those of the two that the service has.
std::vector<std::string_view> families_of(json::View service);
// The pod's addresses of a family; empty when it has none.
std::string address_of(json::View pod, std::string_view family);
bool is_ready(json::View pod);
// A pod with an address that has not ended, being deleted or not.
bool has_place(json::View pod);
bool shows_hostname(json::View pod, json::View service);
// When the newest of these changes happened, as an annotation says it.
std::string last_change(json::View service, const std::vector<Backend>& backends);

}  // namespace fixpoint::cluster::endpoints
