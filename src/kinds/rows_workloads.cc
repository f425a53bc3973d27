// SPDX-License-Identifier: Apache-2.0
//
// Workloads and what watches over them: apps, batch, autoscaling, policy.
#include "kinds/rows.h"

namespace fixpoint::kinds {
namespace {

constexpr Row kAppsRows[] = {
    {"ControllerRevision", "controllerrevisions", "", "", kPlain,
     schema<"apps.v1.ControllerRevision">},
    {"DaemonSet", "daemonsets", "ds", "all", kStatus | kGeneration, schema<"apps.v1.DaemonSet">},
    {"Deployment", "deployments", "deploy", "all", kStatus | kScale | kGeneration,
     schema<"apps.v1.Deployment">},
    {"ReplicaSet", "replicasets", "rs", "all", kStatus | kScale | kGeneration,
     schema<"apps.v1.ReplicaSet">},
    {"StatefulSet", "statefulsets", "sts", "all", kStatus | kScale | kGeneration,
     schema<"apps.v1.StatefulSet">, "", NameRule::DnsLabel},
};

constexpr Row kBatchRows[] = {
    {"CronJob", "cronjobs", "cj", "all", kStatus | kGeneration,            schema<"batch.v1.CronJob">},
    {"Job",     "jobs",     "",   "all", kStatus | kGeneration | kOrphans, schema<"batch.v1.Job">    },
};

constexpr Row kAutoscalingV2Rows[] = {
    {"HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "all", kStatus,
     schema<"autoscaling.v2.HorizontalPodAutoscaler">},
};

constexpr Row kAutoscalingV1Rows[] = {
    {"HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "all", kStatus,
     schema<"autoscaling.v1.HorizontalPodAutoscaler">},
};

constexpr Row kPolicyRows[] = {
    {"PodDisruptionBudget", "poddisruptionbudgets", "pdb", "",
     kStatus | kGeneration | kNeedsVersion, schema<"policy.v1.PodDisruptionBudget">, "",
     NameRule::PathSegment},
};

}  // namespace

void append_apps(std::vector<Kind>& to) {
  append_rows({"apps", "v1"}, kAppsRows, to);
}

void append_batch(std::vector<Kind>& to) {
  append_rows({"batch", "v1"}, kBatchRows, to);
}

void append_autoscaling(std::vector<Kind>& to) {
  append_rows({"autoscaling", "v2"}, kAutoscalingV2Rows, to);
  append_rows({"autoscaling", "v1"}, kAutoscalingV1Rows, to);
  to.back().stored_as = {"autoscaling", "v2", "horizontalpodautoscalers"};
}

void append_policy(std::vector<Kind>& to) {
  append_rows({"policy", "v1"}, kPolicyRows, to);
}

}  // namespace fixpoint::kinds
