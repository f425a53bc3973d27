// SPDX-License-Identifier: Apache-2.0
//
// Validation of claims, volumes, storage classes and CSI drivers.
#pragma once

#include "kinds/validate_fields.h"

namespace fixpoint::kinds {

FieldErrors validate_persistent_volume_claim(View object);
FieldErrors validate_persistent_volume_claim_update(View object, View old_object);
FieldErrors validate_persistent_volume(View object);
FieldErrors validate_persistent_volume_update(View object, View old_object);
FieldErrors validate_storage_class(View object);
FieldErrors validate_storage_class_update(View object, View old_object);
FieldErrors validate_csi_driver(View object);
FieldErrors validate_csi_driver_update(View object, View old_object);

}  // namespace fixpoint::kinds
