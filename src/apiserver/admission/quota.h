// SPDX-License-Identifier: Apache-2.0
//
// ResourceQuota at admission: what a write would use is charged to the namespace's quotas, or the
// write is refused with 403 "exceeded quota: …".
//
// Charged is what status.used says, not what the store holds: that is Kubernetes' order of things,
// and why a deletion frees quota only after the quota controller's recount.
#pragma once

#include "apiserver/admission/admission.h"

namespace fixpoint::apiserver {

// Every quota is asked before any is charged. A charge is a write of the quota's status, by the
// manager kube-apiserver; a dry run only asks.
kube::Answer<void> charge_quota(const AdmissionCall& call, store::Store& store, json::View object,
                                json::View old_object);

}  // namespace fixpoint::apiserver
