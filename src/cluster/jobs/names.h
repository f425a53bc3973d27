// SPDX-License-Identifier: Apache-2.0
//
// Names that Jobs, CronJobs and their pods are known by.
#pragma once

#include "kube/meta/gvk.h"

#include <string_view>

namespace fixpoint::cluster::jobs {

inline const kube::GroupVersionResource kJobResource{"batch", "v1", "jobs"};
inline constexpr std::string_view kJobPrefix = "jobs.batch/";
inline const kube::GroupVersionResource kCronJobResource{"batch", "v1", "cronjobs"};
inline constexpr std::string_view kCronJobPrefix = "cronjobs.batch/";

// On every pod that its Job has not counted yet.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
// Both a label and an annotation.
inline constexpr std::string_view kIndexName = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kIndexFailures = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIndexIgnoredFailures =
    "batch.kubernetes.io/job-index-ignored-failure-count";
// Who manages a Job whose spec.managedBy does not say.
inline constexpr std::string_view kJobManager = "kubernetes.io/job-controller";

}  // namespace fixpoint::cluster::jobs
