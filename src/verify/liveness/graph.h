// SPDX-License-Identifier: Apache-2.0
//
// Graph: the states and transitions of a whole exploration, for what single steps do not tell.
//
// States are numbered as they were found, breadth first: a smaller number is never deeper. A state
// has the truth of up to 64 predicates, a transition who took it, up to 8 marks, and what it cost.
#pragma once

#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fixpoint::verify {

// A vector that never moves what it holds: growing needs no second copy of it.
template <class T>
class Column {
 public:
  void push_back(const T& value) {
    if ((size_ & kMask) == 0) chunks_.push_back(std::make_unique<T[]>(kChunk));
    chunks_.back()[size_ & kMask] = value;
    ++size_;
  }
  const T& operator[](std::uint64_t index) const { return chunks_[index >> kBits][index & kMask]; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return chunks_.size() * kChunk * sizeof(T); }

 private:
  static constexpr unsigned kBits = 14;
  static constexpr std::uint64_t kChunk = std::uint64_t{1} << kBits;
  static constexpr std::uint64_t kMask = kChunk - 1;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint64_t size_ = 0;
};

using Node = std::uint32_t;
using EdgeId = std::uint64_t;
inline constexpr Node kNoNode = ~Node{0};
inline constexpr std::size_t kEdgeMarksMax = 8;
inline constexpr std::size_t kNodeBitsMax = 64;

class Graph {
 public:
  explicit Graph(std::size_t bounded_properties = 0) : work_(bounded_properties) {}

  // Nodes are added in order; the edges of all nodes are added in the order of the nodes.
  void add_node(Node parent, std::uint64_t bits) {
    parents_.push_back(parent);
    bits_.push_back(bits);
  }
  // Before its edges.
  void begin_edges() { first_edges_.push_back(targets_.size()); }
  void add_edge(Node target, ActorId actor, std::uint8_t marks) {
    targets_.push_back(target);
    actors_.push_back(actor);
    marks_.push_back(marks);
  }
  void add_work(std::size_t property, Work work) { work_[property].push_back(work); }

  Node size() const { return static_cast<Node>(parents_.size()); }
  std::uint64_t edges() const { return targets_.size(); }
  // The node from which this one was found first; none for an initial state.
  Node parent(Node node) const { return parents_[node]; }
  std::uint64_t bits(Node node) const { return bits_[node]; }
  EdgeId first_edge(Node node) const { return first_edges_[node]; }
  // Also right for a graph that was cut off: nodes past the cut have no edges.
  EdgeId end_edge(Node node) const {
    return node + std::uint64_t{1} < first_edges_.size() ? first_edges_[node + std::uint64_t{1}]
                                                         : targets_.size();
  }
  Node target(EdgeId edge) const { return targets_[edge]; }
  ActorId actor(EdgeId edge) const { return actors_[edge]; }
  std::uint8_t marks(EdgeId edge) const { return marks_[edge]; }
  Work work(std::size_t property, EdgeId edge) const { return work_[property][edge]; }
  // The actors that can act here, as bits.
  std::uint64_t enabled(Node node) const;
  // The first edge from one node to another; there must be one.
  EdgeId edge_between(Node from, Node to) const;
  std::uint64_t bytes() const;

 private:
  Column<Node> parents_;
  Column<std::uint64_t> bits_;
  Column<EdgeId> first_edges_;
  Column<Node> targets_;
  Column<ActorId> actors_;
  Column<std::uint8_t> marks_;
  std::vector<Column<Work>> work_;
};

// A way through the graph from an initial state, by edges.
struct Path {
  Node root = 0;
  std::vector<EdgeId> edges;
  std::optional<std::size_t> loop_from = std::nullopt;  // as in Trace
};

// The shortest one to a node.
Path path_to(const Graph& graph, Node node);

// The nodes for which (bits & mask) == value.
struct Scope {
  std::uint64_t mask = 0;
  std::uint64_t value = 0;
  bool has(const Graph& graph, Node node) const { return (graph.bits(node) & mask) == value; }
};

}  // namespace fixpoint::verify
