// SPDX-License-Identifier: Apache-2.0
//
// Validation of Ingress, IngressClass and NetworkPolicy.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_ingress(View object);
FieldErrors validate_ingress_update(View object, View old_object);
FieldErrors validate_ingress_class(View object);
FieldErrors validate_ingress_class_update(View object, View old_object);
FieldErrors validate_network_policy(View object);
FieldErrors validate_network_policy_update(View object, View old_object);

}  // namespace fixpoint::kinds
