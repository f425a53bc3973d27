// SPDX-License-Identifier: Apache-2.0
#include "kinds/services/ports.h"

#include "kinds/services/types.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace fixpoint::kinds {
namespace {

std::int64_t number_at(const json::Draft& object, std::string_view key) {
  const json::Draft* number = object.find(key);
  return number == nullptr ? 0 : number->as_int();
}

// A port that named no node port keeps the one that a port of its name had, unless it is in use.
void keep_node_ports(json::Draft& spec, json::View old_spec) {
  json::Draft* ports = spec.find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  std::map<std::string, std::int64_t, std::less<>> by_name;
  std::set<std::int64_t> used;
  for (const json::View old_port : old_spec.get("ports").elements()) {
    const auto number = old_port.get("nodePort").as_int();
    by_name[std::string{old_port.get("name").as_string()}] = number;
    const auto same = [&](const json::Draft& port) {
      return number_at(port, "nodePort") == number;
    };
    if (std::ranges::any_of(ports->elements(), same)) used.insert(number);
  }
  for (json::Draft& port : ports->elements()) {
    const json::Draft* name = port.find("name");
    const auto known = by_name.find(name == nullptr ? std::string_view{} : name->as_string());
    if (number_at(port, "nodePort") != 0 || known == by_name.end() || known->second == 0) continue;
    if (!used.contains(known->second)) port["nodePort"] = known->second;
  }
}

}  // namespace

PortWishes PortWishes::of(json::View spec) {
  const auto type = spec.get("type").as_string();
  return {
      .node_ports = has_node_ports(type),
      .hand_out = has_node_ports(type) &&
                  (type == "NodePort" || spec.get("allocateLoadBalancerNodePorts").as_bool(true)),
      .health = needs_health_port(type, spec.get("externalTrafficPolicy").as_string())};
}

void keep_ports(json::Draft& spec, json::View old_spec) {
  const json::Value given = spec.freeze();
  const auto now = PortWishes::of(given);
  const auto before = PortWishes::of(old_spec);
  if (now.hand_out && before.hand_out) keep_node_ports(spec, old_spec);
  if (!now.health || !before.health || number_at(spec, "healthCheckNodePort") != 0) return;
  if (const auto health = old_spec.get("healthCheckNodePort").as_int(); health != 0) {
    spec["healthCheckNodePort"] = health;
  }
}

}  // namespace fixpoint::kinds
