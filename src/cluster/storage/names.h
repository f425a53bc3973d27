// SPDX-License-Identifier: Apache-2.0
//
// Names that the storage loops share.
#pragma once

#include "kube/meta/gvk.h"

#include <string_view>

namespace fixpoint::cluster::storage {

inline constexpr std::string_view kPods = "pods/";
inline constexpr std::string_view kClaims = "persistentvolumeclaims/";
inline constexpr std::string_view kVolumes = "persistentvolumes/";
inline constexpr std::string_view kClasses = "storageclasses.storage.k8s.io/";

inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kOldProvisioner = "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

// The one provisioner that is built in: directories of this machine.
inline constexpr std::string_view kLocalDirectory = "fixpoint.dev/local-directory";
inline constexpr std::string_view kLocalClass = "local-directory";

inline const kube::GroupVersionResource kClaimResource{"", "v1", "persistentvolumeclaims"};
inline const kube::GroupVersionResource kVolumeResource{"", "v1", "persistentvolumes"};
inline const kube::GroupVersionResource kClassResource{"storage.k8s.io", "v1", "storageclasses"};

}  // namespace fixpoint::cluster::storage
