// SPDX-License-Identifier: Apache-2.0
//
// For tests: the kinds that most of them work with.
#pragma once

#include "client/call.h"
#include "kube/meta/gvk.h"

namespace fixpoint::runtime {

inline const kube::GroupVersionKind kBoatKind{"sea.example.com", "v1", "Boat"};
inline const kube::GroupVersionKind kMapKind{"", "v1", "ConfigMap"};
inline const kube::GroupVersionKind kRoleKind{"rbac.authorization.k8s.io", "v1", "ClusterRole"};
inline const client::Resource kBoats{kBoatKind, "boats", client::Scope::Namespaced};
inline const client::Resource kMaps{kMapKind, "configmaps", client::Scope::Namespaced};
inline const client::Resource kRoles{kRoleKind, "clusterroles", client::Scope::Cluster};

}  // namespace fixpoint::runtime
