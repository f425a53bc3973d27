// SPDX-License-Identifier: Apache-2.0
//
// Drift: what somebody else did to our fields, with its fingerprints and in words.
#pragma once

#include "json/value.h"
#include "runtime/guard/baseline.h"
#include "runtime/guard/entry.h"
#include "runtime/guard/ledger.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

struct GuardDrift {
  Actor actor;
  std::vector<std::string> paths;  // ".spec.replicas", "<deleted>"
  std::vector<std::string> shown;  // ".spec.replicas: ours 3, theirs 5"; values of Secrets hidden
  Fingerprint print;
  std::string version;  // of what is counted, so that it is counted once
};

// Empty paths: our fields are as our last write left them.
GuardDrift drift_between(const Baseline& baseline, json::View live, json::View desired,
                         const ManagedKey& key, std::string_view ourselves);
// It is gone, or another object has its name.
GuardDrift deleted_drift(json::View live, std::string_view own_version);

std::string contested_note(const ManagedKey& key, const GuardDrift& drift, const Ledger& ledger);
std::string paused_note(const ManagedKey& key, const GuardDrift& drift, const GuardHit& hit,
                        const Pause& pause, const GuardNames& names);
// "kubectl annotate configmap web -n default fixpoint.dev/reconcile-paused-"
std::string resume_command(const ManagedKey& key, const GuardNames& names);

}  // namespace fixpoint::runtime
