// SPDX-License-Identifier: Apache-2.0
//
// StatefulSet for what signs, Deployment for what answers.
#include "operators/stellar/children/children.h"

#include <string>
#include <utility>

namespace fixpoint::operators::stellar {
namespace {

// A pod that has the claim must be gone before the next can mount it.
json::Draft strategy(const Spec& spec) {
  if (has_claim(spec))
    return runtime::object({
        {"type", "Recreate"}
    });
  return runtime::object({
      {"type",          "RollingUpdate"                                          },
      {"rollingUpdate", runtime::object({{"maxSurge", 1}, {"maxUnavailable", 0}})}
  });
}

}  // namespace

json::Value workload(const Node& node, const Surroundings& around) {
  auto made = child_draft(node, workload_kind(node.spec));
  auto spec = runtime::object({
      {"selector", runtime::object({{"matchLabels", selector_labels(node)}})},
      {"template", pod_template(node, around)}
  });
  // An autoscaler that is there says how many, and is not argued with.
  if (node.spec.suspended) {
    spec["replicas"] = 0;
  } else if (!node.spec.autoscaling) {
    spec["replicas"] = node.spec.replicas;
  }
  if (runs_as_stateful_set(node.spec)) {
    // Never two pods with one seed: the next is made when the last is gone.
    spec["podManagementPolicy"] = "OrderedReady";
    spec["serviceName"] = node.key.name + "-headless";
    spec["updateStrategy"] = runtime::object({
        {"type", "RollingUpdate"}
    });
  } else {
    spec["strategy"] = strategy(node.spec);
  }
  made["spec"] = std::move(spec);
  made.object_at("metadata").object_at("annotations")[kVersionAnnotation] = node.spec.version;
  return made.freeze();
}

json::Value canary_workload(const Node& node, const Surroundings& around,
                            const CanaryState& state) {
  auto made = child_draft(node, kinds::kDeployment, "-canary");
  auto& metadata = made.object_at("metadata");
  metadata.object_at("labels")[kTrackLabel] = kCanaryTrack;
  auto& annotations = metadata.object_at("annotations");
  annotations[kVersionAnnotation] = node.spec.version;
  annotations[kCanaryWeightAnnotation] = std::to_string(state.weight);
  annotations[kCanaryPassedAnnotation] = std::to_string(state.passed);
  annotations[kCanarySinceAnnotation] = state.since;
  auto selected = selector_labels(node);
  selected[kTrackLabel] = kCanaryTrack;
  auto pods = pod_template(node, around);
  pods.object_at("metadata").object_at("labels")[kTrackLabel] = kCanaryTrack;
  made["spec"] = runtime::object({
      {"replicas", state.pods                                             },
      {"selector", runtime::object({{"matchLabels", std::move(selected)}})},
      {"strategy", strategy(node.spec)                                    },
      {"template", std::move(pods)                                        }
  });
  return made.freeze();
}

}  // namespace fixpoint::operators::stellar
