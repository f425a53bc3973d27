// SPDX-License-Identifier: Apache-2.0
//
// Answers to the properties that need the whole graph.
#pragma once

#include "verify/explorer/exploration.h"
#include "verify/liveness/graph.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fixpoint::verify {

// A property in terms of the graph. A bit of 0 stands for a predicate that always holds.
struct Question {
  std::size_t property = 0;
  PropertyKind kind = PropertyKind::LeadsTo;
  WorkLimit limit = {};
  std::uint64_t when = 0;
  std::uint64_t holds = 0;
  std::uint8_t mark = 0;
  std::size_t work = 0;
};

struct Answer {
  Outcome outcome = Outcome::Holds;
  std::string detail = {};
  std::optional<Path> path = std::nullopt;
};

// The graph must be complete. `fair` has a bit for each fair actor.
Answer judge(const Graph& graph, const Question& question, std::uint64_t fair);

}  // namespace fixpoint::verify
