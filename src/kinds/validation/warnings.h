// SPDX-License-Identifier: Apache-2.0
//
// What a server takes but advises against: the texts of the Warning header.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

using Warnings = std::vector<std::string>;

// Says `text` of the field at `path`.
void warn(Warnings& warnings, const kube::FieldPath& path, std::string_view text);

Warnings pod_warnings(json::View object);
// Deployment, ReplicaSet, ReplicationController, Job: their names end up in host names.
Warnings named_workload_warnings(json::View object);
Warnings replication_controller_update_warnings(json::View object, json::View old_object);
Warnings daemon_set_warnings(json::View object);
Warnings stateful_set_warnings(json::View object);
Warnings cron_job_warnings(json::View object);
Warnings pod_template_warnings(json::View object);
Warnings ingress_warnings(json::View object);
Warnings endpoint_slice_warnings(json::View object);
Warnings endpoint_slice_update_warnings(json::View object, json::View old_object);
Warnings endpoints_warnings(json::View object);
Warnings network_policy_warnings(json::View object);
Warnings runtime_class_warnings(json::View object);
Warnings storage_class_warnings(json::View object);
Warnings storage_capacity_warnings(json::View object);
// Of kinds that are warned about only when they are made.
Warnings no_update_warnings(json::View object, json::View old_object);
Warnings service_warnings(json::View object);
// Of writes of the status.
Warnings pod_status_warnings(json::View object);
Warnings balancer_status_warnings(json::View object);
Warnings persistent_volume_warnings(json::View object);
Warnings persistent_volume_claim_warnings(json::View object);
Warnings node_warnings(json::View object);
Warnings service_account_warnings(json::View object);
Warnings service_account_update_warnings(json::View object, json::View old_object);

}  // namespace fixpoint::kinds
