// SPDX-License-Identifier: Apache-2.0
//
// Validation of resource.k8s.io: DeviceClass, ResourceClaim and its template, ResourceSlice.
//
// Selectors are CEL, which is stored and not compiled.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_device_class(View object);
FieldErrors validate_device_class_update(View object, View old_object);
FieldErrors validate_resource_claim(View object);
FieldErrors validate_resource_claim_update(View object, View old_object);
FieldErrors validate_resource_claim_status_update(View object, View old_object);
FieldErrors validate_resource_claim_template(View object);
FieldErrors validate_resource_claim_template_update(View object, View old_object);
FieldErrors validate_resource_slice(View object);
FieldErrors validate_resource_slice_update(View object, View old_object);

}  // namespace fixpoint::kinds
