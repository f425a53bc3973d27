// SPDX-License-Identifier: Apache-2.0
//
// Validation of LimitRange and ResourceQuota.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kinds {

kube::FieldErrors validate_limit_range(json::View object);
kube::FieldErrors validate_limit_range_update(json::View object, json::View old_object);
kube::FieldErrors validate_resource_quota(json::View object);
kube::FieldErrors validate_resource_quota_update(json::View object, json::View old_object);
kube::FieldErrors validate_resource_quota_status_update(json::View object, json::View old_object);

}  // namespace fixpoint::kinds
