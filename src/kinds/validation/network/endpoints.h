// SPDX-License-Identifier: Apache-2.0
//
// Validation of where a service's traffic ends: Endpoints and EndpointSlice.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_endpoints(View object);
FieldErrors validate_endpoints_update(View object, View old_object);
FieldErrors validate_endpoint_slice(View object);
FieldErrors validate_endpoint_slice_update(View object, View old_object);

// An address that another host can reach: not the machine itself, not the link.
void check_reachable(View value, const FieldPath& path, FieldErrors& errors);

// Takes back what was said against loopback addresses. The pods of this machine have no others, and
// whoever waits for a Service's endpoints would wait for ever.
void allow_loopback(FieldErrors& errors);

}  // namespace fixpoint::kinds
