// SPDX-License-Identifier: Apache-2.0
//
// What other controllers keep here: controller revisions, API services.
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"
#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_controller_revision(View object);
FieldErrors validate_controller_revision_update(View object, View old_object);

void set_defaults_api_service(json::Draft& object);
FieldErrors validate_api_service(View object);
FieldErrors validate_api_service_update(View object, View old_object);

}  // namespace fixpoint::kinds
