// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_service.h"

#include "kube/ip.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kOnlyBalancers = "may only be used when `type` is 'LoadBalancer'";

bool headless(View spec) {
  return spec.get("clusterIP").as_string() == "None";
}

bool externally_accessible(View spec) {
  const auto type = spec.get("type").as_string();
  return type == "LoadBalancer" || type == "NodePort" ||
         (type == "ClusterIP" && !spec.get("externalIPs").empty());
}

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

void check_service_port(View port, bool named, std::set<std::string_view>& names,
                        const FieldPath& path, FieldErrors& errors) {
  const View name = port.get("name");
  if (name.as_string().empty()) {
    if (named) note_required(path.child("name"), errors);
  } else {
    kube::note_problems(path.child("name"), name.as_string(), kube::dns1123_label_problems, errors);
    if (!names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(path.child("name"), name));
    }
  }
  check_port(port.get("port"), path.child("port"), errors);
  check_one_of(port.get("protocol"), path.child("protocol"), {"SCTP", "TCP", "UDP"}, errors);
  check_port_or_name(port.get("targetPort"), path.child("targetPort"), errors);
  if (const View protocol = port.get("appProtocol"); !protocol.is_null()) {
    kube::note_problems(path.child("appProtocol"), protocol.as_string(),
                        kube::qualified_name_problems, errors);
  }
}

void check_type(View spec, const FieldPath& path, FieldErrors& errors) {
  const auto type = spec.get("type").as_string();
  const FieldPath addresses = path.child("clusterIPs");
  if ((type == "LoadBalancer" || type == "NodePort") && headless(spec)) {
    note_invalid(addresses.index(0), "None",
                 fmt::format("may not be set to 'None' for {} services", type), errors);
  }
  if (type != "ExternalName") return;
  for (const std::string_view field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    // Nothing normalises the addresses of such a service: the singular tells too.
    const bool given = field == "clusterIPs"
                           ? !spec.get("clusterIP").as_string().empty() || !spec.get(field).empty()
                           : !spec.get(field).is_null();
    if (given)
      note_forbidden(path.child(field), "may not be set for ExternalName services", errors);
  }
  auto name = spec.get("externalName").as_string();
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    note_required(path.child("externalName"), errors);
  } else {
    kube::note_problems(path.child("externalName"), name, kube::dns1123_subdomain_problems, errors);
  }
}

void check_affinity(View spec, const FieldPath& path, FieldErrors& errors) {
  check_one_of(spec.get("sessionAffinity"), path.child("sessionAffinity"), {"ClientIP", "None"},
               errors);
  if (spec.get("sessionAffinity").as_string() != "ClientIP") return;
  constexpr std::int64_t kDay = 86400;
  const View seconds = spec.get("sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (seconds.as_int() > 0 && seconds.as_int() <= kDay) return;
  const FieldPath config = path.child("sessionAffinityConfig");
  const FieldPath client = config.child("clientIP");
  note_invalid(client.child("timeoutSeconds"), seconds,
               "must be greater than 0 and less than 86400", errors);
}

// Addresses that are addresses must also be of the families that are claimed.
void check_address_families(View spec, const FieldPath& path, FieldErrors& errors) {
  const auto is_six = [](View address) {
    return address.as_string().find(':') != std::string_view::npos;
  };
  const View addresses = spec.get("clusterIPs");
  const View families = spec.get("ipFamilies");
  const FieldPath addresses_path = path.child("clusterIPs");
  if (addresses.size() == 2 && is_six(addresses[0]) == is_six(addresses[1])) {
    note_invalid(addresses_path, addresses, "may specify no more than one IP for each IP family",
                 errors);
  }
  if (headless(spec)) return;
  for (std::size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const auto family = families[i].as_string();
    if (is_six(addresses[i]) == (family == "IPv6")) continue;
    note_invalid(addresses_path.index(i), addresses[i].as_string(),
                 fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", family, i),
                 errors);
  }
}

void check_addresses(View spec, const FieldPath& path, FieldErrors& errors) {
  if (spec.get("type").as_string() == "ExternalName") return;
  const View addresses = spec.get("clusterIPs");
  const FieldPath addresses_path = path.child("clusterIPs");
  const auto first = spec.get("clusterIP").as_string();
  if (!first.empty() && !addresses.empty() && addresses[0].as_string() != first) {
    note_invalid(addresses_path, addresses, "first value must match `clusterIP`", errors);
  }
  if (first.empty() && !addresses.empty()) {
    note_invalid(addresses_path, addresses, "must be empty when `clusterIP` is not specified",
                 errors);
  }
  const View families = spec.get("ipFamilies");
  const FieldPath families_path = path.child("ipFamilies");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < families.size(); ++i) {
    check_one_of(families[i], families_path.index(i), {"IPv4", "IPv6"}, errors);
    if (!seen.insert(families[i].as_string()).second) {
      errors.push_back(kube::duplicate(families_path.index(i), families[i]));
    }
  }
  check_optional_one_of(spec.get("ipFamilyPolicy"), path.child("ipFamilyPolicy"),
                        {"PreferDualStack", "RequireDualStack", "SingleStack"}, errors);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].as_string() == "None" && i == 0) {
      if (addresses.size() > 1) {
        note_invalid(addresses_path, addresses, "'None' must be the first and only value", errors);
      }
      continue;
    }
    kube::note_problems(addresses_path.index(i), addresses[i].as_string(), kube::ip_problems,
                        errors);
  }
  if (addresses.size() > 2) {
    note_invalid(addresses_path, addresses, "may only hold up to 2 values", errors);
  }
  if (errors.empty()) check_address_families(spec, path, errors);
}

void check_external_ips(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path.child("externalIPs");
  const View addresses = spec.get("externalIPs");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto before = errors.size();
    kube::note_problems(path.index(i), addresses[i].as_string(), kube::ip_problems, errors);
    if (errors.size() == before) check_reachable(addresses[i], path.index(i), errors);
  }
}

// No two ports alike, by node port and by port, within a protocol.
void check_unique_ports(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path.child("ports");
  const View ports = spec.get("ports");
  using PortKey = std::pair<std::string_view, std::int64_t>;
  std::set<PortKey> node_ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const View number = ports[i].get("nodePort");
    if (number.as_int() == 0) continue;
    const FieldPath here = path.index(i);
    if (!node_ports.insert({ports[i].get("protocol").as_string(), number.as_int()}).second) {
      errors.push_back(kube::duplicate(here.child("nodePort"), number));
    }
  }
  std::set<PortKey> seen;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortKey key{ports[i].get("protocol").as_string(), ports[i].get("port").as_int()};
    if (seen.insert(key).second) continue;
    // The server's internal type has no JSON names, and only the key is filled in.
    auto error = kube::duplicate(path.index(i), {});
    error.value = fmt::format(
        "{{\"Name\":\"\",\"Protocol\":\"{}\",\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,"
        "\"NodePort\":0}}",
        key.first, key.second);
    errors.push_back(std::move(error));
  }
}

void check_balancer_class(View spec, View old_spec, const FieldPath& path, FieldErrors& errors) {
  const bool balancer = spec.get("type").as_string() == "LoadBalancer";
  const View kind = spec.get("loadBalancerClass");
  const FieldPath class_path = path.child("loadBalancerClass");
  if (balancer && old_spec.get("type").as_string() == "LoadBalancer" &&
      !(kind == old_spec.get("loadBalancerClass"))) {
    note_invalid(class_path, kind, "may not change once set", errors);
  }
  if (kind.is_null()) return;
  if (balancer) {
    kube::note_problems(class_path, kind.as_string(), kube::qualified_name_problems, errors);
  } else {
    note_forbidden(class_path, kOnlyBalancers, errors);
  }
}

void check_balancer_fields(View spec, View old_spec, const FieldPath& path, FieldErrors& errors) {
  const bool balancer = spec.get("type").as_string() == "LoadBalancer";
  const View ranges = spec.get("loadBalancerSourceRanges");
  const FieldPath ranges_path = path.child("LoadBalancerSourceRanges");
  if (!balancer && !ranges.empty()) note_forbidden(ranges_path, kOnlyBalancers, errors);
  if (balancer) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      kube::note_problems(ranges_path.index(i), ranges[i].as_string(), kube::cidr_problems, errors);
    }
  }
  if (!balancer && !spec.get("allocateLoadBalancerNodePorts").is_null()) {
    note_forbidden(path.child("allocateLoadBalancerNodePorts"), kOnlyBalancers, errors);
  }
  check_balancer_class(spec, old_spec, path, errors);
}

void check_traffic(View spec, const FieldPath& path, FieldErrors& errors) {
  const View external = spec.get("externalTrafficPolicy");
  if (externally_accessible(spec)) {
    check_one_of(external, path.child("externalTrafficPolicy"), {"Cluster", "Local"}, errors);
  } else if (!external.is_null()) {
    note_invalid(path.child("externalTrafficPolicy"), external,
                 "may only be set for externally-accessible services", errors);
  }
  const View health = spec.get("healthCheckNodePort");
  const bool needs_health =
      spec.get("type").as_string() == "LoadBalancer" && external.as_string() == "Local";
  if (!needs_health && health.as_int() != 0) {
    note_invalid(
        path.child("healthCheckNodePort"), health,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        errors);
  }
  check_optional_one_of(spec.get("internalTrafficPolicy"), path.child("internalTrafficPolicy"),
                        {"Cluster", "Local"}, errors);
  check_optional_one_of(spec.get("trafficDistribution"), path.child("trafficDistribution"),
                        {"PreferClose", "PreferSameZone", "PreferSameNode"}, errors);
}

FieldErrors check_service(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View ports = spec.get("ports");
  const auto type = spec.get("type").as_string();
  const FieldPath ports_path = path.child("ports");
  // Addresses are handed out before the rest is looked at.
  check_addresses(spec, path, errors);
  if (!errors.empty()) return errors;
  if (ports.empty() && !headless(spec) && type != "ExternalName") note_required(ports_path, errors);
  check_type(spec, path, errors);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    check_service_port(ports[i], ports.size() > 1, names, ports_path.index(i), errors);
  }
  kube::append(errors, kube::validate_labels(spec.get("selector"), path.child("selector")));
  check_affinity(spec, path, errors);
  check_external_ips(spec, path, errors);
  check_one_of(spec.get("type"), path.child("type"),
               {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, errors);
  if (type == "ClusterIP") {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].get("nodePort").as_int() == 0) continue;
      const FieldPath here = ports_path.index(i);
      note_forbidden(here.child("nodePort"), "may not be used when `type` is 'ClusterIP'", errors);
    }
  }
  check_unique_ports(spec, path, errors);
  check_balancer_fields(spec, old_object.get("spec"), path, errors);
  check_traffic(spec, path, errors);
  return errors;
}

void check_address_change(View spec, View old_spec, FieldErrors& errors) {
  const auto external = [](View each) { return each.get("type").as_string() == "ExternalName"; };
  if (external(spec) || external(old_spec) || (headless(spec) && headless(old_spec))) return;
  const View now = spec.get("clusterIPs");
  const View before = old_spec.get("clusterIPs");
  const FieldPath root{"spec"};
  const FieldPath path = root.child("clusterIPs");
  if (now.empty() && !before.empty()) {
    note_invalid(path.index(0), now, "primary clusterIP can not be unset", errors);
  }
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    if (!(now[i] == before[i])) note_invalid(path.index(i), now, "may not change once set", errors);
  }
}

// The families of a service with addresses stay; it may gain a second one, and lose it again.
void check_family_change(View spec, View old_spec, FieldErrors& errors) {
  const auto external = [](View each) { return each.get("type").as_string() == "ExternalName"; };
  if (external(spec) || external(old_spec) || headless(spec) || headless(old_spec)) return;
  const View now = spec.get("ipFamilies");
  const View before = old_spec.get("ipFamilies");
  const FieldPath root{"spec"};
  const FieldPath path = root.child("ipFamilies");
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    if (now[i] == before[i]) continue;
    if (now.size() == before.size()) {
      note_invalid(path.index(0), now, "may not change once set", errors);
    } else if (i == 0) {
      // A real server shows the addresses here.
      note_invalid(path.index(0), spec.get("clusterIPs"), "may not change once set", errors);
    }
  }
  const View policy = spec.get("ipFamilyPolicy");
  if (before.size() > now.size() && now.size() == 1 && policy.as_string() != "SingleStack") {
    note_invalid(root.child("ipFamilyPolicy"), policy,
                 "must be set to 'SingleStack' when releasing the secondary ipFamily", errors);
  }
}

void check_health_port_change(View spec, View old_spec, FieldErrors& errors) {
  const auto needed = [](View each) {
    return each.get("type").as_string() == "LoadBalancer" &&
           each.get("externalTrafficPolicy").as_string() == "Local";
  };
  constexpr std::string_view kField = "healthCheckNodePort";
  if (!needed(spec) || !needed(old_spec)) return;
  if (spec.get(kField).as_int() == old_spec.get(kField).as_int()) return;
  const FieldPath root{"spec"};
  note_forbidden(root.child(kField), "field is immutable", errors);
}

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

FieldErrors validate_service(View object) {
  return check_service(object, {});
}

FieldErrors validate_service_update(View object, View old_object) {
  FieldErrors errors;
  check_addresses(object.get("spec"), FieldPath{"spec"}, errors);
  if (!errors.empty()) return errors;
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  check_address_change(spec, old_spec, errors);
  check_family_change(spec, old_spec, errors);
  // A real server looks at the class here and once more with everything else.
  check_balancer_class(spec, old_spec, FieldPath{"spec"}, errors);
  check_health_port_change(spec, old_spec, errors);
  kube::append(errors, check_service(object, old_object));
  return errors;
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

namespace {

void check_balancer_entry(View entry, const FieldPath& path, FieldErrors& errors) {
  if (const auto ip = entry.get("ip").as_string(); !ip.empty()) {
    kube::note_problems(path.child("ip"), ip, kube::ip_problems, errors);
  }
}

void check_balancer_name(View entry, const FieldPath& path, FieldErrors& errors) {
  const auto name = entry.get("hostname").as_string();
  if (name.empty()) return;
  kube::note_problems(path.child("hostname"), name, kube::dns1123_subdomain_problems, errors);
  if (kube::ip_problems(name).empty()) {
    note_invalid(path.child("hostname"), name, "must be a DNS name, not an IP address", errors);
  }
}

}  // namespace

FieldErrors validate_service_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath status{"status"};
  const FieldPath balancer = status.child("loadBalancer");
  const FieldPath path = balancer.child("ingress");
  const View entries = object.get("status", "loadBalancer", "ingress");
  if (!entries.empty() && object.get("spec", "type").as_string() != "LoadBalancer") {
    note_forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'", errors);
    return errors;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldPath here = path.index(i);
    check_balancer_entry(entries[i], here, errors);
    const View mode = entries[i].get("ipMode");
    const bool has_ip = !entries[i].get("ip").as_string().empty();
    if (mode.is_null()) {
      if (has_ip) note_required(here.child("ipMode"), errors, "must be specified when `ip` is set");
    } else if (!has_ip) {
      note_forbidden(here.child("ipMode"), "may not be specified when `ip` is not set", errors);
    } else {
      check_one_of(mode, here.child("ipMode"), {"Proxy", "VIP"}, errors);
    }
    check_balancer_name(entries[i], here, errors);
  }
  return errors;
}

FieldErrors validate_ingress_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath status{"status"};
  const FieldPath balancer = status.child("loadBalancer");
  const FieldPath path = balancer.child("ingress");
  const View entries = object.get("status", "loadBalancer", "ingress");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldPath here = path.index(i);
    check_balancer_entry(entries[i], here, errors);
    check_balancer_name(entries[i], here, errors);
  }
  return errors;
}

}  // namespace fixpoint::kinds
