// SPDX-License-Identifier: Apache-2.0
//
// Validation of ConfigMap, Secret and Namespace.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kinds {

// Keys and values of one ConfigMap or Secret together.
inline constexpr std::size_t kConfigBytesMax = std::size_t{1} << 20U;

kube::FieldErrors validate_config_map(json::View object);
kube::FieldErrors validate_config_map_update(json::View object, json::View old_object);
kube::FieldErrors validate_secret(json::View object);
kube::FieldErrors validate_secret_update(json::View object, json::View old_object);
kube::FieldErrors validate_namespace(json::View object);
kube::FieldErrors validate_namespace_update(json::View object, json::View old_object);
kube::FieldErrors validate_namespace_finalize(json::View object, json::View old_object);
kube::FieldErrors validate_namespace_status_update(json::View object, json::View old_object);

}  // namespace fixpoint::kinds
