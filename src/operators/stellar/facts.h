// SPDX-License-Identifier: Apache-2.0
//
// Facts: all that decide() and conclude() know about a node, gathered by observe() in one pass.
#pragma once

#include "base/clock.h"
#include "kube/meta/gvk.h"
#include "kube/scalars/quantity.h"
#include "operators/stellar/children/names.h"
#include "operators/stellar/health/health.h"
#include "operators/stellar/phase.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

// On the StellarNode: what must survive the operator about restarts because of a stall.
inline constexpr std::string_view kLastRemediationAnnotation = "stellar.org/last-remediation-time";
inline constexpr std::string_view kRemediationLevelAnnotation = "stellar.org/remediation-level";

// On a StellarNode that is being deleted: "Kind/name, …" of objects whose deletion is refused and
// which a person gives up.
inline constexpr std::string_view kLeaveBehindAnnotation = "stellar.org/leave-behind";

struct WorkloadFacts {
  bool exists = false;
  // What was asked last is what runs: every pod is of the newest template and ready.
  bool settled = false;
  std::int32_t wanted = 0;
  std::int32_t pods = 0;
  std::int32_t ready = 0;
  std::string pods_refused;  // why pods cannot be made; empty: they can
  std::string version;       // of the spec that it was made from
  std::string pods_trouble;  // why a pod does not get ready, as its kubelet or scheduler says
};

// The Deployment of a version on trial (canary.h).
struct CanaryFacts {
  bool exists = false;
  kube::Uid uid;
  std::string version;
  std::int32_t weight = 0;
  std::int32_t passed = 0;
  std::optional<Instant> since;
  bool settled = false;
  std::int32_t ready = 0;
  double failing = 0;        // share of its pods that are not well; 1 when none can be asked
  bool catching_up = false;  // nothing worse is wrong with any of them
  std::string problem;
};

struct ClaimFacts {
  bool exists = false;
  bool owned = false;  // carries the node's reference: goes with it
  kube::Uid uid;
  std::optional<kube::Quantity> requested{};
  std::string storage_class;  // empty: none, or the cluster's choice
  std::string kept_for;       // as its stamp says; empty: it has none
};

// Of the history archives of a node that runs, looked at now and then.
struct ArchiveFacts {
  bool asked = false;
  bool readable = false;            // one of them at least
  std::string problem;              // of one that is not
  std::optional<std::int64_t> lag;  // of the latest that is
  std::string late;                 // its URL, when it does not keep up
};

struct OwnedObject {
  const ChildKind* kind = nullptr;
  kube::Key key;
  kube::Uid uid;
};

// What the status said before: for what is told only when it changes, and for how long.
struct Published {
  Phase phase = Phase::Pending;
  std::string message{};
  std::vector<std::string> true_conditions{};
  std::optional<Instant> silent_since{};  // Available is Unknown since

  bool says(std::string_view condition) const;
};

struct Facts {
  Published published;
  bool deleting = false;

  std::string passphrase;                      // of the network; empty: not known
  std::vector<std::string> missing_secrets{};  // "Secret seed" or "entry KEY of Secret seed"
  std::string secrets_stamp;
  std::string seed_version;
  std::string passphrase_version;

  std::string restarted_at;
  std::int32_t remediation_level = 0;

  // The node of another network to which the namespace belongs; empty: it is this one's too.
  std::string other_network;

  WorkloadFacts workload;
  CanaryFacts canary;
  std::string rolled_back;  // the version whose trial failed
  ClaimFacts claim;
  std::vector<OwnedObject> owned{};            // everything with the node's uid
  std::vector<std::string> leave_behind{};     // "Kind/name" of what a person gave up
  std::vector<const ChildKind*> not_served{};  // optional kinds that this cluster does not have

  std::optional<Health> archive{};  // the best of them; asked only before the first pod
  ArchiveFacts archives;            // of a node that is in sync
  std::optional<Health> health{};   // of the best pod; nothing when no pod can be asked

  bool serves(const ChildKind& kind) const;
  bool leaves_behind(const OwnedObject& object) const;
};

}  // namespace fixpoint::operators::stellar
