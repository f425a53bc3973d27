// SPDX-License-Identifier: Apache-2.0
//
// Annotations by which pods were told things before there were fields for them, and the one that
// says what it costs to end a pod.
#pragma once

#include "kinds/validate_fields.h"

namespace fixpoint::kinds {

// Of a pod or a template; `path` is that of the annotations. A wrong cost may stay that was in
// `old_annotations`.
void validate_pod_annotations(View annotations, View old_annotations, View spec,
                              const FieldPath& path, FieldErrors& errors);
// What may not change in those of a pod.
void validate_pod_annotations_update(View annotations, View old_annotations, const FieldPath& path,
                                     FieldErrors& errors);

}  // namespace fixpoint::kinds
