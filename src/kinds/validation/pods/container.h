// SPDX-License-Identifier: Apache-2.0
//
// Validation of the containers of a pod.
#pragma once

#include "kinds/validation/fields.h"
#include "kinds/validation/pods/resources.h"
#include "kinds/validation/pods/volumes.h"

namespace fixpoint::kinds {

struct ContainerContext {
  const Volumes& volumes;
  std::int64_t grace_seconds = 30;
  std::string_view restart_policy;  // of the pod
  View claims{};                    // of the pod: spec.resourceClaims
};

void validate_containers(View containers, const ContainerContext& context, const FieldPath& path,
                         FieldErrors& errors);
// Init containers share the names of `containers`.
void validate_init_containers(View init_containers, View containers,
                              const ContainerContext& context, const FieldPath& path,
                              FieldErrors& errors);
// Those of the spec that look into the others while they run: short of everything that a workload
// has.
void validate_ephemeral_containers(View spec, const ContainerContext& context,
                                   const FieldPath& path, FieldErrors& errors);
// What only a pod is asked about its containers' images, and not a template.
void check_image_spaces(View containers, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
