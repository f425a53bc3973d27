// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/workloads.h"

#include "kinds/conversion/convert.h"
#include "kinds/defaults/core.h"
#include "kinds/defaults/draft_fields.h"
#include "kinds/defaults/fields.h"
#include "kinds/defaults/pod.h"

#include <limits>
#include <string>

namespace fixpoint::kinds {
namespace {

using json::Draft;

bool given(const Draft& object, std::string_view key) {
  const Draft* value = object.find(key);
  return value != nullptr && !value->is_null();
}

void set_failure_policy(Draft& job_spec) {
  Draft* policy = job_spec.find("podFailurePolicy");
  if (policy == nullptr) return;
  for_each(*policy, "rules", [](Draft& rule) {
    for_each(rule, "onPodConditions",
             [](Draft& pattern) { default_to(pattern, "status", "True"); });
  });
}

// What a CronJob's template gets; the Job made from it gets the rest.
void set_job_template_spec(Draft& job_spec) {
  set_failure_policy(job_spec);
  set_defaults_template_of(job_spec);
}

// The rules given, with those left out taken from the defaults.
void set_scaling_rules(Draft& behavior, std::string_view key, Draft defaults) {
  if (const Draft* rules = behavior.find(key); rules != nullptr && rules->is_object()) {
    for (const auto& [name, value] : rules->members()) {
      if (!value.is_null()) defaults[name] = value;
    }
  }
  behavior[key] = std::move(defaults);
}

Draft scaling_policy(const char* type, int value) {
  return Draft::object({
      {"type",          type },
      {"value",         value},
      {"periodSeconds", 15   }
  });
}

}  // namespace

void set_defaults_deployment(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "replicas", 1);
  Draft& strategy = spec.object_at("strategy");
  default_to(strategy, "type", "RollingUpdate");
  if (text_at(strategy, "type") == "RollingUpdate") {
    Draft& rolling = strategy.object_at("rollingUpdate");
    default_to(rolling, "maxUnavailable", "25%");
    default_to(rolling, "maxSurge", "25%");
  }
  default_to(spec, "revisionHistoryLimit", 10);
  default_to(spec, "progressDeadlineSeconds", 600);
  set_defaults_template_of(spec);
}

void set_defaults_stateful_set(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "podManagementPolicy", "OrderedReady");
  Draft& strategy = spec.object_at("updateStrategy");
  if (text_at(strategy, "type").empty()) {
    strategy["type"] = "RollingUpdate";
    strategy.object_at("rollingUpdate");
  }
  if (text_at(strategy, "type") == "RollingUpdate" && given(strategy, "rollingUpdate")) {
    default_to(strategy["rollingUpdate"], "partition", 0);
  }
  Draft& retention = spec.object_at("persistentVolumeClaimRetentionPolicy");
  default_to(retention, "whenDeleted", "Retain");
  default_to(retention, "whenScaled", "Retain");
  default_to(spec, "replicas", 1);
  default_to(spec, "revisionHistoryLimit", 10);
  set_defaults_template_of(spec);
  for_each(spec, "volumeClaimTemplates", [](Draft& claim) {
    // A claim template is a whole claim, type included.
    default_to(claim, "apiVersion", "v1");
    default_to(claim, "kind", "PersistentVolumeClaim");
    set_defaults_persistent_volume_claim(claim);
  });
}

void set_defaults_daemon_set(Draft& object) {
  // The writer owns the field although the server counts in it (prepare_core.cc).
  default_to(object.object_at("metadata").object_at("annotations"),
             "deprecated.daemonset.template.generation", "0");
  Draft& spec = object.object_at("spec");
  Draft& strategy = spec.object_at("updateStrategy");
  default_to(strategy, "type", "RollingUpdate");
  if (text_at(strategy, "type") == "RollingUpdate") {
    Draft& rolling = strategy.object_at("rollingUpdate");
    default_to(rolling, "maxUnavailable", 1);
    default_to(rolling, "maxSurge", 0);
  } else if (Draft* rolling = strategy.find("rollingUpdate"); given(strategy, "rollingUpdate")) {
    // No default, but the server has no other word for none.
    default_to(*rolling, "maxUnavailable", 0);
    default_to(*rolling, "maxSurge", 0);
  }
  default_to(spec, "revisionHistoryLimit", 10);
  set_defaults_template_of(spec);
}

void set_defaults_replica_set(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "replicas", 1);
  set_defaults_template_of(spec);
}

void set_defaults_job(Draft& object) {
  Draft& spec = object.object_at("spec");
  if (!given(spec, "completions") && !given(spec, "parallelism")) spec["completions"] = 1;
  default_to(spec, "parallelism", 1);
  default_to(spec, "backoffLimit",
             given(spec, "backoffLimitPerIndex") ? Draft{std::numeric_limits<std::int32_t>::max()}
                                                 : Draft{6});
  if (const Draft* labels = spec.find("template", "metadata", "labels");
      labels != nullptr && !labels->empty()) {
    const Draft copy = *labels;
    Draft& metadata = object.object_at("metadata");
    const Draft* own = metadata.find("labels");
    if (own == nullptr || own->empty()) metadata["labels"] = copy;
  }
  default_to(spec, "completionMode", "NonIndexed");
  default_to(spec, "suspend", false);
  default_to(spec, "podReplacementPolicy",
             given(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  default_to(spec, "manualSelector", false);
  set_job_template_spec(spec);
}

void set_defaults_cron_job(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "concurrencyPolicy", "Allow");
  default_to(spec, "suspend", false);
  default_to(spec, "successfulJobsHistoryLimit", 3);
  default_to(spec, "failedJobsHistoryLimit", 1);
  set_job_template_spec(spec.object_at("jobTemplate").object_at("spec"));
}

// Without any metric cpu is the metric; an annotation carries those version 1 cannot say.
void set_defaults_hpa_v1(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "minReplicas", 1);
  Draft* annotations = object.find("metadata", "annotations");
  if (annotations != nullptr && given(*annotations, "autoscaling.alpha.kubernetes.io/metrics")) {
    return;
  }
  default_to(spec, "targetCPUUtilizationPercentage", 80);
}

void set_defaults_hpa_v2(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "minReplicas", 1);
  if (const Draft* metrics = spec.find("metrics"); metrics == nullptr || metrics->empty()) {
    spec["metrics"] = Draft::array({
        Draft::object(
            {{"type", "Resource"},
                      {"resource",
              Draft::object({{"name", "cpu"},
                             {"target", Draft::object({{"type", "Utilization"},
                                                       {"averageUtilization", 80}})}})}}
            )
    });
  }
  drop_annotations_of_v2(object);
  if (!given(spec, "behavior")) return;
  Draft& behavior = spec["behavior"];
  set_scaling_rules(behavior, "scaleUp",
                    Draft::object({
                        {"stabilizationWindowSeconds", 0                                                               },
                        {"selectPolicy",               "Max"                                                           },
                        {"policies",                   Draft::array({scaling_policy("Pods", 4),
                                                   scaling_policy("Percent", 100)})}
  }));
  set_scaling_rules(
      behavior, "scaleDown",
      Draft::object({
          {"selectPolicy", "Max"                                         },
          {"policies",     Draft::array({scaling_policy("Percent", 100)})}
  }));
}

}  // namespace fixpoint::kinds
