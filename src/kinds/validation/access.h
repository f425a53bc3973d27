// SPDX-License-Identifier: Apache-2.0
//
// Validation of RBAC's kinds, leases and events.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kinds {

kube::FieldErrors validate_role(json::View object);
kube::FieldErrors validate_cluster_role(json::View object);
kube::FieldErrors validate_role_binding(json::View object);
kube::FieldErrors validate_role_binding_update(json::View object, json::View old_object);
kube::FieldErrors validate_cluster_role_binding(json::View object);
kube::FieldErrors validate_cluster_role_binding_update(json::View object, json::View old_object);
kube::FieldErrors validate_lease(json::View object);
kube::FieldErrors validate_lease_update(json::View object, json::View old_object);
// Core events are judged mildly; those of events.k8s.io strictly.
kube::FieldErrors validate_core_event(json::View object);
kube::FieldErrors validate_core_event_update(json::View object, json::View old_object);
kube::FieldErrors validate_event(json::View object);
kube::FieldErrors validate_event_update(json::View object, json::View old_object);

}  // namespace fixpoint::kinds
