// SPDX-License-Identifier: Apache-2.0
//
// Validation of Deployment, StatefulSet, DaemonSet, ReplicaSet and ReplicationController.
#pragma once

#include "kinds/validation/fields.h"

namespace fixpoint::kinds {

FieldErrors validate_deployment(View object);
FieldErrors validate_deployment_update(View object, View old_object);
FieldErrors validate_deployment_status_update(View object, View old_object);
FieldErrors validate_replica_set_status_update(View object, View old_object);
FieldErrors validate_stateful_set_status_update(View object, View old_object);
FieldErrors validate_daemon_set_status_update(View object, View old_object);
FieldErrors validate_stateful_set(View object);
FieldErrors validate_stateful_set_update(View object, View old_object);
FieldErrors validate_daemon_set(View object);
FieldErrors validate_daemon_set_update(View object, View old_object);
FieldErrors validate_replica_set(View object);
FieldErrors validate_replica_set_update(View object, View old_object);
FieldErrors validate_replication_controller(View object);
FieldErrors validate_replication_controller_update(View object, View old_object);

// A whole number or a percentage, not negative.
void check_int_or_percent(View value, const FieldPath& path, FieldErrors& errors);
void check_at_most_hundred_percent(View value, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
