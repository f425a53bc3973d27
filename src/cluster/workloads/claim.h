// SPDX-License-Identifier: Apache-2.0
//
// Claim: which children an owner goes on with. Those it controls and still selects, and orphans it
// selects, which it adopts; what it controls and no longer selects, it lets go.
#pragma once

#include "cluster/decision.h"
#include "kube/meta/gvk.h"
#include "store/store.h"

#include <functional>
#include <vector>

namespace fixpoint::cluster {

struct Claim {
  std::vector<store::RecordRef> children;  // as they were read: an adopted one still without owner
  std::vector<Effect> effects;             // adoptions and releases
};

// `candidates` are what the owner controls and the orphans of its namespace. An owner that is being
// deleted neither adopts nor releases.
Claim claim(json::View owner, const kube::GroupVersionResource& resource,
            const std::vector<store::RecordRef>& candidates,
            const std::function<bool(json::View)>& selects);

}  // namespace fixpoint::cluster
