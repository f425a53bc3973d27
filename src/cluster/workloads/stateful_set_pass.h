// SPDX-License-Identifier: Apache-2.0
//
// The parts of a StatefulSet's decision. Nothing here is for others: stateful_set.h is the door.
#pragma once

#include "cluster/workloads/controller_revision.h"
#include "cluster/workloads/stateful_set.h"
#include "json/draft.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

inline constexpr std::string_view kClaimPrefix = "persistentvolumeclaims/";
inline constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

// "web-3" of set "web" is 3; nothing for the pods of others.
std::optional<std::int64_t> ordinal_in(std::string_view set, std::string_view pod);
std::string pod_name(json::View set, std::int64_t ordinal);
std::string claim_name(json::View set, json::View claim_template, std::int64_t ordinal);
std::int64_t first_ordinal(json::View set);
std::int64_t replicas_of(json::View set);
bool in_range(json::View set, std::int64_t ordinal);

// stateful_set_pods.cc: a pod for a place, of one revision.
json::Value new_pod(json::View set, json::View pod_template, std::string_view revision,
                    std::int64_t ordinal);
bool identity_matches(json::View set, json::View pod);
bool storage_matches(json::View set, json::View pod, std::int64_t ordinal);
// The pod with its name label, index and claims as they should be.
json::Value corrected_pod(json::View set, json::View pod, std::int64_t ordinal);

// stateful_set_claims.cc. A pod as its claims see it: not yet made, it has no uid.
struct Place {
  std::int64_t ordinal = 0;
  std::string_view pod_uid;
};
// What may be wrong with the claims of a place that is to get a pod.
enum class ClaimTrouble : std::uint8_t { None, Stale, Leaving };
ClaimTrouble trouble_with_claims(const StatefulSetFacts& facts, std::int64_t ordinal,
                                 std::string& leaving);
// Makes the claims that are missing.
void make_claims(const StatefulSetFacts& facts, std::int64_t ordinal, Decision& decision);
// Whether the claims' owners are those of the retention policy; and what makes them so.
bool claims_match_policy(const StatefulSetFacts& facts, const Place& place);
void apply_policy(const StatefulSetFacts& facts, const Place& place, Decision& decision);

// "Successful…" or "Failed…" of a deed on a pod, in the words of the real controller.
Notice pod_notice(json::View set, std::string_view verb, std::string_view pod);
Notice failed_pod_notice(json::View set, std::string_view verb, std::string_view pod,
                         std::string_view why);

}  // namespace fixpoint::cluster
