// SPDX-License-Identifier: Apache-2.0
//
// LimitRange at admission: default requests and limits of containers, and the bounds that they,
// their pods and claims must keep.
#pragma once

#include "apiserver/admission/admission.h"

namespace fixpoint::apiserver {

// Fills what the containers of a new pod leave open and says so in the annotation
// kubernetes.io/limit-ranger.
void set_limit_range_defaults(const AdmissionCall& call, const store::Snapshot& snapshot,
                              json::Draft& object);
// 403 with every bound that is broken, of the first limit range that is.
kube::Answer<void> check_limit_ranges(const AdmissionCall& call, const store::Snapshot& snapshot,
                                      json::View object, json::View old_object);

}  // namespace fixpoint::apiserver
