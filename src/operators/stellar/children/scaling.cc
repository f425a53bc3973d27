// SPDX-License-Identifier: Apache-2.0
//
// How many pods may be away, and how many there shall be.
#include "operators/stellar/children/children.h"

namespace fixpoint::operators::stellar {
namespace {

using runtime::object;

constexpr std::int32_t kCpuTarget = 80;

json::Draft number_or_text(const kube::IntOrString& value) {
  if (value.is_string) return value.text;
  return value.number;
}

json::Draft utilization(std::string_view resource, std::int32_t percent) {
  return object({
      {"type",     "Resource"                                                                  },
      {"resource",
       object({{"name", resource},
               {"target", object({{"type", "Utilization"}, {"averageUtilization", percent}})}})}
  });
}

json::Draft metrics(const Autoscaling& scaling) {
  auto all = json::Draft::array();
  const auto& cpu = scaling.target_cpu_utilization_percentage;
  const auto& memory = scaling.target_memory_utilization_percentage;
  if (cpu) all.push_back(utilization("cpu", *cpu));
  if (memory) all.push_back(utilization("memory", *memory));
  for (const auto& metric : scaling.custom_metrics) all.push_back(metric);
  if (all.empty()) all.push_back(utilization("cpu", kCpuTarget));
  return all;
}

}  // namespace

// Of a Validator's single pod a budget could only say "never": a drain would wait for ever.
bool wants_disruption_budget(const Spec& spec) {
  if (spec.node_type == NodeType::Validator || spec.suspended) return false;
  return spec.min_available || spec.max_unavailable || spec.replicas > 1 || spec.autoscaling;
}

json::Value disruption_budget(const Node& node) {
  auto budget = child_draft(node, kinds::kDisruptionBudget);
  auto spec = object({
      {"selector", object({{"matchLabels", selector_labels(node)}})}
  });
  if (node.spec.min_available) {
    spec["minAvailable"] = number_or_text(*node.spec.min_available);
  } else {
    spec["maxUnavailable"] =
        node.spec.max_unavailable ? number_or_text(*node.spec.max_unavailable) : json::Draft(1);
  }
  budget["spec"] = std::move(spec);
  return budget.freeze();
}

json::Value autoscaler(const Node& node) {
  const auto scaling = node.spec.autoscaling.value_or(Autoscaling{});
  auto made = child_draft(node, kinds::kAutoscaler, "-hpa");
  const auto& target = workload_kind(node.spec);
  auto spec = object({
      {"scaleTargetRef",
       object(
           {{"apiVersion", target.api_version}, {"kind", target.kind}, {"name", node.key.name}})},
      {"minReplicas",    scaling.min_replicas                                                   },
      {"maxReplicas",    scaling.max_replicas                                                   },
      {"metrics",        metrics(scaling)                                                       }
  });
  if (scaling.behavior) spec["behavior"] = *scaling.behavior;
  made["spec"] = std::move(spec);
  return made.freeze();
}

}  // namespace fixpoint::operators::stellar
