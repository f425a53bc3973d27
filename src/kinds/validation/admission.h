// SPDX-License-Identifier: Apache-2.0
//
// Validation of webhook configurations and admission policies. CEL expressions are not compiled.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_validating_webhooks(View object);
FieldErrors validate_validating_webhooks_update(View object, View old_object);
FieldErrors validate_mutating_webhooks(View object);
FieldErrors validate_mutating_webhooks_update(View object, View old_object);
FieldErrors validate_admission_policy(View object);
FieldErrors validate_admission_policy_update(View object, View old_object);
FieldErrors validate_admission_policy_binding(View object);
FieldErrors validate_admission_policy_binding_update(View object, View old_object);

}  // namespace fixpoint::kinds
