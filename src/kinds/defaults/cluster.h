// SPDX-License-Identifier: Apache-2.0
//
// Defaults of networking, storage, rbac, discovery, scheduling, admissionregistration, devices and
// flow control.
#pragma once

#include "json/draft.h"

namespace fixpoint::kinds {

void set_defaults_network_policy(json::Draft& object);
void set_defaults_ingress_class(json::Draft& object);
void set_defaults_storage_class(json::Draft& object);
void set_defaults_csi_driver(json::Draft& object);
void set_defaults_role_binding(json::Draft& object);
void set_defaults_endpoint_slice(json::Draft& object);
void set_defaults_priority_class(json::Draft& object);
void set_defaults_validating_webhooks(json::Draft& object);
void set_defaults_mutating_webhooks(json::Draft& object);
void set_defaults_admission_policy(json::Draft& object);
void set_defaults_admission_policy_binding(json::Draft& object);
void set_defaults_runtime_class(json::Draft& object);
void set_defaults_resource_claim(json::Draft& object);
void set_defaults_resource_claim_template(json::Draft& object);
void set_defaults_flow_schema(json::Draft& object);
void set_defaults_priority_level(json::Draft& object);

}  // namespace fixpoint::kinds
