// SPDX-License-Identifier: Apache-2.0
//
// VolumeNeeds: which nodes can reach what a pod mounts.
//
// A claim that is bound goes where its volume is. One that waits for its first consumer takes a
// volume that exists and is reachable from the node, or is provided there. Everything else holds
// the pod up wherever it would go.
#pragma once

#include "cluster/nodes/node_selector.h"
#include "json/value.h"

#include <functional>
#include <string>
#include <vector>

namespace fixpoint::cluster::scheduler {

// What the rest of the cluster knows of claims.
struct VolumeSource {
  std::function<json::Value(std::string_view ns, std::string_view name)> claim;
  std::function<json::Value(std::string_view name)> volume;
  std::function<json::Value(std::string_view name)> storage_class;
  // Volumes that a claim could take, the best first, wherever they are.
  std::function<std::vector<json::Value>(json::View claim)> candidates;
};

// A claim that is bound only once a node was chosen.
struct WaitingClaim {
  json::Value claim;
  json::Value storage_class;
  std::vector<json::Value> candidates;
};

// What binding needs done first on the chosen node: a claim takes a volume, or asks for one there.
struct VolumeStep {
  json::Value claim;
  json::Value volume;  // null: to be provided on the node
};

struct VolumeNeeds {
  std::vector<std::string> claims;  // all that the pod mounts, by name
  std::string problem;              // holds for every node; empty when there is none
  std::vector<nodes::NodeSelector> bound;
  bool volume_missing = false;  // a bound claim whose volume is gone
  std::vector<WaitingClaim> waiting;

  static VolumeNeeds of(json::View pod, const VolumeSource& source);
  // Why the pod cannot have its volumes there; nothing when it can.
  std::vector<std::string> problems_on(json::View node) const;
  // Needs a node without problems.
  std::vector<VolumeStep> steps_on(json::View node) const;

 private:
  // One step for each waiting claim that can be served there.
  std::vector<VolumeStep> served_on(json::View node) const;
};

}  // namespace fixpoint::cluster::scheduler
