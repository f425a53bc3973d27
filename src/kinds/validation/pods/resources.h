// SPDX-License-Identifier: Apache-2.0
//
// Validation of what a container asks for and may use.
#pragma once

#include "kinds/validation/fields.h"

#include <cstdint>

namespace fixpoint::kinds {

// limits and requests.
enum class ResourcesOf : std::uint8_t { Container, Pod };
void validate_resource_requirements(View resources, ResourcesOf of, const FieldPath& path,
                                    FieldErrors& errors);
// Only limits, as if they were a member of what is at `path`.
void validate_resource_limits(View limits, const FieldPath& path, FieldErrors& errors);
// Whether a container is started again when it gets more or less; `pod_restarts` is its pod's
// restartPolicy.
void validate_resize_policies(View policies, std::string_view pod_restarts, const FieldPath& path,
                              FieldErrors& errors);

}  // namespace fixpoint::kinds
