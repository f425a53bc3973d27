// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/network/service.h"

#include "kinds/services/types.h"
#include "kinds/validation/network/endpoints.h"
#include "kube/go/text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kOnlyBalancers = "may only be used when `type` is 'LoadBalancer'";

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
  if (has_node_ports(type) && is_headless(spec)) {
    note_invalid(addresses.index(0), "None",
                 fmt::format("may not be set to 'None' for {} services", type), errors);
  }
  if (type != "ExternalName") return;
  for (const std::string_view field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const View given = spec.get(field);
    if (given.is_null() || (given.is_array() && given.empty())) continue;
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

// New ones only: what was there before may stay.
void check_external_ips(View spec, View old_spec, const FieldPath& spec_path, FieldErrors& errors) {
  const auto before_list = old_spec.get("externalIPs").elements();
  const FieldPath path = spec_path.child("externalIPs");
  const View addresses = spec.get("externalIPs");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto before = errors.size();
    if (std::find(before_list.begin(), before_list.end(), addresses[i]) == before_list.end()) {
      kube::note_problems(path.index(i), addresses[i].as_string(), kube::ip_problems, errors);
    }
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
    auto error = kube::duplicate(path.index(i), View{});
    error.value = fmt::format(
        "{{\"Name\":\"\",\"Protocol\":\"{}\",\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,"
        "\"NodePort\":0}}",
        key.first, key.second);
    errors.push_back(std::move(error));
  }
}

void check_balancer_class(View spec, const FieldPath& path, FieldErrors& errors) {
  const View kind = spec.get("loadBalancerClass");
  if (kind.is_null()) return;
  if (spec.get("type").as_string() == "LoadBalancer") {
    kube::note_problems(path, kind.as_string(), kube::qualified_name_problems, errors);
  } else {
    note_forbidden(path, kOnlyBalancers, errors);
  }
}

void check_balancer_class_change(View spec, View old_spec, const FieldPath& path,
                                 FieldErrors& errors) {
  const auto balancer = [](View each) { return each.get("type").as_string() == "LoadBalancer"; };
  const View kind = spec.get("loadBalancerClass");
  if (balancer(spec) && balancer(old_spec) && !(kind == old_spec.get("loadBalancerClass"))) {
    note_invalid(path, kind, "may not change once set", errors);
  }
  // A real server looks at the class here and once more with everything else.
  check_balancer_class(spec, path, errors);
}

// From the field or, where that is empty, from the annotation that came before it. What was there
// before may stay.
void check_source_ranges(View object, View old_object, FieldErrors& errors) {
  constexpr std::string_view kAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("LoadBalancerSourceRanges");
  const bool balancer = object.get("spec", "type").as_string() == "LoadBalancer";
  const View ranges = object.get("spec", "loadBalancerSourceRanges");
  if (!ranges.empty()) {
    if (!balancer) note_forbidden(path, kOnlyBalancers, errors);
    std::set<std::string_view> before;
    for (const View each : old_object.get("spec", "loadBalancerSourceRanges").elements()) {
      before.insert(kube::trimmed(each.as_string()));
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto range = kube::trimmed(ranges[i].as_string());
      if (before.contains(range)) continue;
      kube::note_problems(path.index(i), range, kube::cidr_problems, errors);
    }
    return;
  }
  const View annotation = object.get("metadata", "annotations", kAnnotation);
  if (annotation.is_null()) return;
  const FieldPath metadata{"metadata"};
  const FieldPath annotations = metadata.child("annotations");
  const FieldPath here = annotations.key(kAnnotation);
  if (!balancer) note_forbidden(here, kOnlyBalancers, errors);
  if (annotation == old_object.get("metadata", "annotations", kAnnotation)) return;
  auto text = kube::trimmed(annotation.as_string());
  for (bool more = !text.empty(); more;) {
    const auto comma = text.find(',');
    kube::note_problems(here, kube::trimmed(text.substr(0, comma)), kube::cidr_problems, errors);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
}

// Both names of one annotation, where both are given, say the same.
void check_topology_annotations(View object, FieldErrors& errors) {
  const View hints =
      object.get("metadata", "annotations", "service.kubernetes.io/topology-aware-hints");
  const View mode = object.get("metadata", "annotations", "service.kubernetes.io/topology-mode");
  if (hints.is_null() || mode.is_null() || hints == mode) return;
  const FieldPath metadata{"metadata"};
  const FieldPath annotations = metadata.child("annotations");
  note_invalid(annotations.key("service.kubernetes.io/topology-mode"), mode,
               "must match annotations[service.kubernetes.io/topology-aware-hints] when both are "
               "specified",
               errors);
}

void check_traffic(View spec, const FieldPath& path, FieldErrors& errors) {
  const View external = spec.get("externalTrafficPolicy");
  if (is_accessible_from_outside(spec.get("type").as_string(), !spec.get("externalIPs").empty())) {
    check_one_of(external, path.child("externalTrafficPolicy"), {"Cluster", "Local"}, errors);
  } else if (!external.is_null()) {
    note_invalid(path.child("externalTrafficPolicy"), external,
                 "may only be set for externally-accessible services", errors);
  }
  const View health = spec.get("healthCheckNodePort");
  if (needs_health_port(spec.get("type").as_string(), external.as_string())) {
    check_port(health, path.child("healthCheckNodePort"), errors);
  } else if (health.as_int() != 0) {
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
  check_topology_annotations(object, errors);
  if (ports.empty() && !is_headless(spec) && type != "ExternalName")
    note_required(ports_path, errors);
  check_type(spec, path, errors);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    check_service_port(ports[i], ports.size() > 1, names, ports_path.index(i), errors);
  }
  kube::append(errors, kube::validate_labels(spec.get("selector"), path.child("selector")));
  check_affinity(spec, path, errors);
  check_service_addresses(spec, errors);
  check_external_ips(spec, old_object.get("spec"), path, errors);
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
  check_source_ranges(object, old_object, errors);
  if (type != "LoadBalancer" && !spec.get("allocateLoadBalancerNodePorts").is_null()) {
    note_forbidden(path.child("allocateLoadBalancerNodePorts"), kOnlyBalancers, errors);
  }
  check_balancer_class(spec, path.child("loadBalancerClass"), errors);
  check_traffic(spec, path, errors);
  return errors;
}

void check_health_port_change(View spec, View old_spec, FieldErrors& errors) {
  const auto needed = [](View each) {
    return needs_health_port(each.get("type").as_string(),
                             each.get("externalTrafficPolicy").as_string());
  };
  constexpr std::string_view kField = "healthCheckNodePort";
  if (!needed(spec) || !needed(old_spec)) return;
  if (spec.get(kField).as_int() == old_spec.get(kField).as_int()) return;
  const FieldPath root{"spec"};
  note_forbidden(root.child(kField), "field is immutable", errors);
}

}  // namespace

FieldErrors validate_service(View object) {
  return check_service(object, {});
}

FieldErrors validate_service_update(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const View old_spec = old_object.get("spec");
  check_address_change(spec, old_spec, errors);
  check_family_change(spec, old_spec, errors);
  const FieldPath root{"spec"};
  check_balancer_class_change(spec, old_spec, root.child("loadBalancerClass"), errors);
  check_health_port_change(spec, old_spec, errors);
  kube::append(errors, check_service(object, old_object));
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
