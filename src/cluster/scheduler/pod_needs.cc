// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/pod_needs.h"

#include "apiserver/admission/resource_list.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster::scheduler {
namespace {

// What a container that says nothing is assumed to use when nodes are compared; as Kubernetes.
constexpr std::int64_t kAssumedCpuMilli = 100;
constexpr std::int64_t kAssumedMemory = std::int64_t{200} << 20U;
constexpr std::string_view kHostname = "kubernetes.io/hostname";
// Pods of one owner are spread over hosts and zones unless they say something themselves.
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::int64_t kDefaultHostSkew = 3;
constexpr std::int64_t kDefaultZoneSkew = 5;

Amounts amounts_from(const apiserver::ResourceList& list) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      amounts.cpu_milli = quantity.milli_value();
    } else if (name == "memory") {
      amounts.memory = quantity.value();
    } else if (name == "ephemeral-storage") {
      amounts.storage = quantity.value();
    } else if (name != "pods") {
      amounts.others.emplace_back(name, quantity.value());
    }
  }
  return amounts;
}

Amounts weight_of(json::View spec, const Amounts& requests) {
  Amounts weight = requests;
  for (const json::View container : spec.get("containers").elements()) {
    const json::View asks = container.get("resources", "requests");
    if (!asks.contains("cpu")) weight.cpu_milli += kAssumedCpuMilli;
    if (!asks.contains("memory")) weight.memory += kAssumedMemory;
  }
  return weight;
}

std::vector<HostPort> ports_of(json::View spec) {
  std::vector<HostPort> ports;
  const auto read = [&](json::View container) {
    for (const json::View port : container.get("ports").elements()) {
      if (port.get("hostPort").as_int() <= 0) continue;
      ports.push_back({.address = std::string{port.get("hostIP").as_string("0.0.0.0")},
                       .protocol = std::string{port.get("protocol").as_string("TCP")},
                       .port = port.get("hostPort").as_int()});
      if (ports.back().address.empty()) ports.back().address = "0.0.0.0";
    }
  };
  for (const json::View container : spec.get("containers").elements()) read(container);
  for (const json::View container : spec.get("initContainers").elements()) {
    // One that runs to its end before the others start holds no port while they run.
    if (container.get("restartPolicy").as_string() == "Always") read(container);
  }
  return ports;
}

void add_keys(json::View keys, json::View labels, kube::LabelRequirement::Operator op,
              PodSet& set) {
  for (const json::View key : keys.elements()) {
    const auto value = labels.find(key.as_string());
    if (!value) continue;
    set.more.push_back({.key = std::string{key.as_string()},
                        .op = op,
                        .values = {std::string{value->as_string()}}});
  }
}

void name_set(PodSet& set) {
  auto& text = set.identity;
  text = set.counts_leaving ? "all " : "staying ";
  if (!set.owner.empty()) {
    text += "of " + set.owner;
    return;
  }
  for (const auto& ns : set.namespaces) text += ns + " ";
  if (set.namespace_selector) text += "in {" + set.namespace_selector->to_string() + "} ";
  text += "{" + set.labels.to_string() + "}";
  for (const auto& one : set.more) text += "," + one.to_string();
}

kube::LabelSelector selector_from(json::View object) {
  auto selector = kube::LabelSelector::from_object(object);
  // Validated when it was written; one that got past that selects nothing.
  return selector ? *std::move(selector) : kube::LabelSelector::nothing();
}

NearTerm near_term(json::View pod, json::View term, std::int64_t weight) {
  NearTerm made{.topology_key = std::string{term.get("topologyKey").as_string()},
                .pods = {},
                .weight = weight};
  PodSet& set = made.pods;
  for (const json::View ns : term.get("namespaces").elements()) {
    set.namespaces.emplace(ns.as_string());
  }
  if (const json::View chosen = term.get("namespaceSelector"); chosen.is_object()) {
    set.namespace_selector = selector_from(chosen);
  } else if (set.namespaces.empty()) {
    set.namespaces.emplace(kube::namespace_of(pod));
  }
  set.labels = selector_from(term.get("labelSelector"));
  using Operator = kube::LabelRequirement::Operator;
  add_keys(term.get("matchLabelKeys"), kube::labels_of(pod), Operator::In, set);
  add_keys(term.get("mismatchLabelKeys"), kube::labels_of(pod), Operator::NotIn, set);
  name_set(set);
  return made;
}

void read_near(json::View pod, std::string_view member, std::int64_t sign,
               std::vector<NearTerm>& required, std::vector<NearTerm>& preferred) {
  const json::View affinity = pod.get("spec", "affinity", member);
  for (const json::View term :
       affinity.get("requiredDuringSchedulingIgnoredDuringExecution").elements()) {
    required.push_back(near_term(pod, term, 0));
  }
  for (const json::View one :
       affinity.get("preferredDuringSchedulingIgnoredDuringExecution").elements()) {
    preferred.push_back(
        near_term(pod, one.get("podAffinityTerm"), sign * one.get("weight").as_int()));
  }
}

void read_node_affinity(json::View spec, PodNeeds& needs) {
  const json::View affinity = spec.get("affinity", "nodeAffinity");
  const json::View required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution");
  if (required.is_object()) needs.required_nodes = nodes::NodeSelector::from(required);
  for (const json::View one :
       affinity.get("preferredDuringSchedulingIgnoredDuringExecution").elements()) {
    if (one.get("weight").as_int() == 0) continue;
    needs.preferred_nodes.push_back({.term = nodes::NodeTerm::from(one.get("preference")),
                                     .weight = one.get("weight").as_int()});
  }
}

SpreadConstraint spread_from(json::View pod, json::View constraint) {
  SpreadConstraint made;
  made.topology_key = constraint.get("topologyKey").as_string();
  made.max_skew = constraint.get("maxSkew").as_int(1);
  made.min_domains = constraint.get("minDomains").as_int(1);
  made.honors_affinity = constraint.get("nodeAffinityPolicy").as_string() != "Ignore";
  made.honors_taints = constraint.get("nodeTaintsPolicy").as_string() == "Honor";
  made.pods.namespaces.emplace(kube::namespace_of(pod));
  made.pods.labels = selector_from(constraint.get("labelSelector"));
  made.pods.counts_leaving = false;
  add_keys(constraint.get("matchLabelKeys"), kube::labels_of(pod),
           kube::LabelRequirement::Operator::In, made.pods);
  name_set(made.pods);
  made.matches_itself = made.pods.has(pod, {});
  return made;
}

SpreadConstraint spread_of_owner(std::string_view owner, std::string_view key, std::int64_t skew) {
  SpreadConstraint made;
  made.topology_key = key;
  made.max_skew = skew;
  made.pods.owner = owner;
  made.pods.counts_leaving = false;
  name_set(made.pods);
  return made;
}

void read_spread(json::View pod, PodNeeds& needs) {
  const json::View constraints = pod.get("spec", "topologySpreadConstraints");
  for (const json::View one : constraints.elements()) {
    const bool must = one.get("whenUnsatisfiable").as_string() == "DoNotSchedule";
    (must ? needs.must_spread : needs.may_spread).push_back(spread_from(pod, one));
  }
  if (!constraints.empty()) return;
  if (const auto owner = kube::controller_of(pod)) {
    needs.may_spread.push_back(spread_of_owner(owner->uid, kHostname, kDefaultHostSkew));
    needs.may_spread.push_back(spread_of_owner(owner->uid, kZone, kDefaultZoneSkew));
  }
}

}  // namespace

std::int64_t Amounts::other(std::string_view name) const {
  const auto found = std::ranges::find(others, name, &std::pair<std::string, std::int64_t>::first);
  return found == others.end() ? 0 : found->second;
}

void Amounts::add(const Amounts& more) {
  cpu_milli += more.cpu_milli;
  memory += more.memory;
  storage += more.storage;
  for (const auto& [name, amount] : more.others) {
    const auto found =
        std::ranges::find(others, name, &std::pair<std::string, std::int64_t>::first);
    if (found == others.end()) {
      others.emplace_back(name, amount);
    } else {
      found->second += amount;
    }
  }
}

void Amounts::subtract(const Amounts& less) {
  Amounts negative{.cpu_milli = -less.cpu_milli,
                   .memory = -less.memory,
                   .storage = -less.storage,
                   .others = less.others};
  for (auto& [name, amount] : negative.others) amount = -amount;
  add(negative);
}

Capacity capacity_of(json::View node) {
  const auto list = apiserver::read_resources(node.get("status", "allocatable"));
  const auto pods = list.find("pods");
  return {.amounts = amounts_from(list), .pods = pods == list.end() ? 0 : pods->second.value()};
}

bool HostPort::collides(const HostPort& other) const {
  if (port != other.port || protocol != other.protocol) return false;
  return address == other.address || address == "0.0.0.0" || other.address == "0.0.0.0";
}

bool PodSet::has(json::View pod, json::View namespace_labels) const {
  if (!counts_leaving && kube::being_deleted(pod)) return false;
  if (!owner.empty()) {
    const auto controller = kube::controller_of(pod);
    return controller && controller->uid == owner;
  }
  const bool there = namespaces.contains(kube::namespace_of(pod)) ||
                     (namespace_selector && namespace_selector->matches(namespace_labels));
  const json::View have = kube::labels_of(pod);
  return there && labels.matches(have) &&
         std::ranges::all_of(more, [&](const auto& one) { return one.matches(have); }) &&
         std::ranges::all_of(also, [&](const auto& one) { return one.has(pod, namespace_labels); });
}

PodNeeds PodNeeds::of(json::View pod) {
  const json::View spec = pod.get("spec");
  PodNeeds needs;
  needs.ns = kube::namespace_of(pod);
  needs.name = kube::name_of(pod);
  needs.priority = spec.get("priority").as_int();
  needs.never_preempts = spec.get("preemptionPolicy").as_string() == "Never";
  needs.requests = amounts_from(apiserver::pod_total(pod, apiserver::PodTotal::ForQuota).requests);
  needs.weight = weight_of(spec, needs.requests);
  needs.ports = ports_of(spec);
  needs.tolerations = nodes::tolerations_of(pod);
  needs.node_labels = kube::LabelSelector::from_labels(spec.get("nodeSelector"));
  read_node_affinity(spec, needs);
  read_near(pod, "podAffinity", 1, needs.near, needs.rather_near);
  read_near(pod, "podAntiAffinity", -1, needs.away, needs.rather_near);
  read_spread(pod, needs);
  return needs;
}

bool PodNeeds::matches_node(json::View node) const {
  // Most pods ask for nothing: then even looking for the labels would be most of the work.
  return (node_labels.empty() || node_labels.matches(kube::labels_of(node))) &&
         (!required_nodes || required_nodes->matches(node));
}

}  // namespace fixpoint::cluster::scheduler
