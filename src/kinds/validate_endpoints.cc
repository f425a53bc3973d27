// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_endpoints.h"

#include "kube/ip.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::kinds {
namespace {

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

std::string joined(const kube::Messages& messages) {
  return fmt::format("{}", fmt::join(messages, ","));
}

// A name of two labels or more; it may end in a dot.
void check_domain(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    note_required(path, errors);
    return;
  }
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const auto problems = kube::dns1123_subdomain_problems(name); !problems.empty()) {
    note_invalid(path, name, joined(problems), errors);
    return;
  }
  if (name.find('.') == std::string_view::npos) {
    note_invalid(path, name, "should be a domain with at least two segments separated by dots",
                 errors);
  }
}

void check_slice_address(View address, std::string_view type, const FieldPath& path,
                         std::size_t index, FieldErrors& errors) {
  const auto text = address.as_string();
  if (type == "FQDN") {
    check_domain(text, path.index(index), errors);
    return;
  }
  if (type != "IPv4" && type != "IPv6") return;  // refused already
  const auto before = errors.size();
  kube::note_problems(path.index(index), text, kube::ip_problems, errors);
  if (errors.size() > before) return;
  const auto ip = kube::parse_ip(text, kube::IpSyntax::Legacy);
  if (!ip || ip->v4 != (type == "IPv4")) {
    note_invalid(path, address, fmt::format("must be an {} address", type), errors);
  }
  check_reachable(address, path.index(index), errors);
}

FieldErrors check_slice(View object) {
  FieldErrors errors;
  const View type = object.get("addressType");
  if (type.as_string().empty()) {
    note_required(FieldPath{"addressType"}, errors);
  } else {
    check_one_of(type, FieldPath{"addressType"}, {"FQDN", "IPv4", "IPv6"}, errors);
  }
  const FieldPath ports_path{"ports"};
  const View ports = object.get("ports");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath here = ports_path.index(i);
    const View name = ports[i].get("name");
    if (!name.as_string().empty()) {
      kube::note_problems(here.child("name"), name.as_string(), kube::dns1123_label_problems,
                          errors);
    }
    if (!names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
    check_one_of(ports[i].get("protocol"), here.child("protocol"), {"SCTP", "TCP", "UDP"}, errors);
  }
  const FieldPath endpoints_path{"endpoints"};
  const View endpoints = object.get("endpoints");
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const FieldPath here = endpoints_path.index(i);
    const FieldPath addresses_path = here.child("addresses");
    const View addresses = endpoints[i].get("addresses");
    if (addresses.empty()) {
      note_required(addresses_path, errors, "must contain at least 1 address");
    }
    for (std::size_t j = 0; j < addresses.size(); ++j) {
      check_slice_address(addresses[j], type.as_string(), addresses_path, j, errors);
    }
    if (const auto host = endpoints[i].get("hostname").as_string(); !host.empty()) {
      kube::note_problems(here.child("hostname"), host, kube::dns1123_label_problems, errors);
    }
  }
  return errors;
}

}  // namespace

// An address that another host can reach: not the machine itself, not the link.
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
  if (ip->loopback()) {
    note_invalid(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)", errors);
  }
  if (ip->link_local()) {
    note_invalid(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
                 errors);
  }
  if (ip->link_local_multicast()) {
    note_invalid(path, value,
                 "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)", errors);
  }
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
  return check_slice(object);
}

FieldErrors validate_endpoint_slice_update(View object, View old_object) {
  FieldErrors errors = check_slice(object);
  check_immutable(object.get("addressType"), old_object.get("addressType"),
                  FieldPath{"addressType"}, errors);
  return errors;
}

}  // namespace fixpoint::kinds
