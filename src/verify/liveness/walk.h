// SPDX-License-Identifier: Apache-2.0
//
// Shortest walks inside a part of a graph, for counterexamples.
#pragma once

#include "verify/liveness/graph.h"

#include <functional>
#include <optional>
#include <vector>

namespace fixpoint::verify {

// The edges that may be walked.
using MayWalk = std::function<bool(Node from, EdgeId edge)>;

// The shortest walk from `start` to a node (which may be `start`) for which `there`; the first
// found in the order of edges among equally short ones.
std::optional<std::vector<EdgeId>> walk_to(const Graph& graph, Node start, const MayWalk& may,
                                           const std::function<bool(Node)>& there);

// The same, ending with an edge for which `there`.
std::optional<std::vector<EdgeId>> walk_along(const Graph& graph, Node start, const MayWalk& may,
                                              const std::function<bool(Node, EdgeId)>& there);

}  // namespace fixpoint::verify
