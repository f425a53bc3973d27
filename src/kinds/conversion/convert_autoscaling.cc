// SPDX-License-Identifier: Apache-2.0
//
// Autoscalers: v1 knows one metric, the cpu's utilization. Other metrics, their current values, the
// conditions and the behavior are carried by annotations, as JSON, in a spelling of their own.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/conversion/convert.h"
#include "kinds/conversion/convert_shape.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::Value;
using json::View;

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kAnnotations[] = {kMetrics, kCurrentMetrics, kConditions, kBehavior};
// What a v1 autoscaler without any metric means.
constexpr int kDefaultCpuPercent = 80;

void copy(View from, std::string_view name, Draft& to, std::string_view as) {
  if (const auto found = from.find(name)) to[as] = Draft{*found};
}

std::string_view source_name(std::string_view metric_type) {
  if (metric_type == "Resource") return "resource";
  if (metric_type == "ContainerResource") return "containerResource";
  if (metric_type == "Pods") return "pods";
  if (metric_type == "Object") return "object";
  return metric_type == "External" ? "external" : "";
}

// How the annotation spells the members of a target ("target…") or of a current value ("current…").
struct Spelling {
  std::string_view holder;  // "target" or "current", in v2
  std::string_view value;
  std::string_view average;
  std::string_view utilization;
};
constexpr Spelling kWanted{"target", "targetValue", "targetAverageValue",
                           "targetAverageUtilization"};
constexpr Spelling kNow{"current", "currentValue", "currentAverageValue",
                        "currentAverageUtilization"};

bool is_object_metric(std::string_view source) {
  return source == "object";
}

// Amounts that v1's types always have; v2 may leave them out.
std::vector<std::string_view> required_amounts(std::string_view source, const Spelling& spelling) {
  if (source == "pods") return {spelling.average};
  if (is_object_metric(source)) return {spelling.value};
  if (spelling.holder == "target") return {};
  return {source == "external" ? spelling.value : spelling.average};
}

Draft source_to_v1(View source, std::string_view name, const Spelling& spelling) {
  Draft made = Draft::object();
  const View held = source.get(spelling.holder);
  copy(source, "name", made, "name");
  copy(source, "container", made, "container");
  copy(source, "describedObject", made, "target");
  copy(source.get("metric"), "name", made, "metricName");
  copy(source.get("metric"), "selector", made, name == "external" ? "metricSelector" : "selector");
  copy(held, "value", made, spelling.value);
  copy(held, "averageValue", made, is_object_metric(name) ? "averageValue" : spelling.average);
  copy(held, "averageUtilization", made, spelling.utilization);
  for (const auto amount : required_amounts(name, spelling)) {
    if (!made.contains(amount)) made[amount] = "0";
  }
  return made;
}

std::string_view target_type(View held) {
  if (held.contains("averageUtilization")) return "Utilization";
  return held.contains("value") && !held.contains("averageValue") ? "Value" : "AverageValue";
}

Draft source_to_v2(View source, std::string_view name, const Spelling& spelling) {
  Draft made = Draft::object();
  Draft held = Draft::object();
  copy(source, "name", made, "name");
  copy(source, "container", made, "container");
  copy(source, "target", made, "describedObject");
  if (source.contains("metricName")) {
    Draft metric = Draft::object();
    copy(source, "metricName", metric, "name");
    copy(source, name == "external" ? "metricSelector" : "selector", metric, "selector");
    made["metric"] = std::move(metric);
  }
  copy(source, spelling.value, held, "value");
  copy(source, is_object_metric(name) ? "averageValue" : spelling.average, held, "averageValue");
  copy(source, spelling.utilization, held, "averageUtilization");
  if (spelling.holder == "target") {
    const auto frozen = held.freeze();
    held["type"] = target_type(frozen);
  }
  made[spelling.holder] = std::move(held);
  return made;
}

using ConvertSource = Draft (*)(View, std::string_view, const Spelling&);

Draft metric_with(View metric, const Spelling& spelling, ConvertSource convert) {
  const auto name = source_name(metric.get("type").as_string());
  Draft made = Draft::object({
      {"type", Draft{metric.get("type")}}
  });
  if (!name.empty() && metric.contains(name))
    made[name] = convert(metric.get(name), name, spelling);
  return made;
}

bool is_cpu_utilization(View metric, std::string_view holder) {
  return metric.get("type").as_string() == "Resource" &&
         metric.get("resource", "name").as_string() == "cpu" &&
         metric.get("resource", holder).contains("averageUtilization");
}

Draft cpu_utilization(Draft percent) {
  return Draft::object({
      {"type",     "Resource"                                                                  },
      {"resource",
       Draft::object({{"name", "cpu"},
                      {"target", Draft::object({{"type", "Utilization"},
                                                {"averageUtilization", std::move(percent)}})}})}
  });
}

// Names of the annotation's behavior begin with capitals, and what is absent is null there.
Draft with_small_letters(View tree) {
  if (tree.is_array()) {
    Draft made = Draft::array();
    for (const View element : tree.elements()) made.push_back(with_small_letters(element));
    return made;
  }
  if (!tree.is_object()) return Draft{tree};
  Draft made = Draft::object();
  for (const auto [key, value] : tree.members()) {
    if (value.is_null()) continue;
    std::string name{key};
    if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
    }
    made[name] = with_small_letters(value);
  }
  return made;
}

std::string scaling_rules_text(View rules) {
  if (rules.is_null()) return "null";
  std::string policies;
  for (const View policy : rules.get("policies").elements()) {
    policies += fmt::format(R"({}{{"Type":{},"Value":{},"PeriodSeconds":{}}})",
                            policies.empty() ? "" : ",", json::to_text(policy.get("type")),
                            policy.get("value").as_int(), policy.get("periodSeconds").as_int());
  }
  return fmt::format(
      R"({{"StabilizationWindowSeconds":{},"SelectPolicy":{},"Policies":{},"Tolerance":{}}})",
      json::to_text(rules.get("stabilizationWindowSeconds")),
      json::to_text(rules.get("selectPolicy")),
      rules.get("policies").is_null() ? "null" : "[" + policies + "]",
      json::to_text(rules.get("tolerance")));
}

std::string behavior_text(View behavior) {
  return fmt::format(R"({{"ScaleUp":{},"ScaleDown":{}}})",
                     scaling_rules_text(behavior.get("scaleUp")),
                     scaling_rules_text(behavior.get("scaleDown")));
}

// The members of all the annotations' structs, in an order that agrees with each of them.
constexpr std::array<std::string_view, 30> kMemberOrder{"type",
                                                        "object",
                                                        "pods",
                                                        "resource",
                                                        "containerResource",
                                                        "external",
                                                        "target",
                                                        "kind",
                                                        "name",
                                                        "apiVersion",
                                                        "metricName",
                                                        "metricSelector",
                                                        "targetValue",
                                                        "currentValue",
                                                        "targetAverageUtilization",
                                                        "currentAverageUtilization",
                                                        "targetAverageValue",
                                                        "currentAverageValue",
                                                        "selector",
                                                        "averageValue",
                                                        "container",
                                                        "status",
                                                        "lastTransitionTime",
                                                        "reason",
                                                        "message",
                                                        "matchLabels",
                                                        "matchExpressions",
                                                        "key",
                                                        "operator",
                                                        "values"};

void print_ordered(View tree, std::string& out) {
  if (tree.is_array()) {
    out += '[';
    for (const View element : tree.elements()) {
      if (out.back() != '[') out += ',';
      print_ordered(element, out);
    }
    out += ']';
    return;
  }
  if (!tree.is_object()) return json::print(tree, out);
  out += '{';
  const auto member = [&](std::string_view key, View value) {
    if (out.back() != '{') out += ',';
    json::print_string(key, out);
    out += ':';
    print_ordered(value, out);
  };
  for (const auto key : kMemberOrder) {
    if (tree.contains(key)) member(key, tree.get(key));
  }
  // Labels have names of their own.
  for (const auto [key, value] : tree.members()) {
    if (std::ranges::find(kMemberOrder, key) == kMemberOrder.end()) member(key, value);
  }
  out += '}';
}

// The JSON in an annotation; nothing when it is absent or cannot be read as what it should be, as a
// real server does.
std::optional<Value> annotated(View object, std::string_view annotation) {
  const auto text = object.get("metadata", "annotations").find(annotation);
  if (!text) return std::nullopt;
  auto parsed = json::parse(text->as_string());
  if (!parsed) return std::nullopt;
  const View content = *parsed;
  const bool fits =
      annotation == kBehavior
          ? content.is_object()
          : content.is_null() ||
                (content.is_array() && std::ranges::all_of(content.elements(), [](View each) {
                   return each.is_object();
                 }));
  if (!fits) return std::nullopt;
  return *std::move(parsed);
}

void annotate(Draft& object, std::string_view annotation, std::string text) {
  object.object_at("metadata").object_at("annotations")[annotation] = std::move(text);
}

void annotate(Draft& object, std::string_view annotation, const Draft& content) {
  const auto frozen = content.freeze();
  std::string text;
  print_ordered(frozen, text);
  annotate(object, annotation, std::move(text));
}

void drop_annotations(Draft& object, std::span<const std::string_view> names) {
  Draft* annotations = object.find("metadata", "annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  for (const auto name : names) annotations->erase(name);
  if (annotations->empty()) object["metadata"].erase("annotations");
}

Draft metrics_of_v1(View object) {
  Draft metrics = Draft::array();
  if (const auto others = annotated(object, kMetrics)) {
    for (const View metric : others->view().elements()) {
      metrics.push_back(metric_with(metric, kWanted, source_to_v2));
    }
  }
  if (const auto percent = object.get("spec").find("targetCPUUtilizationPercentage")) {
    metrics.push_back(cpu_utilization(Draft{*percent}));
  }
  if (metrics.empty()) metrics.push_back(cpu_utilization(Draft{kDefaultCpuPercent}));
  return metrics;
}

std::optional<Draft> current_metrics_of_v1(View object) {
  Draft metrics = Draft::array();
  if (const auto current = annotated(object, kCurrentMetrics)) {
    for (const View metric : current->view().elements()) {
      metrics.push_back(metric_with(metric, kNow, source_to_v2));
    }
    return metrics;
  }
  const auto percent = object.get("status").find("currentCPUUtilizationPercentage");
  if (!percent) return std::nullopt;
  auto current = Draft::object({
      {"averageUtilization", Draft{*percent}}
  });
  metrics.push_back(Draft::object({
      {"type",     "Resource"                                                       },
      {"resource", Draft::object({{"name", "cpu"}, {"current", std::move(current)}})}
  }));
  return metrics;
}

bool is_v2(View object) {
  const auto version = object.get("apiVersion").as_string();
  if (!version.empty()) return version == "autoscaling/v2";
  return object.get("spec").contains("metrics") || object.get("spec").contains("behavior");
}

void metrics_to_annotations(View object, Draft& made) {
  Draft others = Draft::array();
  bool cpu_seen = false;
  for (const View metric : object.get("spec", "metrics").elements()) {
    if (!is_cpu_utilization(metric, "target")) {
      others.push_back(metric_with(metric, kWanted, source_to_v1));
    } else if (!cpu_seen) {
      made["spec"]["targetCPUUtilizationPercentage"] =
          Draft{metric.get("resource", "target", "averageUtilization")};
      cpu_seen = true;
    }
  }
  if (!others.empty()) annotate(made, kMetrics, others);
}

void status_to_annotations(View object, Draft& made) {
  const View current = object.get("status", "currentMetrics");
  Draft spelled = Draft::array();
  for (const View metric : current.elements()) {
    spelled.push_back(metric_with(metric, kNow, source_to_v1));
    if (is_cpu_utilization(metric, "current")) {
      made["status"]["currentCPUUtilizationPercentage"] =
          Draft{metric.get("resource", "current", "averageUtilization")};
    }
  }
  if (!spelled.empty()) annotate(made, kCurrentMetrics, spelled);
  const View conditions = object.get("status", "conditions");
  if (!conditions.empty()) annotate(made, kConditions, Draft{conditions});
}

}  // namespace

void drop_annotations_of_v2(Draft& autoscaler) {
  drop_annotations(autoscaler, kAnnotations);
}

void drop_annotations_of_new_v1(Draft& autoscaler) {
  constexpr std::string_view kOfStatus[] = {kCurrentMetrics, kConditions};
  drop_annotations(autoscaler, kOfStatus);
}

void autoscaler_to_v2(Draft& autoscaler) {
  const auto frozen = autoscaler.freeze();
  const View object = frozen;
  if (is_v2(object)) return;
  Draft& spec = autoscaler.object_at("spec");
  spec["metrics"] = metrics_of_v1(object);
  spec.erase("targetCPUUtilizationPercentage");
  if (const auto behavior = annotated(object, kBehavior)) {
    spec["behavior"] = with_small_letters(*behavior);
  }
  Draft& status = autoscaler.object_at("status");
  status.erase("currentCPUUtilizationPercentage");
  if (auto current = current_metrics_of_v1(object)) status["currentMetrics"] = *std::move(current);
  if (auto conditions = annotated(object, kConditions)) status["conditions"] = Draft{*conditions};
  drop_annotations(autoscaler, kAnnotations);
  set_version(autoscaler, "autoscaling/v2");
  canonicalize(autoscaler, "autoscaling.v2.HorizontalPodAutoscaler");
}

void autoscaler_to_v1(Draft& autoscaler) {
  const auto frozen = autoscaler.freeze();
  const View object = frozen;
  drop_annotations(autoscaler, kAnnotations);
  autoscaler.object_at("spec");
  autoscaler.object_at("status");
  metrics_to_annotations(object, autoscaler);
  status_to_annotations(object, autoscaler);
  if (const View behavior = object.get("spec", "behavior"); !behavior.is_null()) {
    annotate(autoscaler, kBehavior, behavior_text(behavior));
  }
  autoscaler["spec"].erase("metrics");
  autoscaler["spec"].erase("behavior");
  autoscaler["status"].erase("currentMetrics");
  autoscaler["status"].erase("conditions");
  set_version(autoscaler, "autoscaling/v1");
  canonicalize(autoscaler, "autoscaling.v1.HorizontalPodAutoscaler");
}

}  // namespace fixpoint::kinds
