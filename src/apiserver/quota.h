// SPDX-License-Identifier: Apache-2.0
//
// ResourceQuota at admission: what a write would use is charged to the namespace's quotas, or the
// write is refused with 403 "exceeded quota: …".
#pragma once

#include "apiserver/admission.h"

namespace fixpoint::apiserver {

kube::Answer<void> charge_quota(const AdmissionCall& call, store::Store& store, json::View object,
                                json::View old_object);

}  // namespace fixpoint::apiserver
