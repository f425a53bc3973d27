// SPDX-License-Identifier: Apache-2.0
//
// spec.conversion: None, or a webhook whose address is well formed.
#pragma once

#include "json/value.h"
#include "kube/field_error.h"

namespace fixpoint::kube {

// Paths are those of Kubernetes' internal form, which has no `webhook` level.
FieldErrors validate_conversion(json::View conversion, bool must_recognize_version,
                                const FieldPath& path);
// True for no versions at all: there is nothing to recognize yet.
bool has_recognized_review_version(json::View versions);

}  // namespace fixpoint::kube
