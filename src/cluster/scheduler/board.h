// SPDX-License-Identifier: Apache-2.0
//
// Board: all nodes, what is left on each, and which pods are where.
//
// Kept up to date pod by pod, so that placing one costs what it needs and not what the cluster
// holds. Nodes live in slots: a slot keeps its number as long as its node exists or has pods, and
// everything counted per node is a vector by slot. Where the pods of each owner are is always
// known, since every owner's are spread. Other sets of pods that somebody asks about (affinity,
// spreading) are counted once and from then on kept current; the least lately asked is forgotten
// when there are too many. Pods and the sets that have them are found by their labels
// (pods_by_label.h). A plain value: the verifier copies it.
#pragma once

#include "cluster/scheduler/pod_needs.h"
#include "cluster/scheduler/pods_by_label.h"
#include "json/value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

  // How many pods of the set are on each node; good until the next call.
  const Counts& count(const PodSet& set);
  const Domains& domains(std::string_view topology_key);
  // The terms that pods already placed hold against, or for, this one.
  std::vector<const HeldTerm*> held_away(json::View pod) const;
  std::vector<const HeldTerm*> held_preferences(json::View pod) const;

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
  // By slot, in order, only those that are not zero: most owners have pods on few nodes.
  using SparseCounts = std::vector<std::pair<Slot, std::uint32_t>>;

  struct HeldTerms {
    std::map<std::string, HeldTerm> terms;  // by identity
    SetsByLabel by_label;
  };

  Slot slot_of(std::string_view name);
  void release_if_unused(Slot slot);
  void account(const Placed& pod, int sign);
  void hold(const Placed& pod, int sign);
  static void hold_term(HeldTerms& held, const NearTerm& term, Slot slot, int sign);
  std::vector<const HeldTerm*> held_for(const HeldTerms& held, json::View pod) const;
  void account_owner(const Placed& pod, int sign);
  void account_sets(const Placed& pod, int sign);
  Counted counted_from(const PodSet& set);
  void forget(const std::string& identity);
  const Counts& count_owned(const PodSet& set);
  void forget_least_asked();

  std::vector<NodeState> slots_;
  std::unordered_map<std::string, Slot> by_name_;
  std::vector<Slot> free_;
  std::vector<Slot> present_;
  std::unordered_map<std::string, Placed> pods_;
  std::map<std::string, json::Value, std::less<>> namespaces_;
  std::map<std::string, Counted, std::less<>> counted_;
  SetsByLabel counted_by_label_;
  PodsByLabel by_label_;
  std::unordered_map<std::string, SparseCounts> owned_;  // by uid; pods being deleted do not count
  Counts spread_out_;                                    // of the owner that was asked for last
  std::map<std::string, Domains, std::less<>> domains_;
  HeldTerms held_away_;
  HeldTerms held_preferences_;
  std::uint64_t asks_ = 0;
};

}  // namespace fixpoint::cluster::scheduler
