// SPDX-License-Identifier: Apache-2.0
//
// LimitRange at admission: default requests and limits of containers, and the bounds they, their
// pods and claims must keep.
#pragma once

#include "apiserver/admission.h"

namespace fixpoint::apiserver {

kube::Answer<void> apply_limit_range_defaults(const AdmissionCall& call,
                                              const store::Snapshot& snapshot, json::Draft& object,
                                              json::View old_object);
kube::Answer<void> check_limit_ranges(const AdmissionCall& call, const store::Snapshot& snapshot,
                                      json::View object, json::View old_object);

}  // namespace fixpoint::apiserver
