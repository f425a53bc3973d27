// SPDX-License-Identifier: Apache-2.0
//
// The canary: a new version on trial beside the old one, on a share of the pods.
//
// While it runs, the Deployment of the old version is left as it is, and one beside it
// (`<name>-canary`) has the new version. How far the trial is stands on that Deployment, what came
// of a failed one on the StellarNode: an operator that starts anew goes on where the last one was.
// A trial ends when the old Deployment gets the new version, which is the promotion, or when the
// new one goes away.
#pragma once

#include "base/clock.h"
#include "operators/stellar/facts.h"

#include <cstdint>
#include <string>

namespace fixpoint::operators::stellar {

// On the StellarNode: the version whose trial failed.
inline constexpr std::string_view kRolledBackAnnotation = "stellar.org/canary-rolled-back";

enum class Trial : std::uint8_t {
  None,
  Running,
  Passed,      // now: the old Deployment gets the new version
  Failed,      // now
  RolledBack,  // earlier: a person must choose another version
};

struct TrialState {
  Trial trial = Trial::None;
  std::int32_t weight = 0;  // percent of the pods
  std::int32_t passed = 0;  // good checks in a row at this weight
  Instant since{};          // of the last check, or of the beginning
  std::string why;          // of Failed
};

// What this pass makes of it.
TrialState trial_of(const Node& node, const Facts& facts, Instant now);

// Pods of the canary beside so many of the old version.
std::int32_t canary_pods(std::int32_t beside, std::int32_t weight);

}  // namespace fixpoint::operators::stellar
