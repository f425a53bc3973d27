// SPDX-License-Identifier: Apache-2.0
//
// Pods and what makes pods: valid bodies, missing and wrong fields, what must not change, defaults,
// status and scale, eviction, binding, ephemeral containers.
#include "tests/conformance/area.h"
#include "tests/conformance/areas/pod.h"
#include "tests/conformance/areas/subject.h"

#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kApp =
    R"({"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}}}})";
constexpr std::string_view kSet =
    R"({"spec":{"serviceName":"web","selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}}}})";
constexpr std::string_view kController =
    R"({"spec":{"selector":{"app":"web"},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}}}})";

const Edits& app_bad() {
  static const Edits kEdits{
      R"(- /spec/selector)",
      R"(/spec/selector {})",
      R"(/spec/selector/matchLabels {"app":"other"})",
      R"(/spec/selector {"matchExpressions":[{"key":"app","operator":"In"}]})",
      R"(/spec/selector {"matchExpressions":[{"key":"app","operator":"Like","values":["a"]}]})",
      R"(- /spec/template)",
      R"(- /spec/template/metadata)",
      R"(/spec/replicas -1)",
      R"(/spec/replicas "3")",
      R"(/spec/replicas 3000000000)",
      R"(/spec/minReadySeconds -1)",
      R"(/spec/revisionHistoryLimit -1)",
      R"(/spec/template/spec/restartPolicy "Never")",
      R"(/spec/template/spec/activeDeadlineSeconds 3)",
      R"(/metadata/name "Bad_Name")",
      R"(/spec/template/metadata/labels/app "web!")",
  };
  return kEdits;
}

Subject deployment() {
  return {
      .sort = {"apps/v1", "Deployment", "deployments", true, kApp, {}, true},
      .good = joined(
          {good_template_edits("/spec/template"),
               {R"(/spec/replicas 0)", R"(/spec/replicas 3)", R"(/spec/paused true)",
            R"(/spec/minReadySeconds 5)", R"(/spec/revisionHistoryLimit 0)",
            R"(/spec/progressDeadlineSeconds 30)", R"(/spec/strategy {"type":"Recreate"})",
            R"(/spec/strategy {"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})",
            R"(/spec/strategy {"type":"RollingUpdate","rollingUpdate":{"maxSurge":"30%"}})",
            R"(/spec/selector {"matchExpressions":[{"key":"app","operator":"In","values":["web"]}]})"}}
        ),
      .bad = joined({under("/spec/template/spec", bad_pod_edits()),
               app_bad(),
               app_bad(),
               {R"(/spec/strategy {"type":"Slow"})",
                      R"(/spec/strategy {"type":"Recreate","rollingUpdate":{"maxSurge":1}})",
                      R"(/spec/strategy {"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})",
                      R"(/spec/strategy {"rollingUpdate":{"maxSurge":"x%"}})",
                      R"(/spec/strategy {"rollingUpdate":{"maxUnavailable":"101%"}})",
                      "/spec/progressDeadlineSeconds 0\n/spec/minReadySeconds 0",
                      "/spec/progressDeadlineSeconds 3\n/spec/minReadySeconds 5"}}
        ),
      .changes = joined({template_changes("/spec/template"),
               {R"(/spec/replicas 2)", R"(/spec/paused true)", R"(/spec/replicas -2)",
                          R"(/spec/selector/matchLabels/app "other")",
                          ("/spec/selector/matchLabels/app \"other\"\n"
                           "/spec/template/metadata/labels/app \"other\""),
                          R"(/spec/strategy {"type":"Recreate","rollingUpdate":null})",
                          R"(/spec/strategy/type "Recreate")"}}
        ),
      .status =
          {R"(/status {"replicas":1,"readyReplicas":1,"availableReplicas":1,"updatedReplicas":1,"observedGeneration":1})",
               R"(/status/conditions [{"type":"Available","status":"True","lastUpdateTime":"2024-01-01T00:00:00Z","lastTransitionTime":"2024-01-01T00:00:00Z"}])",
               R"(/status/replicas -1)", R"(/status {"replicas":1,"readyReplicas":2})",
               R"(/status/collisionCount 3)", R"(/spec/replicas 9)"},
      .scale = true,
  };
}

Subject stateful_set() {
  return {
      .sort = {"apps/v1", "StatefulSet", "statefulsets", true, kSet, {}, true},
      .good = joined(
          {good_template_edits("/spec/template"),
               {R"(/spec/replicas 3)", R"(/spec/podManagementPolicy "Parallel")",
            R"(/spec/updateStrategy {"type":"OnDelete"})",
            R"(/spec/updateStrategy {"rollingUpdate":{"partition":2}})",
            R"(/spec/volumeClaimTemplates [{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])",
            R"(/spec/persistentVolumeClaimRetentionPolicy {"whenDeleted":"Delete"})",
            R"(/spec/ordinals {"start":3})", R"(/spec/minReadySeconds 3)",
            R"(- /spec/serviceName)"}}
        ),
      .bad = joined(
          {under("/spec/template/spec", bad_pod_edits()),
               app_bad(),
               app_bad(),
               {R"(/spec/podManagementPolicy "Random")", R"(/spec/updateStrategy {"type":"Never"})",
            R"(/spec/updateStrategy {"type":"OnDelete","rollingUpdate":{"partition":1}})",
            R"(/spec/updateStrategy {"rollingUpdate":{"partition":-1}})",
            R"(/spec/persistentVolumeClaimRetentionPolicy {"whenDeleted":"Keep"})",
            R"(/spec/ordinals {"start":-1})", R"(/spec/serviceName "Bad_")",
            R"(/spec/volumeClaimTemplates [{"metadata":{"name":"data"}}])",
            R"(/spec/volumeClaimTemplates [{"metadata":{"name":"Bad_"},"spec":{"accessModes":["Some"],"volumeMode":"x","resources":{"requests":{"storage":"-1"}}}}])",
            R"(/spec/volumeClaimTemplates [{"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"Bad_","resources":{"requests":{"storage":"1"}}}}])"}}
        ),
      .changes = joined(
          {template_changes("/spec/template"),
               {R"(/spec/replicas 2)", R"(/spec/serviceName "other")", R"(/spec/serviceName "Bad_")",
            R"(/spec/volumeClaimTemplates [{"metadata":{"name":"Bad_"}}])",
            R"(/spec/podManagementPolicy "Parallel")", R"(/spec/updateStrategy/type "OnDelete")",
            R"(/spec/ordinals {"start":1})", R"(/spec/minReadySeconds 8)",
            R"(/spec/revisionHistoryLimit 3)", R"(/spec/selector/matchLabels/app "other")",
            R"(/spec/persistentVolumeClaimRetentionPolicy {"whenScaled":"Delete"})",
            R"(/spec/volumeClaimTemplates [{"metadata":{"name":"more"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])"}}
        ),
      .status =
          {R"(/status {"replicas":1,"readyReplicas":1,"currentRevision":"a","updateRevision":"b"})",
               R"(/status/replicas -1)", R"(/status {"replicas":1,"currentReplicas":2})",
               R"(/status/availableReplicas 5)"},
      .scale = true,
  };
}

Subject daemon_set() {
  return {
      .sort = {"apps/v1", "DaemonSet", "daemonsets", true, kApp, {}, true},
      .good =
          joined({good_template_edits("/spec/template"),
               {R"(/spec/updateStrategy {"type":"OnDelete"})",
                   R"(/spec/updateStrategy {"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})",
                   R"(/spec/updateStrategy {"rollingUpdate":{"maxUnavailable":"20%"}})",
                   R"(/spec/minReadySeconds 3)", R"(/spec/revisionHistoryLimit 2)"}}
        ),
      .bad = joined({under("/spec/template/spec", bad_pod_edits()),
               app_bad(),
               app_bad(),
               {R"(/spec/updateStrategy {"type":"Never"})",
                      R"(/spec/updateStrategy {"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})",
                      R"(/spec/updateStrategy {"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})",
                      R"(/spec/updateStrategy {"rollingUpdate":{"maxUnavailable":"x"}})"}}
        ),
      .changes = joined({template_changes("/spec/template"),
               {R"(/spec/selector/matchLabels/app "other")", R"(/spec/minReadySeconds 9)",
                          R"(/spec/updateStrategy/type "OnDelete")"}}
        ),
      .status =
          {R"(/status {"currentNumberScheduled":1,"numberMisscheduled":0,"desiredNumberScheduled":2,"numberReady":1,"observedGeneration":1})",
               R"(/status/numberReady -1)", R"(/status/numberAvailable 3)"},
  };
}

Subject replica_set() {
  return {
      .sort = {"apps/v1", "ReplicaSet", "replicasets", true, kApp, {}, true},
      .good = joined({good_template_edits("/spec/template"),
               {R"(/spec/replicas 4)", R"(/spec/minReadySeconds 3)"}}
        ),
      .bad = joined({under("/spec/template/spec", bad_pod_edits()), app_bad(), app_bad()}
        ),
      .changes = joined({template_changes("/spec/template"),
               {R"(/spec/replicas 2)", R"(/spec/selector/matchLabels/app "other")",
                          R"(/spec/selector/matchLabels/app "other")"
                          "\n"
                          R"(/spec/template/metadata/labels/app "other")"}}
        ),
      .status =
          {R"(/status {"replicas":2,"readyReplicas":1,"fullyLabeledReplicas":2})",
               R"(/status {"replicas":1,"readyReplicas":2})", R"(/status/replicas -3)",
               R"(/status {"replicas":1,"conditions":[{"type":"ReplicaFailure","status":"True"}]})"},
      .scale = true,
  };
}

Subject replication_controller() {
  return {
      .sort =
          {"v1", "ReplicationController", "replicationcontrollers", true, kController, {}, true},
      .good =
          joined({good_template_edits("/spec/template"),
                 {R"(/spec/replicas 4)", R"(/spec/minReadySeconds 3)", R"(- /spec/selector)"}}
           ),
      .bad = joined({under("/spec/template/spec", bad_pod_edits()),
                 {R"(/spec/selector/app "other")", R"(- /spec/template)",
                      R"(/spec/replicas -1)", R"(- /spec/template/metadata)",
                      R"(/spec/template/spec/restartPolicy "Never")", R"(- /spec)"}}
           ),
      .changes = joined({template_changes("/spec/template"),
                 {R"(/spec/replicas 2)", R"(/spec/selector/app "other")",
                          R"(/spec/selector/app "other")"
                          "\n"
                          R"(/spec/template/metadata/labels/app "other")"}}
           ),
      .status = {R"(/status {"replicas":2,"readyReplicas":1})", R"(/status/replicas -3)",
                 R"(/status {"replicas":1,"availableReplicas":2})"},
      .scale = true,
  };
}

}  // namespace

Sequence make_workload(Gen& gen) {
  static const std::vector<Subject> kSubjects{
      pod_subject(),  pod_subject(),     pod_subject(), deployment(),
      stateful_set(), daemon_set(),      replica_set(), replication_controller(),
      job_subject(),  cron_job_subject()};
  if (gen.chance(5)) return budget_sequence(gen);
  return subject_sequence(gen, gen.pick(kSubjects));
}

}  // namespace fixpoint::conformance
