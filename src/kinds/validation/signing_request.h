// SPDX-License-Identifier: Apache-2.0
//
// CertificateSigningRequest: what was asked for cannot be changed, only approved, denied and
// signed, and each of these through its own door. Who asks is the server's to fill in.
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"
#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

void prepare_signing_request(json::Draft& object, View old_object, const HookContext& context);
void prepare_signing_request_status(json::Draft& object, View old_object,
                                    const HookContext& context);
void prepare_signing_request_approval(json::Draft& object, View old_object,
                                      const HookContext& context);

FieldErrors validate_signing_request(View object);
FieldErrors validate_signing_request_update(View object, View old_object);
FieldErrors validate_signing_request_status_update(View object, View old_object);
FieldErrors validate_signing_request_approval_update(View object, View old_object);

// Whether the request asks for a certificate of the group that may do everything.
bool asks_for_masters(View signing_request);

}  // namespace fixpoint::kinds
