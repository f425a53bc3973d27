// SPDX-License-Identifier: Apache-2.0
//
// Who may use which name: the NamesAccepted and Established conditions of a CRD.
//
// Within one group a plural, singular or short name belongs to the first CRD that asked, and so
// does a kind or list kind. A CRD that comes too late is stored but not served until the name is
// free.
#pragma once

#include "base/clock.h"
#include "json/draft.h"
#include "json/value.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// The accepted names of all CRDs of one group, the one under consideration included.
struct NamesInUse {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> kinds;

  void add(json::View crd);
};

// Grants what is free: status.acceptedNames, NamesAccepted, and Established while it is not yet
// true. False when nothing changed.
bool consider_names(json::Draft& crd, const NamesInUse& used, Instant now);

// Established becomes true once the names are accepted, and never goes back. False when nothing
// changed.
bool establish(json::Draft& crd, Instant now);

struct CrdCondition {
  std::string_view type;
  std::string_view status;
  std::string reason;
  std::string message;
};
// lastTransitionTime moves only when the status does.
void set_crd_condition(json::Draft& crd, const CrdCondition& condition, Instant now);

// Groups that belong to Kubernetes' community: the condition KubernetesAPIApprovalPolicyConformant
// that the approval annotation gives. False when the group is not protected or nothing changed.
bool consider_approval(json::Draft& crd, Instant now);

}  // namespace fixpoint::kube
