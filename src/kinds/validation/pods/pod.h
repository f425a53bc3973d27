// SPDX-License-Identifier: Apache-2.0
//
// Validation of pods and pod templates.
#pragma once

#include "kinds/validation/fields.h"

#include <cstdint>

namespace fixpoint::kinds {

FieldErrors validate_pod(View pod);
FieldErrors validate_pod_update(View pod, View old_pod);
FieldErrors validate_pod_status_update(View pod, View old_pod);
FieldErrors validate_pod_ephemeral_update(View pod, View old_pod);
FieldErrors validate_pod_resize(View pod, View old_pod);

enum class PodPlace : std::uint8_t { Pod, Template };
void validate_pod_spec(View spec, PodPlace place, const FieldPath& path, FieldErrors& errors);
// Annotations and spec of a pod itself, of which more is asked than of a template. `old_pod` is
// null for a new one.
void validate_whole_pod(View pod, View old_pod, FieldErrors& errors);
void validate_tolerations(View tolerations, const FieldPath& path, FieldErrors& errors);
// spec.template of a workload: labels, annotations and the spec.
void validate_template(View pod_template, const FieldPath& path, FieldErrors& errors);
FieldErrors validate_pod_template(View object);
FieldErrors validate_pod_template_update(View object, View old_object);

}  // namespace fixpoint::kinds
