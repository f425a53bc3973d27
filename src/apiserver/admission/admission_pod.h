// SPDX-License-Identifier: Apache-2.0
//
// What admission fills into pods, claims, volumes and ingresses: priority, the two default
// tolerations, the default classes, the finalizers that protect storage in use.
#pragma once

#include "apiserver/admission/admission.h"

namespace fixpoint::apiserver {

inline constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
inline constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";
inline constexpr std::string_view kAttributesFinalizer = "kubernetes.io/vac-protection";

// 403 when the pod names a priority class that does not exist.
kube::Answer<void> set_priority(const AdmissionCall& call, const store::Snapshot& snapshot,
                                json::Draft& pod);
// A pod stays five minutes on a node that is not ready or unreachable, unless it says otherwise.
void add_default_tolerations(json::Draft& pod);
// Overhead, node selector and tolerations of the pod's runtime class; 403 when there is none of
// that name.
kube::Answer<void> set_runtime_class(const AdmissionCall& call, const store::Snapshot& snapshot,
                                     json::Draft& pod);
// Overhead is the runtime class's to say.
kube::Answer<void> check_overhead(const AdmissionCall& call, const store::Snapshot& snapshot,
                                  json::View pod);
// Only what was provisioned by a class that can grow may ask for more.
kube::Answer<void> check_claim_growth(const AdmissionCall& call, const store::Snapshot& snapshot,
                                      json::View claim, json::View old_claim);
// The storage class marked as the default one, for claims that name none.
void set_default_storage_class(const store::Snapshot& snapshot, json::Draft& claim);

// The same of ingress classes, for ingresses.
void set_default_ingress_class(const store::Snapshot& snapshot, json::Draft& ingress);

// What holds a claim or volume that is in use; cluster/loops/storage_protection.h takes it off.
void add_finalizer(json::Draft& object, std::string_view finalizer);

}  // namespace fixpoint::apiserver
