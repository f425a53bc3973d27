// SPDX-License-Identifier: Apache-2.0
//
// Validation of Service, and of what a load balancer reports in a status.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_service(View object);
FieldErrors validate_service_update(View object, View old_object);
FieldErrors validate_service_status_update(View object, View old_object);
FieldErrors validate_ingress_status_update(View object, View old_object);

// Of a service's spec: it has endpoints but no address.
bool is_headless(View spec);
// That addresses, families and policy fit together. Asked before addresses are handed out and again
// with everything else.
void check_service_addresses(View spec, FieldErrors& errors);
// A service with addresses keeps the first; it may gain a second one, and lose it again.
void check_address_change(View spec, View old_spec, FieldErrors& errors);
void check_family_change(View spec, View old_spec, FieldErrors& errors);

}  // namespace fixpoint::kinds
