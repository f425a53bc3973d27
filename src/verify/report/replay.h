// SPDX-License-Identifier: Apache-2.0
//
// Replay: a counterexample as a file. It says what was explored and which actions were taken, by
// their place in the list of each state; the fingerprints show that it is still the same story.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "verify/explorer/exploration.h"
#include "verify/report/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::verify {

struct Replay {
  struct Step {
    std::uint32_t action_index = 0;
    Hash128 fingerprint;
  };

  std::string subject;
  std::string scenario;
  Parameters parameters;
  std::string property;
  PropertyKind kind = PropertyKind::Always;
  std::string detail;
  std::uint32_t initial_index = 0;
  Hash128 initial;
  std::vector<Step> steps;
  std::optional<std::size_t> loop_from;

  bool operator==(const Replay& other) const { return to_text() == other.to_text(); }
  std::string to_text() const;
  static Result<Replay> parse(std::string_view text);
};

// The verdict must have a trace.
Replay replay_of(const Report& report, const Verdict& verdict);

// The error of a file whose step no longer leads where it led; 0: the initial state.
std::unexpected<Error> replay_differs(std::size_t step);

}  // namespace fixpoint::verify
