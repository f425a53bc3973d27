// SPDX-License-Identifier: Apache-2.0
//
// decide() and cleanup(): from facts to an ordered plan. Pure.
//
// Branches run in the order of the plan. What others need comes first and is named in their
// `after`: configuration, services, claim and policy before the workload, the workload before the
// mesh's policies. An optional part that fails holds up nothing but itself.
#pragma once

#include "base/clock.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/facts.h"
#include "runtime/plan.h"

#include <chrono>
#include <string_view>

namespace fixpoint::operators::stellar {

// Branches that conclude() asks about by name.
namespace branches {
inline constexpr std::string_view kBlocked = "blocked";
inline constexpr std::string_view kArchive = "archive";
inline constexpr std::string_view kClaim = "claim";
inline constexpr std::string_view kWorkload = "workload";
inline constexpr std::string_view kMesh = "mesh";
inline constexpr std::string_view kHealth = "health";
inline constexpr std::string_view kRemediation = "remediation";
inline constexpr std::string_view kNews = "news";
inline constexpr std::string_view kCanary = "canary";
}  // namespace branches

// Reasons of waits that conclude() asks about.
inline constexpr std::string_view kWithinGrace = "WithinGrace";
inline constexpr std::string_view kNotOurs =
    "OwnershipConflict";  // as the runtime says of namesakes
inline constexpr std::string_view kCanaryRolledBack = "CanaryRolledBack";

// A node that does not answer keeps its phase for so long.
inline constexpr Duration kSilenceGrace = std::chrono::minutes(2);
// A ledger that is older is not late any more: the pods are restarted, so often, so far apart.
inline constexpr Duration kStalledAfter = std::chrono::minutes(15);
inline constexpr Duration kRemediationPause = std::chrono::minutes(10);
inline constexpr std::int32_t kRemediationsMax = 2;
// Nothing tells of a ledger or an archive: they are looked at again.
inline constexpr Duration kLookAgainWell = std::chrono::seconds(60);
inline constexpr Duration kLookAgainSoon = std::chrono::seconds(15);

Surroundings surroundings_of(const Facts& facts);

runtime::Plan decide(const Node& node, const Facts& facts, Instant now);
runtime::Plan cleanup(const Node& node, const Facts& facts);

}  // namespace fixpoint::operators::stellar
