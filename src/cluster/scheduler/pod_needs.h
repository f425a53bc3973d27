// SPDX-License-Identifier: Apache-2.0
//
// PodNeeds: what a pod asks of the node it runs on, read once from its spec.
//
// Amounts are whole numbers in the scheduler's units (thousandths of a cpu, bytes, pieces), so that
// weighing a pod against a node costs a few comparisons.
#pragma once

#include "cluster/nodes/node_selector.h"
#include "cluster/nodes/taints.h"
#include "json/value.h"
#include "kube/selectors/label_selector.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::cluster::scheduler {

struct Amounts {
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::int64_t storage = 0;                                  // ephemeral
  std::vector<std::pair<std::string, std::int64_t>> others;  // by name

  std::int64_t other(std::string_view name) const;
  void add(const Amounts& more);
  void subtract(const Amounts& less);
};

// What a node offers, with the number of pods it takes.
struct Capacity {
  Amounts amounts;
  std::int64_t pods = 0;
};
Capacity capacity_of(json::View node);

struct HostPort {
  std::string address;
  std::string protocol;
  std::int64_t port = 0;

  // Every address of the node is meant by 0.0.0.0, so that collides with any.
  bool collides(const HostPort& other) const;
};

// A set of pods: of some namespaces, with some labels; or those of one owner.
struct PodSet {
  std::set<std::string, std::less<>> namespaces;
  std::optional<kube::LabelSelector> namespace_selector;
  kube::LabelSelector labels;
  std::vector<kube::LabelRequirement> more;  // from matchLabelKeys and mismatchLabelKeys
  std::string owner;                         // uid of the controller; then nothing else counts
  std::vector<PodSet> also;                  // the pod must be in these, too
  bool counts_leaving = true;                // pods being deleted count, too
  std::string identity;                      // equal for equal sets

  bool has(json::View pod, json::View namespace_labels) const;
};

// "Near (or away from) those pods", measured by a label of the nodes.
struct NearTerm {
  std::string topology_key;
  PodSet pods;
  std::int64_t weight = 0;  // of a preferred one
};

struct SpreadConstraint {
  std::string topology_key;
  PodSet pods;
  std::int64_t max_skew = 1;
  std::int64_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
  bool matches_itself = false;
};

struct PreferredNodes {
  nodes::NodeTerm term;
  std::int64_t weight = 0;
};

struct PodNeeds {
  std::string ns;
  std::string name;
  std::int64_t priority = 0;
  Amounts requests;
  Amounts weight;  // requests, with something assumed for containers that ask for nothing
  std::vector<HostPort> ports;
  std::vector<nodes::Toleration> tolerations;
  kube::LabelSelector node_labels;  // spec.nodeSelector
  std::optional<nodes::NodeSelector> required_nodes;
  std::vector<PreferredNodes> preferred_nodes;
  std::vector<NearTerm> near;         // required
  std::vector<NearTerm> away;         // required
  std::vector<NearTerm> rather_near;  // preferred; away with a negative weight
  std::vector<SpreadConstraint> must_spread;
  std::vector<SpreadConstraint> may_spread;
  bool never_preempts = false;

  static PodNeeds of(json::View pod);
  bool matches_node(json::View node) const;  // nodeSelector and required affinity
};

}  // namespace fixpoint::cluster::scheduler
