// SPDX-License-Identifier: Apache-2.0
//
// Validation of claims, volumes and storage classes. CSI kinds are in csi.h.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_persistent_volume_claim(View object);
FieldErrors validate_persistent_volume_claim_update(View object, View old_object);
FieldErrors validate_persistent_volume(View object);
FieldErrors validate_persistent_volume_update(View object, View old_object);
FieldErrors validate_storage_class(View object);
FieldErrors validate_storage_class_update(View object, View old_object);
FieldErrors validate_persistent_volume_claim_status_update(View object, View old_object);

// What a claim asks for, also in the template of a StatefulSet.
void check_claim_spec(View spec, const FieldPath& path, FieldErrors& errors);
// A volume described in place, in a VolumeAttachment.
void check_inline_volume(View spec, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
