// SPDX-License-Identifier: Apache-2.0
//
// What admission fills into pods and claims: priority, the two default tolerations, the default
// storage class.
#pragma once

#include "apiserver/admission.h"

namespace fixpoint::apiserver {

// 403 when the pod names a priority class that does not exist.
kube::Answer<void> set_priority(const AdmissionCall& call, const store::Snapshot& snapshot,
                                json::Draft& pod);
// A pod stays five minutes on a node that is not ready or unreachable, unless it says otherwise.
void add_default_tolerations(json::Draft& pod);
// The storage class marked as the default one, for claims that name none.
void set_default_storage_class(const store::Snapshot& snapshot, json::Draft& claim);

}  // namespace fixpoint::apiserver
