// SPDX-License-Identifier: Apache-2.0
//
// Defaulting of custom resources: absent fields, and nulls that are not allowed, take the schema's
// default; defaults are filled in below defaults.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

namespace fixpoint::kube {

// Gives back the very same Value when nothing was missing.
json::Value set_defaults(const json::Value& value, const Schema& schema);

}  // namespace fixpoint::kube
