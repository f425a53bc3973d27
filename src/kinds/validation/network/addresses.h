// SPDX-License-Identifier: Apache-2.0
//
// IPAddress and ServiceCIDR: the addresses that services use, and where they come from.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_ip_address(View object);
FieldErrors validate_ip_address_update(View object, View old_object);
FieldErrors validate_service_cidr(View object);
FieldErrors validate_service_cidr_update(View object, View old_object);

}  // namespace fixpoint::kinds
