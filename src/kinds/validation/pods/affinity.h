// SPDX-License-Identifier: Apache-2.0
//
// Validation of where a pod wants to run and as whom: affinity and the pod's security context.
#pragma once

#include "kinds/validation/fields.h"

#include <string_view>

namespace fixpoint::kinds {

// What a pod insists on and what it would like, in each part of its affinity.
inline constexpr std::string_view kRequiredAffinity =
    "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view kPreferredAffinity =
    "preferredDuringSchedulingIgnoredDuringExecution";

// Nodes that a pod or a volume may be on.
void validate_node_selector(View selector, const FieldPath& path, FieldErrors& errors);
void validate_affinity(View affinity, const FieldPath& path, FieldErrors& errors);
// The pod's own, of its whole spec.
void validate_pod_security_context(View spec, const FieldPath& path, FieldErrors& errors);
void validate_security_context(View context, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
