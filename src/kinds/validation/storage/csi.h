// SPDX-License-Identifier: Apache-2.0
//
// Validation of what storage drivers say about themselves and their volumes.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_csi_driver(View object);
FieldErrors validate_csi_driver_update(View object, View old_object);
FieldErrors validate_csi_node(View object);
FieldErrors validate_csi_node_update(View object, View old_object);
FieldErrors validate_storage_capacity(View object);
FieldErrors validate_storage_capacity_update(View object, View old_object);
FieldErrors validate_volume_attachment(View object);
FieldErrors validate_volume_attachment_update(View object, View old_object);
FieldErrors validate_attributes_class(View object);
FieldErrors validate_attributes_class_update(View object, View old_object);

// A driver's name, in any letter case.
void check_driver_name(View name, const FieldPath& path, FieldErrors& errors);
// Who provisions, and with which parameters.
void check_provisioner(View name, const FieldPath& path, FieldErrors& errors);
void check_parameters(View parameters, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
