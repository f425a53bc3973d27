// SPDX-License-Identifier: Apache-2.0
//
// Validation of Service, Endpoints and EndpointSlice.
#pragma once

#include "kinds/validate_fields.h"

namespace fixpoint::kinds {

FieldErrors validate_service(View object);
FieldErrors validate_service_status_update(View object, View old_object);
FieldErrors validate_ingress_status_update(View object, View old_object);
FieldErrors validate_service_update(View object, View old_object);
FieldErrors validate_endpoints(View object);
FieldErrors validate_endpoints_update(View object, View old_object);
FieldErrors validate_endpoint_slice(View object);
FieldErrors validate_endpoint_slice_update(View object, View old_object);

}  // namespace fixpoint::kinds
