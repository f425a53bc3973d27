// SPDX-License-Identifier: Apache-2.0
//
// What other controllers keep here: signing requests, controller revisions, API services.
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"
#include "kinds/validate_fields.h"

namespace fixpoint::kinds {

FieldErrors validate_signing_request(View object);
FieldErrors validate_signing_request_update(View object, View old_object);
// What was asked for cannot be changed, only approved or denied. Who asks is the server's to fill
// in.
void prepare_signing_request(json::Draft& object, View old_object, const HookContext& context);

FieldErrors validate_controller_revision(View object);
FieldErrors validate_controller_revision_update(View object, View old_object);

void set_defaults_api_service(json::Draft& object);
FieldErrors validate_api_service(View object);
FieldErrors validate_api_service_update(View object, View old_object);

}  // namespace fixpoint::kinds
