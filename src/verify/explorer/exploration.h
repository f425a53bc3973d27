// SPDX-License-Identifier: Apache-2.0
//
// Exploration: what came out of exploring a model, as plain data, and what was asked.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "verify/model.h"
#include "verify/property.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

enum class Outcome : std::uint8_t {
  Holds,
  Violated,
  Vacuous,  // it could not have failed: its premise never came true
  Unknown,  // the exploration ended before this could be known
};

std::string_view to_string(Outcome outcome);

struct TraceStep {
  std::uint32_t action_index = 0;  // among the actions of the state before
  std::string actor;
  std::string action;
  Telling telling;
  Hash128 fingerprint;  // of the state after
};

// A way through the graph, found by executing it once more.
struct Trace {
  std::uint32_t initial_index = 0;
  Hash128 initial;
  std::string introduction;
  std::vector<TraceStep> steps;
  // For liveness: the steps from here on repeat for ever. Equal to the number of steps when from
  // then on nothing happens any more.
  std::optional<std::size_t> loop_from = std::nullopt;
};

struct Verdict {
  std::string name;
  PropertyKind kind = PropertyKind::Always;
  Outcome outcome = Outcome::Unknown;
  std::string detail = {};  // "never happened", "at most 3 rounds and 7 writes"
  std::optional<Trace> trace = std::nullopt;
};

struct ActorCount {
  Actor actor;
  std::uint64_t transitions = 0;
};

// Runs at random, where not everything was visited.
struct Walks {
  std::uint64_t done = 0;
  std::uint64_t asked = 0;
  std::uint64_t restless = 0;  // of those done; they say nothing about what happens some day
  std::uint64_t seed = 0;
};

struct Exploration {
  std::uint64_t distinct = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;  // states on the longest of the shortest paths
  // The sum of the fingerprints: two explorations with the same one saw the same states.
  std::uint64_t digest = 0;
  // Strongly connected components; only when a property needed the graph.
  std::optional<std::uint64_t> components = std::nullopt;
  std::vector<Verdict> verdicts = {};
  std::vector<ActorCount> actors = {};
  // Why the exploration did not see everything; empty when it did.
  std::string incomplete = {};
  // Then this is a sample and proves nothing.
  std::optional<Walks> walks = std::nullopt;
  // The action that had two different results when executed twice; empty when there was none. Then
  // no verdict means anything.
  std::string nondeterminism = {};
  std::uint64_t executed_twice = 0;  // transitions, to prove determinism
  std::uint64_t visited_bytes = 0;
  std::uint64_t graph_bytes = 0;
  Duration elapsed{};

  bool complete() const { return incomplete.empty(); }
};

struct Progress {
  std::uint64_t distinct = 0;
  std::uint64_t transitions = 0;
  std::uint64_t frontier = 0;
  std::uint32_t depth = 0;
  std::uint64_t bytes = 0;
  Duration elapsed{};
  std::optional<std::uint64_t> walks_left = std::nullopt;
};

struct ExploreOptions {
  unsigned workers = 1;
  std::optional<std::uint64_t> memory_bytes_max = std::nullopt;
  std::optional<Duration> time_limit = std::nullopt;
  // Ends the exploration as soon as a safety property is violated; what was not answered by then is
  // unknown.
  bool stop_at_violation = false;
  // One state in this many has all its transitions executed twice; 0: none.
  std::uint32_t execute_twice_one_in = 64;
  // Instead of visiting everything, so many runs at random; the seed decides which.
  std::optional<std::uint64_t> walks = std::nullopt;
  std::uint64_t seed = 1;
  std::function<void(const Progress&)> progress = {};  // now and then, on the calling thread
};

}  // namespace fixpoint::verify
