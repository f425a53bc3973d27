// SPDX-License-Identifier: Apache-2.0
//
// Liveness: looks for runs that go on for ever and break a property, in a complete graph.
//
// A run may also do nothing for ever. It is fair when no fair actor can act from some moment on
// without interruption and yet never does. Weak fairness has a handy shape: a set of states that a
// run visits for ever is fair to an actor if one of its own transitions is among them, or if it
// cannot act in one of the states. Both only get easier in larger sets, so it is enough to look at
// whole components. What an actor may choose between is not part of fairness: who acts in a circle
// has acted.
#pragma once

#include "verify/liveness/graph.h"

#include <cstdint>
#include <optional>

namespace fixpoint::verify {

// The loop that breaks a property, and how a run gets there.
struct BadRun {
  // All states of the loop.
  Scope scope;
  // One of the loop's states is not in here, if given: (bits & mask) != value.
  std::optional<Scope> not_always = std::nullopt;
  // One of the loop's transitions has one of these marks, if any.
  std::uint8_t marks = 0;
  // Before the loop there is a state in here, and after it only states of the loop's scope.
  std::optional<Scope> after = std::nullopt;
};

// A run with a shortest stem and a short loop; nothing when there is no such run that is fair to
// the actors of `fair`.
std::optional<Path> find_fair_run(const Graph& graph, const BadRun& bad, std::uint64_t fair);

// The most work on any path that stays in scope.
struct MostWork {
  bool bounded = true;
  std::uint64_t rounds = 0;
  std::uint64_t writes = 0;
  // A path that exceeds the limit, if one does; with a loop when there is no bound at all.
  std::optional<Path> beyond = std::nullopt;
};
MostWork most_work(const Graph& graph, Scope scope, std::size_t property, WorkLimit limit);

}  // namespace fixpoint::verify
