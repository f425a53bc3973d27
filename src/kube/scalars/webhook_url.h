// SPDX-License-Identifier: Apache-2.0
//
// The URL at which a webhook is called: taken apart and refused as Go's net/url does it, in its
// words.
#pragma once

#include "kube/errors/field_error.h"

#include <string_view>

namespace fixpoint::kube {

void validate_webhook_url(std::string_view text, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kube
