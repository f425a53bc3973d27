// SPDX-License-Identifier: Apache-2.0
//
// Outcomes: what became of each step of a plan, for conclude() and for people.
//
// Every step of the plan has exactly one outcome, in plan order, also those that were not reached.
#pragma once

#include "base/error.h"
#include "client/call.h"
#include "json/value.h"
#include "runtime/plan.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

enum class StepState : std::uint8_t {
  Done,       // the cluster was changed
  Unchanged,  // it was so already: nothing was written
  Waiting,    // begun and not finished, or a WaitStep
  Failed,
  Skipped,  // an earlier step of the branch or a branch it depends on did not succeed
  Paused,   // the edit-war guard holds this object: nothing was written
};

// What to do about a failure (architecture rule 10).
enum class ErrorClass : std::uint8_t {
  None,
  Transient,  // backoff with jitter, no phase change
  Throttled,  // again at the time the other side named
  Invalid,    // the input is wrong: wait for a new generation
  Permanent,  // a person must act; the message says how
};
std::string_view to_string(ErrorClass error_class);
std::string_view to_string(StepState state);

// The reason of what a quota refused, whatever the server calls it.
inline constexpr std::string_view kQuotaExceeded = "QuotaExceeded";
// What people can do about it, after what the server says.
inline constexpr std::string_view kQuotaWayOut =
    "; raise the quota or make room, and it goes on by itself";

struct StepFailure {
  ErrorClass error_class = ErrorClass::Transient;
  std::string reason;  // CamelCase
  std::string message;
  std::optional<Duration> retry_after;
};
// The class of a refused or lost call, and of an error from outside.
StepFailure classify(const client::CallError& error);
StepFailure classify(const Error& error);

struct Outcome {
  std::string branch;
  std::size_t step = 0;  // in its branch
  std::string what;      // describe(step)
  // Whom the step is about; null where it is about no object, and where nothing was to be done.
  std::shared_ptr<const ObjectRef> object;
  StepState state = StepState::Skipped;
  ErrorClass error_class = ErrorClass::None;
  std::string reason;  // CamelCase; of failures, waits, skips and pauses
  std::string message;
  json::Value result;  // the object as the server returned it, or what the effect answered
};

// Done or Unchanged.
bool succeeded(const Outcome& outcome);

struct Outcomes {
  std::vector<Outcome> steps;

  bool all_succeeded() const;
  // The first that did not, of a branch or of all; nullptr when there is none.
  const Outcome* problem() const;
  const Outcome* problem(std::string_view branch) const;
  const Outcome* find(std::string_view branch, std::size_t step) const;
  bool wrote() const;
};

}  // namespace fixpoint::runtime
