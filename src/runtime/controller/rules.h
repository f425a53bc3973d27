// SPDX-License-Identifier: Apache-2.0
//
// Rules: the twelve rules of the design that the runtime enforces, and a switch for each.
//
// All are on in every program that ships. Turning one off is for tests and for the verifier, whose
// mutants must be caught: a rule that nobody misses when it is gone is not a rule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fixpoint::runtime {

enum class Rule : std::uint8_t {
  FinalizerFirst,      //  1 the finalizer is on before the first child
  FinalizerUntilGone,  //  1 and comes off only after every owned thing was seen gone by a live read
  DeletionWins,        //  2 once the object is being deleted only cleanup runs
  OnePassPerKey,       //  2 one pass at a time for each key
  FencedByLease,       //  2 nothing is written without the lease
  InvalidCreatesNothing,  //  3 an invalid spec is reported whole and acted upon not at all
  BoundToSnapshot,   //  4 steps and status are bound to the uid and version the pass began with
  NoAdoption,        //  5 namesakes that are not ours are never written, adopted or deleted
  DeleteByUid,       //  6 deletes carry a uid precondition
  LiveBeforeDelete,  //  6 and follow a live read
  ReadOwnWrites,     //  7 reads after own writes see them
  NeverBackInTime,   //  7 a server that answers from the past is not acted upon
  StatusFromFacts,   //  8 the status says what was observed in this pass
  QuietFixpoint,     //  8 no write when nothing changed
  BoundedSteps,      //  9 a plan is bounded, waiting is a requeue
  ErrorClasses,      // 10 the class of an error decides about the retry
  IsolatedBranches,  // 11 a failed branch does not block the others
  EditWarGuard,      // 12 an object others keep changing back is paused
};

inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::EditWarGuard) + 1;

// A set of switched-off rules; empty in everything that ships.
class Rules {
 public:
  static Rules all() { return {}; }
  static Rules without(Rule rule) {
    Rules rules;
    rules.off_ = 1U << static_cast<unsigned>(rule);
    return rules;
  }
  bool on(Rule rule) const { return (off_ >> static_cast<unsigned>(rule) & 1U) == 0; }

 private:
  std::uint32_t off_ = 0;
};

}  // namespace fixpoint::runtime
