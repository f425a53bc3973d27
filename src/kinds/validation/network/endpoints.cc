// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/network/endpoints.h"

#include "kube/go/text.h"
#include "kube/scalars/ip.h"

#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kIsLoopback = "may not be in the loopback range (127.0.0.0/8, ::1/128)";

void check_endpoint_address(View address, const FieldPath& path, FieldErrors& errors) {
  kube::note_problems(path.child("ip"), address.get("ip").as_string(), kube::ip_problems, errors);
  if (const auto name = address.get("hostname").as_string(); !name.empty()) {
    kube::note_problems(path.child("hostname"), name, kube::dns1123_label_problems, errors);
  }
  if (const auto node = address.get("nodeName").as_string(); !node.empty()) {
    kube::note_problems(path.child("nodeName"), node, kube::dns1123_subdomain_problems, errors);
  }
  check_reachable(address.get("ip"), path.child("ip"), errors);
}

void check_subset(View subset, const FieldPath& path, FieldErrors& errors) {
  if (subset.get("addresses").empty() && subset.get("notReadyAddresses").empty()) {
    note_required(path, errors, "must specify `addresses` or `notReadyAddresses`");
  }
  for (const std::string_view list : {"addresses", "notReadyAddresses"}) {
    const FieldPath list_path = path.child(list);
    const View addresses = subset.get(list);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      check_endpoint_address(addresses[i], list_path.index(i), errors);
    }
  }
  const FieldPath ports_path = path.child("ports");
  const View ports = subset.get("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath here = ports_path.index(i);
    const auto name = ports[i].get("name").as_string();
    if (name.empty() && ports.size() > 1) note_required(here.child("name"), errors);
    if (!name.empty()) {
      kube::note_problems(here.child("name"), name, kube::dns1123_label_problems, errors);
    }
    check_port(ports[i].get("port"), here.child("port"), errors);
    check_one_of(ports[i].get("protocol"), here.child("protocol"), {"SCTP", "TCP", "UDP"}, errors);
  }
}

// A name of two labels or more; it may end in a dot.
void check_domain_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    note_required(path, errors);
    return;
  }
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const auto problems = kube::dns1123_subdomain_problems(name); !problems.empty()) {
    note_invalid(path, name, kube::joined(problems, ","), errors);
    return;
  }
  if (name.find('.') == std::string_view::npos) {
    note_invalid(path, name, "should be a domain with at least two segments separated by dots",
                 errors);
  }
}

// Go forgives old spellings of IPv4 addresses only.
void check_slice_address(View address, std::string_view type, const FieldPath& path,
                         std::size_t index, FieldErrors& errors) {
  const auto text = address.as_string();
  if (type == "FQDN") {
    check_domain_name(text, path.index(index), errors);
    return;
  }
  if (type != "IPv4" && type != "IPv6") return;  // refused already
  const auto before = errors.size();
  kube::note_problems(path.index(index), text,
                      type == "IPv4" ? kube::ip_problems : kube::strict_ip_problems, errors);
  if (errors.size() > before) return;
  const auto ip = kube::parse_ip(text, kube::IpSyntax::Legacy);
  if (!ip || ip->v4 != (type == "IPv4")) {
    note_invalid(path, address, fmt::format("must be an {} address", type), errors);
  }
  check_reachable(address, path.index(index), errors);
}

// As many as a slice may have of each.
constexpr std::size_t kEndpointsMax = 1000;
constexpr std::size_t kPortsMax = 100;
constexpr std::size_t kEndpointAddressesMax = 100;
constexpr std::size_t kTopologyMax = 16;
constexpr std::size_t kHintsMax = 8;

bool too_many(View list, std::size_t most, const FieldPath& path, FieldErrors& errors) {
  if (list.size() <= most) return false;
  errors.push_back(kube::too_many(path, list.size(), most));
  return true;
}

void check_slice_ports(View ports, FieldErrors& errors) {
  const FieldPath path{"ports"};
  if (too_many(ports, kPortsMax, path, errors)) return;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = ports[i].get("name");
    if (!name.as_string().empty()) {
      kube::note_problems(here.child("name"), name.as_string(), kube::dns1123_label_problems,
                          errors);
    }
    if (!names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
    check_one_of(ports[i].get("protocol"), here.child("protocol"), {"SCTP", "TCP", "UDP"}, errors);
    if (const View protocol = ports[i].get("appProtocol"); !protocol.is_null()) {
      kube::note_problems(here.child("appProtocol"), protocol.as_string(),
                          kube::qualified_name_problems, errors);
    }
  }
}

using Problems = kube::Messages (*)(std::string_view);

// False when there are too many to be looked at.
bool check_hints(View hints, const FieldPath& path, Problems problems, FieldErrors& errors) {
  if (too_many(hints, kHintsMax, path, errors)) return false;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const FieldPath entry = path.index(i);
    const FieldPath here = entry.child("name");
    const auto name = hints[i].get("name").as_string();
    if (!names.insert(name).second) errors.push_back(kube::duplicate(here, name));
    kube::note_problems(here, name, problems, errors);
  }
  return true;
}

void check_endpoint(View endpoint, std::string_view type, const FieldPath& path,
                    FieldErrors& errors) {
  const FieldPath addresses_path = path.child("addresses");
  const View addresses = endpoint.get("addresses");
  if (addresses.empty()) {
    note_required(addresses_path, errors, "must contain at least 1 address");
  }
  too_many(addresses, kEndpointAddressesMax, addresses_path, errors);
  for (std::size_t j = 0; j < addresses.size(); ++j) {
    check_slice_address(addresses[j], type, addresses_path, j, errors);
  }
  if (const View node = endpoint.get("nodeName"); !node.is_null()) {
    kube::note_problems(path.child("nodeName"), node.as_string(), kube::dns1123_subdomain_problems,
                        errors);
  }
  const FieldPath topology_path = path.child("deprecatedTopology");
  const View topology = endpoint.get("deprecatedTopology");
  too_many(topology, kTopologyMax, topology_path, errors);
  kube::append(errors, kube::validate_labels(topology, topology_path));
  if (const View host = endpoint.get("hostname"); !host.is_null()) {
    kube::note_problems(path.child("hostname"), host.as_string(), kube::dns1123_label_problems,
                        errors);
  }
  const FieldPath hints = path.child("hints");
  if (check_hints(endpoint.get("hints", "forZones"), hints.child("forZones"),
                  kube::label_value_problems, errors)) {
    check_hints(endpoint.get("hints", "forNodes"), hints.child("forNodes"),
                kube::dns1123_subdomain_problems, errors);
  }
}

FieldErrors check_slice_endpoints(View object) {
  FieldErrors errors;
  const FieldPath path{"endpoints"};
  const View endpoints = object.get("endpoints");
  if (too_many(endpoints, kEndpointsMax, path, errors)) return errors;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    check_endpoint(endpoints[i], object.get("addressType").as_string(), path.index(i), errors);
  }
  return errors;
}

// Endpoints that stay as they were are not looked at again: older servers took more.
FieldErrors check_endpoint_slice(View object, View old_object) {
  FieldErrors errors;
  const View type = object.get("addressType");
  if (type.as_string().empty()) {
    note_required(FieldPath{"addressType"}, errors);
  } else {
    check_one_of(type, FieldPath{"addressType"}, {"FQDN", "IPv4", "IPv6"}, errors);
  }
  check_slice_ports(object.get("ports"), errors);
  const bool kept = !old_object.is_null() && object.get("endpoints") == old_object.get("endpoints");
  if (!kept) kube::append(errors, check_slice_endpoints(object));
  return errors;
}

}  // namespace

void check_reachable(View value, const FieldPath& path, FieldErrors& errors) {
  const auto ip = kube::parse_ip(value.as_string(), kube::IpSyntax::Legacy);
  if (!ip) {
    note_invalid(path, value.as_string(), "must be a valid IP address", errors);
    return;
  }
  if (ip->unspecified()) {
    note_invalid(path, value, fmt::format("may not be unspecified ({})", value.as_string()),
                 errors);
  }
  if (ip->loopback()) note_invalid(path, value, std::string{kIsLoopback}, errors);
  if (ip->link_local()) {
    note_invalid(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
                 errors);
  }
  if (ip->link_local_multicast()) {
    note_invalid(path, value,
                 "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)", errors);
  }
}

void allow_loopback(FieldErrors& errors) {
  std::erase_if(errors, [](const auto& error) { return error.detail == kIsLoopback; });
}

FieldErrors validate_endpoints(View object) {
  FieldErrors errors;
  const FieldPath path{"subsets"};
  const View subsets = object.get("subsets");
  for (std::size_t i = 0; i < subsets.size(); ++i) check_subset(subsets[i], path.index(i), errors);
  return errors;
}

FieldErrors validate_endpoints_update(View object, View) {
  return validate_endpoints(object);
}

FieldErrors validate_endpoint_slice(View object) {
  return check_endpoint_slice(object, {});
}

FieldErrors validate_endpoint_slice_update(View object, View old_object) {
  FieldErrors errors = check_endpoint_slice(object, old_object);
  check_immutable(object.get("addressType"), old_object.get("addressType"),
                  FieldPath{"addressType"}, errors);
  return errors;
}

}  // namespace fixpoint::kinds
