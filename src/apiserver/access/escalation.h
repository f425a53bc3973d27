// SPDX-License-Identifier: Apache-2.0
//
// Nobody grants what they do not have: roles and bindings are checked against the writer's own
// rights, unless the verbs `escalate` (roles) or `bind` (bindings) say otherwise.
#pragma once

#include "apiserver/admission/admission.h"
#include "kube/errors/status.h"
#include "store/store.h"

namespace fixpoint::apiserver {

// For writes of Role, ClusterRole, RoleBinding and ClusterRoleBinding; everything else passes.
kube::Answer<void> check_escalation(const AdmissionCall& call, const store::Snapshot& snapshot,
                                    json::View object, json::View old_object);

}  // namespace fixpoint::apiserver
