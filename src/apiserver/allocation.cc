// SPDX-License-Identifier: Apache-2.0
//
// Cluster addresses and node ports of Services: what is taken is read from the other Services, so
// there is no allocator state that could disagree with them.
#include "apiserver/admission.h"
#include "kube/metadata.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::FieldPath;

// 10.0.0.0/16 without its first and last address.
constexpr std::string_view kServiceRange = "10.0.";
constexpr std::string_view kRangeBase = "10.0.0.0";
constexpr std::string_view kRangeEnd = "10.0.255.255";
constexpr int kFirstHost = 1;
constexpr int kLastHost = 65'534;
// Random picks leave the lower band to people who choose addresses by hand.
constexpr int kDynamicFirstHost = 257;
constexpr std::int64_t kFirstNodePort = 30000;
constexpr std::int64_t kLastNodePort = 32767;
// Where a dry run begins to count: it hands out nothing, and shows numbers that nobody has.
constexpr std::int64_t kDryNodePort = 32769;

struct Taken {
  std::set<std::string, std::less<>> addresses;
  std::set<std::int64_t> ports;
};

Taken taken_by_others(const AdmissionCall& call, const store::Snapshot& snapshot) {
  Taken taken;
  const std::string own = call.resource.key(call.ns, call.name);
  snapshot.scan(call.resource.prefix, {}, [&](const store::RecordRef& record) {
    if (record->key == own) return true;
    for (const json::View ip : record->body.get("spec", "clusterIPs").elements()) {
      taken.addresses.emplace(ip.as_string());
    }
    if (const auto health = record->body.get("spec", "healthCheckNodePort").as_int(); health != 0) {
      taken.ports.insert(health);
    }
    for (const json::View port : record->body.get("spec", "ports").elements()) {
      if (const auto number = port.get("nodePort").as_int(); number != 0) {
        taken.ports.insert(number);
      }
    }
    return true;
  });
  return taken;
}

bool in_range(std::string_view address) {
  return address.starts_with(kServiceRange) && address != kRangeBase && address != kRangeEnd;
}

std::string address_of(int host) {
  return std::string{kServiceRange} + std::to_string(host / 256) + "." + std::to_string(host % 256);
}

// A free address near a random start; the upper band first.
std::optional<std::string> free_address(const AdmissionCall& call, const Taken& taken) {
  const int span = kLastHost - kDynamicFirstHost + 1;
  const int start = static_cast<int>(call.environment.rng.below(static_cast<std::uint64_t>(span)));
  for (int i = 0; i < span; ++i) {
    auto address = address_of(kDynamicFirstHost + (start + i) % span);
    if (!taken.addresses.contains(address)) return address;
  }
  for (int host = kFirstHost; host < kDynamicFirstHost; ++host) {
    auto address = address_of(host);
    if (!taken.addresses.contains(address)) return address;
  }
  return std::nullopt;
}

kube::Status refuse_address(const AdmissionCall& call, std::string_view address,
                            std::string_view why) {
  const auto list = json::Draft::array({address}).freeze();
  return kube::invalid(
      {"", "Service"}, call.name,
      {kube::invalid(FieldPath{"spec"}.child("clusterIPs"), list,
                     "failed to allocate IP " + std::string{address} + ": " + std::string{why})});
}

bool wants_address(std::string_view type) {
  return type != "ExternalName";
}
bool wants_node_ports(const json::Draft& spec, std::string_view type) {
  if (type == "NodePort") return true;
  const json::Draft* asked = spec.find("allocateLoadBalancerNodePorts");
  return type == "LoadBalancer" && (asked == nullptr || asked->as_bool(true));
}

Answer<void> allocate_address(const AdmissionCall& call, const Taken& taken, json::Draft& spec) {
  const json::Draft* given = spec.find("clusterIP");
  std::string address{given == nullptr ? std::string_view{} : given->as_string()};
  if (address == "None") {
    spec["clusterIPs"] = json::Draft::array({"None"});
    return {};
  }
  if (address.empty() && call.dry_run) {
    address = kRangeBase;
  } else if (address.empty()) {
    auto free = free_address(call, taken);
    if (!free) {
      return std::unexpected(kube::internal_error("failed to allocate a serviceIP: range is full"));
    }
    address = *std::move(free);
  } else if (!in_range(address)) {
    const std::string dry = "the provided IP (" + address +
                            ") is not in the valid range. The range of valid IPs is " +
                            std::string{kRangeBase} + "/16";
    return std::unexpected(refuse_address(
        call, address,
        call.dry_run ? dry : "the provided network does not match the current range"));
  } else if (!call.dry_run && taken.addresses.contains(address)) {
    return std::unexpected(refuse_address(call, address, "provided IP is already allocated"));
  }
  spec["clusterIP"] = address;
  spec["clusterIPs"] = json::Draft::array({address});
  return {};
}

Answer<void> check_node_port(const AdmissionCall& call, const Taken& taken, std::size_t index,
                             std::int64_t port) {
  std::string why;
  if (port < kFirstNodePort || port > kLastNodePort) {
    why = "provided port is not in the valid range. The range of valid ports is 30000-32767";
  } else if (taken.ports.contains(port)) {
    why = "provided port is already allocated";
  } else {
    return {};
  }
  const FieldPath spec{"spec"};
  const FieldPath ports = spec.child("ports");
  const FieldPath item = ports.index(index);
  return std::unexpected(
      kube::invalid({"", "Service"}, call.name,
                    {kube::invalid(item.child("nodePort"), std::to_string(port), why)}));
}

std::optional<std::int64_t> free_node_port(const AdmissionCall& call, const Taken& taken) {
  if (call.dry_run) {
    auto next = kDryNodePort;
    while (taken.ports.contains(next)) ++next;
    return next;
  }
  const auto span = static_cast<std::uint64_t>(kLastNodePort - kFirstNodePort + 1);
  const auto start = static_cast<std::int64_t>(call.environment.rng.below(span));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(span); ++i) {
    const auto candidate = kFirstNodePort + (start + i) % static_cast<std::int64_t>(span);
    if (!taken.ports.contains(candidate)) return candidate;
  }
  return std::nullopt;
}

// Balancers that send only to nodes with a pod ask there whether one is left.
bool wants_health_port(const json::Draft& spec, std::string_view type) {
  const json::Draft* policy = spec.find("externalTrafficPolicy");
  return type == "LoadBalancer" && policy != nullptr && policy->as_string() == "Local";
}

Answer<void> allocate_health_port(const AdmissionCall& call, Taken& taken, json::Draft& spec,
                                  json::View old_spec) {
  if (const json::Draft* given = spec.find("healthCheckNodePort");
      given != nullptr && given->as_int() != 0) {
    return {};
  }
  auto number = old_spec.get("healthCheckNodePort").as_int();
  if (number == 0) {
    const auto free = free_node_port(call, taken);
    if (!free) {
      return std::unexpected(
          kube::internal_error("failed to allocate a HealthCheck NodePort: range is full"));
    }
    number = *free;
  }
  spec["healthCheckNodePort"] = number;
  taken.ports.insert(number);
  return {};
}

std::int64_t node_port_of(const json::Draft& port) {
  const json::Draft* number = port.find("nodePort");
  return number == nullptr ? 0 : number->as_int();
}

Answer<void> hand_out_node_port(const AdmissionCall& call, Taken& taken, json::Draft& port) {
  const auto free = free_node_port(call, taken);
  if (!free) {
    return std::unexpected(kube::internal_error("failed to allocate a nodePort: range is full"));
  }
  port["nodePort"] = *free;
  taken.ports.insert(*free);
  return {};
}

std::int64_t number_of(const json::Draft& port) {
  const json::Draft* number = port.find("port");
  return number == nullptr ? 0 : number->as_int();
}

// A new service uses one node port for all ports of one number, whatever their protocols.
Answer<void> allocate_new_node_ports(const AdmissionCall& call, Taken& taken, bool hand_out,
                                     json::Draft& spec) {
  auto& ports = spec.array_at("ports").elements();
  std::map<std::int64_t, std::int64_t> by_number;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto asked = node_port_of(ports[i]);
    if (asked == 0 && !hand_out) continue;
    auto& shared = by_number[number_of(ports[i])];
    if (shared != 0 && (asked == 0 || asked == shared)) {
      ports[i]["nodePort"] = shared;
      continue;
    }
    const auto same = [&](const json::Draft& other) {
      return number_of(other) == number_of(ports[i]) && node_port_of(other) != 0;
    };
    const auto named = std::ranges::find_if(ports, same);
    const auto wanted = shared != 0 ? asked : named != ports.end() ? node_port_of(*named) : 0;
    if (wanted != 0) {
      if (auto ok = check_node_port(call, taken, i, wanted); !ok) return ok;
      taken.ports.insert(wanted);
      if (shared == 0) ports[i]["nodePort"] = wanted;
    } else if (auto ok = hand_out_node_port(call, taken, ports[i]); !ok) {
      return ok;
    }
    if (shared == 0) shared = node_port_of(ports[i]);
  }
  return {};
}

// A changed one looks at each port by itself; what it had is still its own.
Answer<void> allocate_changed_node_ports(const AdmissionCall& call, Taken& taken, bool hand_out,
                                         json::Draft& spec, json::View old_spec) {
  std::set<std::int64_t> own;
  for (const json::View port : old_spec.get("ports").elements()) {
    own.insert(port.get("nodePort").as_int());
  }
  std::set<std::pair<std::string, std::int64_t>> seen;
  auto& ports = spec.array_at("ports").elements();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto asked = node_port_of(ports[i]);
    if (asked == 0 && !hand_out) continue;
    if (asked == 0) {
      if (auto ok = hand_out_node_port(call, taken, ports[i]); !ok) return ok;
    } else if (own.insert(asked).second) {
      if (auto ok = check_node_port(call, taken, i, asked); !ok) return ok;
      taken.ports.insert(asked);
    }
    const json::Draft* protocol = ports[i].find("protocol");
    const std::string text{protocol == nullptr ? std::string_view{} : protocol->as_string()};
    const auto number = node_port_of(ports[i]);
    if (!seen.insert({text, number}).second) {
      return std::unexpected(kube::unreasoned(
          500, "duplicate nodePort: {" + text + " " + std::to_string(number) + "}"));
    }
  }
  return {};
}

Answer<void> allocate_node_ports(const AdmissionCall& call, Taken& taken, std::string_view type,
                                 json::Draft& spec, json::View old_spec) {
  if (type != "NodePort" && type != "LoadBalancer") return {};
  const bool hand_out = wants_node_ports(spec, type);
  if (old_spec.is_null()) return allocate_new_node_ports(call, taken, hand_out, spec);
  // A number that is held already is not handed out twice, not even to its holder.
  for (const json::View port : old_spec.get("ports").elements()) {
    taken.ports.insert(port.get("nodePort").as_int());
  }
  return allocate_changed_node_ports(call, taken, hand_out, spec, old_spec);
}

// There is one range of addresses, and it is of one family. Who has no address may claim both.
Answer<void> check_families(const AdmissionCall& call, const json::Draft& spec) {
  const json::Draft* address = spec.find("clusterIP");
  const json::Draft* selector = spec.find("selector");
  const bool headless = address != nullptr && address->as_string() == "None";
  if (headless && (selector == nullptr || selector->empty())) return {};
  kube::FieldErrors errors;
  const FieldPath path{"spec"};
  if (const json::Draft* policy = spec.find("ipFamilyPolicy");
      policy != nullptr && policy->as_string() == "RequireDualStack") {
    errors.push_back(kube::invalid(path.child("ipFamilyPolicy"), "\"RequireDualStack\"",
                                   "this cluster is not configured for dual-stack services"));
  }
  // Families that nobody named follow from the policy, and say nothing new.
  if (const json::Draft* families = spec.find("ipFamilies");
      families != nullptr && errors.empty()) {
    const FieldPath list = path.child("ipFamilies");
    for (std::size_t i = 0; i < families->elements().size(); ++i) {
      const auto family = families->elements()[i].as_string();
      if (family == "IPv4") continue;
      errors.push_back(
          kube::invalid(list.index(i), kube::shown(family), "not configured on this cluster"));
    }
  }
  if (errors.empty()) return {};
  return std::unexpected(kube::invalid({"", "Service"}, call.name, errors));
}

// An update that says nothing about addresses keeps the ones it has.
void keep_old_allocations(json::Draft& spec, json::View old_spec, std::string_view type) {
  if (wants_address(type) && wants_address(old_spec.get("type").as_string())) {
    for (const auto key : {"clusterIP", "clusterIPs"}) {
      const json::Draft* given = spec.find(key);
      const bool empty = given == nullptr || given->is_null() ||
                         (given->is_string() && given->as_string().empty());
      if (const auto old = old_spec.find(key); old && empty) spec[key] = json::Draft{*old};
    }
  }
}

}  // namespace

Answer<void> allocate(const AdmissionCall& call, const store::Snapshot& snapshot,
                      json::Draft& object, json::View old_object) {
  if (call.resource.prefix != "services/" || !call.subresource.empty()) return {};
  auto& spec = object.object_at("spec");
  const json::Draft* given = spec.find("type");
  const std::string type{given == nullptr ? std::string_view{"ClusterIP"} : given->as_string()};
  if (!old_object.is_null()) keep_old_allocations(spec, old_object.get("spec"), type);
  auto taken = taken_by_others(call, snapshot);
  if (wants_address(type)) {
    if (auto ok = check_families(call, spec); !ok) return ok;
    if (auto ok = allocate_address(call, taken, spec); !ok) return ok;
  }
  if (auto ok = allocate_node_ports(call, taken, type, spec, old_object.get("spec")); !ok)
    return ok;
  if (wants_health_port(spec, type)) {
    return allocate_health_port(call, taken, spec, old_object.get("spec"));
  }
  return {};
}

}  // namespace fixpoint::apiserver
