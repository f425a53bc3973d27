// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/cluster.h"

#include "json/print.h"
#include "kinds/conversion/convert.h"
#include "kinds/validation/pods/container.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/status.h"
#include "kinds/validation/workloads/apps.h"
#include "kinds/validation/workloads/metrics.h"
#include "kube/meta/gvk.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::int64_t kUserPriorityMax = 1'000'000'000;

void check_taints(View taints, FieldErrors& errors) {
  // A real server reports them under metadata.
  const FieldPath metadata{"metadata"};
  const FieldPath path = metadata.child("taints");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const FieldPath here = path.index(i);
    const auto key = taints[i].get("key").as_string();
    const auto value = taints[i].get("value").as_string();
    const auto effect = taints[i].get("effect").as_string();
    kube::note_problems(here.child("key"), key, kube::qualified_name_problems, errors);
    kube::note_problems(here.child("value"), value, kube::label_value_problems, errors);
    check_one_of(taints[i].get("effect"), here.child("effect"),
                 {"NoSchedule", "PreferNoSchedule", "NoExecute"}, errors);
    if (seen.insert({key, effect}).second) continue;
    auto error = kube::duplicate(here, View{});
    error.value = fmt::format("{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":null}}",
                              kube::shown(key), kube::shown(value), kube::shown(effect));
    error.detail = "taints must be unique by key and effect pair";
    errors.push_back(std::move(error));
  }
}

FieldErrors check_node(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_taints(spec.get("taints"), errors);
  check_node_amounts(object, errors);
  const View blocks = spec.get("podCIDRs");
  const FieldPath blocks_path = path.child("podCIDRs");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    kube::note_problems(blocks_path.index(i), blocks[i].as_string(), kube::cidr_problems, errors);
  }
  return errors;
}

// The server's internal type has no JSON names.
std::string shown_budget(View spec) {
  const auto text = [&](std::string_view field) { return json::to_text(spec.get(field)); };
  return fmt::format(
      "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{"
      "}}}",
      text("minAvailable"), text("selector"), text("maxUnavailable"),
      text("unhealthyPodEvictionPolicy"));
}

FieldErrors check_budget(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  if (!spec.get("minAvailable").is_null() && !spec.get("maxUnavailable").is_null()) {
    errors.push_back(kube::invalid(path, shown_budget(spec),
                                   "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const std::string_view field : {"minAvailable", "maxUnavailable"}) {
    if (spec.get(field).is_null()) continue;
    check_int_or_percent(spec.get(field), path.child(field), errors);
    check_at_most_hundred_percent(spec.get(field), path.child(field), errors);
  }
  kube::append(errors, kube::validate_label_selector(spec.get("selector"), path.child("selector")));
  check_optional_one_of(spec.get("unhealthyPodEvictionPolicy"),
                        path.child("unhealthyPodEvictionPolicy"),
                        {"AlwaysAllow", "IfHealthyBudget"}, errors);
  return errors;
}

// What tells one toleration from another is all but how long it lasts.
bool same_toleration(View a, View b) {
  for (const std::string_view field : {"key", "operator", "value", "effect"}) {
    if (a.get(field).as_string() != b.get(field).as_string()) return false;
  }
  return true;
}

std::string shown_toleration(View toleration) {
  const auto text = [&](std::string_view field) {
    return kube::shown(toleration.get(field).as_string());
  };
  return fmt::format(R"({{"Key":{},"Operator":{},"Value":{},"Effect":{},"TolerationSeconds":{}}})",
                     text("key"), text("operator"), text("value"), text("effect"),
                     kube::shown(toleration.get("tolerationSeconds")));
}

void check_unique_tolerations(View tolerations, const FieldPath& path, FieldErrors& errors) {
  // A real server names the list twice in the path of what is wrong inside it.
  validate_tolerations(tolerations, path.child("tolerations"), errors);
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_toleration(tolerations[i], tolerations[j])) continue;
      auto error = kube::duplicate(path.index(i), View{});
      error.value = shown_toleration(tolerations[i]);
      errors.push_back(std::move(error));
      break;
    }
  }
}

void check_scaling_rules(View rules, const FieldPath& path, FieldErrors& errors) {
  constexpr std::int64_t kWindowMax = 3600;
  constexpr std::int64_t kPeriodMax = 1800;
  if (rules.is_null()) return;
  const View window = rules.get("stabilizationWindowSeconds");
  const FieldPath window_path = path.child("stabilizationWindowSeconds");
  if (window.as_int() < 0) {
    note_invalid(window_path, window, "must be greater than or equal to zero", errors);
  } else if (window.as_int() > kWindowMax) {
    note_invalid(window_path, window, fmt::format("must be less than or equal to {}", kWindowMax),
                 errors);
  }
  check_optional_one_of(rules.get("selectPolicy"), path.child("selectPolicy"),
                        {"Disabled", "Max", "Min"}, errors);
  const FieldPath policies_path = path.child("policies");
  const View policies = rules.get("policies");
  if (policies.empty()) note_required(policies_path, errors, "must specify at least one Policy");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const FieldPath here = policies_path.index(i);
    check_one_of(policies[i].get("type"), here.child("type"), {"Percent", "Pods"}, errors);
    for (const std::string_view field : {"value", "periodSeconds"}) {
      const auto value = policies[i].get(field).as_int();
      if (value <= 0) {
        errors.push_back(
            kube::invalid(here.child(field), std::to_string(value), "must be greater than zero"));
      }
      if (field == "periodSeconds" && value > kPeriodMax) {
        errors.push_back(
            kube::invalid(here.child(field), std::to_string(value),
                          fmt::format("must be less than or equal to {}", kPeriodMax)));
      }
    }
  }
}

FieldErrors check_autoscaler(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View min = spec.get("minReplicas");
  const auto max = spec.get("maxReplicas").as_int();
  if (!min.is_null() && min.as_int() < 1) {
    note_invalid(path.child("minReplicas"), min, "must be greater than or equal to 1", errors);
  }
  const auto too_few = [&](std::string detail) {
    errors.push_back(
        kube::invalid(path.child("maxReplicas"), std::to_string(max), std::move(detail)));
  };
  if (max < 1) too_few("must be greater than 0");
  if (!min.is_null() && max < min.as_int())
    too_few("must be greater than or equal to `minReplicas`");
  check_scale_target(spec.get("scaleTargetRef"), path.child("scaleTargetRef"), errors);
  const View metrics = spec.get("metrics");
  check_metrics(metrics, path.child("metrics"), errors);
  const FieldPath behavior = path.child("behavior");
  check_scaling_rules(spec.get("behavior", "scaleUp"), behavior.child("scaleUp"), errors);
  check_scaling_rules(spec.get("behavior", "scaleDown"), behavior.child("scaleDown"), errors);
  bool scales_from_zero = false;
  for (const View metric : metrics.elements()) {
    const auto type = metric.get("type").as_string();
    scales_from_zero = scales_from_zero || type == "Object" || type == "External";
  }
  if (!min.is_null() && min.as_int() == 0 && !scales_from_zero) {
    note_forbidden(path.child("metrics"),
                   "must specify at least one Object or External metric to support scaling to zero "
                   "replicas",
                   errors);
  }
  return errors;
}

}  // namespace

FieldErrors validate_node(View object) {
  return check_node(object);
}

FieldErrors validate_node_update(View object, View old_object) {
  FieldErrors errors = check_node(object);
  const FieldPath path{"spec"};
  const View id = object.get("spec", "providerID");
  const View old_id = old_object.get("spec", "providerID");
  if (!old_id.as_string().empty() && !(id == old_id)) {
    note_forbidden(path.child("providerID"),
                   "node updates may not change providerID except from \"\" to valid", errors);
  }
  return errors;
}

FieldErrors validate_priority_class(View object) {
  FieldErrors errors;
  const auto name = kube::name_of(object);
  const FieldPath metadata{"metadata"};
  const bool system = name == "system-node-critical" || name == "system-cluster-critical";
  if (name.starts_with("system-") && !system) {
    note_forbidden(
        metadata.child("name"),
        fmt::format("priority class names with 'system-' prefix are reserved for system use "
                    "only. error: {} is not a known system priority class",
                    name),
        errors);
  }
  if (!system && object.get("value").as_int() > kUserPriorityMax) {
    note_forbidden(
        FieldPath{"value"},
        fmt::format("maximum allowed value of a user defined priority is {}", kUserPriorityMax),
        errors);
  }
  if (object.get("preemptionPolicy").as_string().empty()) {
    note_required(FieldPath{"preemptionPolicy"}, errors);
    return errors;
  }
  check_optional_one_of(object.get("preemptionPolicy"), FieldPath{"preemptionPolicy"},
                        {"PreemptLowerPriority", "Never"}, errors);
  return errors;
}

FieldErrors validate_priority_class_update(View object, View old_object) {
  FieldErrors errors;
  if (object.get("value").as_int() != old_object.get("value").as_int()) {
    note_forbidden(FieldPath{"value"}, "may not be changed in an update.", errors);
  }
  check_immutable(object.get("preemptionPolicy"), old_object.get("preemptionPolicy"),
                  FieldPath{"preemptionPolicy"}, errors);
  return errors;
}

FieldErrors validate_runtime_class(View object) {
  FieldErrors errors;
  kube::note_problems(FieldPath{"handler"}, object.get("handler").as_string(),
                      kube::dns1123_label_problems, errors);
  const FieldPath overhead{"overhead"};
  validate_resource_limits(object.get("overhead", "podFixed"), overhead, errors);
  const FieldPath path{"scheduling"};
  kube::append(errors, kube::validate_labels(object.get("scheduling", "nodeSelector"),
                                             path.child("nodeSelector")));
  check_unique_tolerations(object.get("scheduling", "tolerations"), path.child("tolerations"),
                           errors);
  return errors;
}

FieldErrors validate_runtime_class_update(View object, View old_object) {
  FieldErrors errors;
  check_immutable(object.get("handler"), old_object.get("handler"), FieldPath{"handler"}, errors);
  return errors;
}

FieldErrors validate_disruption_budget(View object) {
  return check_budget(object);
}

FieldErrors validate_disruption_budget_update(View object, View) {
  return check_budget(object);
}

// Whatever version it came in: what v1 says in annotations is looked at as well.
FieldErrors validate_autoscaler(View object) {
  json::Draft as_v2{object};
  autoscaler_to_v2(as_v2);
  const auto frozen = as_v2.freeze();
  return check_autoscaler(frozen);
}

FieldErrors validate_autoscaler_update(View object, View) {
  return validate_autoscaler(object);
}

FieldErrors validate_autoscaler_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath path{"status"};
  for (const std::string_view field : {"currentReplicas", "desiredReplicas"}) {
    check_nonnegative(object.get("status", field), path.child(field), errors);
  }
  return errors;
}

}  // namespace fixpoint::kinds
