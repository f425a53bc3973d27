// SPDX-License-Identifier: Apache-2.0
//
// Validation of a pod's volumes, and of the references into config maps, secrets and the pod itself
// that volumes and environment variables share.
#pragma once

#include "kinds/validation/fields.h"

#include <map>
#include <string>

namespace fixpoint::kinds {

// The volumes without fault, by name: mounts may use those.
using Volumes = std::map<std::string, View, std::less<>>;

Volumes validate_volumes(View volumes, const FieldPath& path, FieldErrors& errors);

enum class FieldUse : std::uint8_t { Variable, Volume };
// A fieldRef; environment variables may see more of the pod than volumes.
void validate_field_ref(View reference, FieldUse use, const FieldPath& path, FieldErrors& errors);
void validate_resource_field_ref(View reference, FieldUse use, const FieldPath& path,
                                 FieldErrors& errors);
// Sources that persistent volumes have too.
void check_host_path(View source, const FieldPath& path, FieldErrors& errors);
void check_local(View source, const FieldPath& path, FieldErrors& errors);
void check_nfs(View source, const FieldPath& path, FieldErrors& errors);
// Relative and without '..'.
void check_descending_path(View value, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
