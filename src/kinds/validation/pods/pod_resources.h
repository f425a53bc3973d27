// SPDX-License-Identifier: Apache-2.0
//
// What a pod as a whole may ask for: its own requests and limits, which its containers must fit
// into, and the device claims that it and its containers name.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

// spec.resourceClaims, the claims a pod has.
void validate_pod_claims(View claims, const FieldPath& path, FieldErrors& errors);
// The claims that one container, or the pod, uses; `pod_claims` are spec.resourceClaims.
void validate_claim_names(View used, View pod_claims, const FieldPath& path, FieldErrors& errors);
// spec.resources.
void validate_pod_resources(View spec, const FieldPath& spec_path, FieldErrors& errors);

}  // namespace fixpoint::kinds
