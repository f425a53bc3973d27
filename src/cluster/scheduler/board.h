// SPDX-License-Identifier: Apache-2.0
//
// Board: all nodes, what is left on each, and which pods are where.
//
// Kept up to date pod by pod, so that placing one costs what it needs and not what the cluster
// holds. Nodes live in slots: a slot keeps its number as long as its node exists or has pods, and
// everything counted per node is a vector by slot. Sets of pods that somebody asks about (affinity,
// spreading) are counted once and from then on kept current; the least lately asked is forgotten
// when there are too many. A plain value: the verifier copies it.
#pragma once

#include "cluster/scheduler/pod_needs.h"
#include "json/value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixpoint::cluster::scheduler {

using Slot = std::uint32_t;
using Counts = std::vector<std::uint32_t>;  // by slot

struct NodeState {
  std::string name;
  json::Value body;  // null while only its pods are known
  Capacity capacity;
  std::vector<nodes::Taint> taints;
  bool unschedulable = false;
  Amounts requested;
  Amounts weight;
  std::vector<HostPort> ports;
  std::int64_t pods = 0;

  bool present() const { return !body.is_null(); }
};

// The values of one label over all nodes, numbered.
struct Domains {
  static constexpr std::int32_t kNone = -1;
  std::vector<std::int32_t> of_slot;  // kNone where the node has no such label
  std::size_t count = 0;

  // Sums counts by domain.
  Counts sum(const Counts& by_slot) const;
};

// Terms that pods already placed hold against, or for, those that come.
struct HeldTerm {
  NearTerm term;
  Counts holders;
  std::uint64_t total = 0;
};

class Board {
 public:
  void set_node(const json::Value& node);
  void remove_node(std::string_view name);
  // The pod is, or is about to be, on that node; replaces what was said of it before.
  void place(std::string_view key, const json::Value& pod, std::string_view node);
  void remove(std::string_view key);
  void set_namespace(std::string_view name, const json::Value& labels);
  void remove_namespace(std::string_view name);

  const std::vector<NodeState>& slots() const { return slots_; }
  // Slots of nodes that exist, in a fixed order.
  const std::vector<Slot>& nodes() const { return present_; }
  const NodeState* find(std::string_view name) const;
  // Where a pod was placed; empty when it was not.
  std::string_view node_of(std::string_view key) const;
  json::View namespace_labels(std::string_view name) const;

  // How many pods of the set are on each node.
  const Counts& count(const PodSet& set);
  const Domains& domains(std::string_view topology_key);
  const std::map<std::string, HeldTerm>& held_away() const { return held_away_; }
  const std::map<std::string, HeldTerm>& held_preferences() const { return held_preferences_; }

 private:
  // Sets of pods counted at the same time; one takes four bytes per node.
  static constexpr std::size_t kCountedMax = 256;

  struct Placed {
    json::Value body;
    Slot slot = 0;
    PodNeeds needs;
  };
  struct Counted {
    PodSet set;
    Counts by_slot;
    std::uint64_t asked = 0;
  };

  Slot slot_of(std::string_view name);
  void release_if_unused(Slot slot);
  void account(const Placed& pod, int sign);
  void hold(const Placed& pod, int sign);
  void forget_least_asked();

  std::vector<NodeState> slots_;
  std::unordered_map<std::string, Slot> by_name_;
  std::vector<Slot> free_;
  std::vector<Slot> present_;
  std::unordered_map<std::string, Placed> pods_;
  std::map<std::string, json::Value, std::less<>> namespaces_;
  std::map<std::string, Counted, std::less<>> counted_;
  std::map<std::string, Domains, std::less<>> domains_;
  std::map<std::string, HeldTerm> held_away_;
  std::map<std::string, HeldTerm> held_preferences_;
  std::uint64_t asks_ = 0;
};

}  // namespace fixpoint::cluster::scheduler
