// SPDX-License-Identifier: Apache-2.0
//
// The smaller parts of a CRD: names, deprecation, subresources, columns, selectable fields.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kube {

// Each at `path`; null values are fine.
FieldErrors validate_names(json::View names, const FieldPath& path);
FieldErrors validate_deprecation(json::View version, const FieldPath& path);
FieldErrors validate_subresources(json::View subresources, const FieldPath& path);
FieldErrors validate_columns(json::View columns, const FieldPath& path);
FieldErrors validate_selectable_fields(json::View fields, json::View schema, const FieldPath& path);
// Which keywords a root may have when its status is validated on its own.
FieldErrors validate_root_with_status(json::View schema, const FieldPath& path);

}  // namespace fixpoint::kube
