// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/metrics.h"

#include "kube/meta/gvk.h"
#include "kube/meta/names.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>

namespace fixpoint::kinds {

namespace {

enum class CoreKinds : std::uint8_t { Allowed, Refused };

void check_object_reference(View target, CoreKinds core, const FieldPath& path,
                            FieldErrors& errors) {
  for (const std::string_view field : {"kind", "name"}) {
    const auto text = target.get(field).as_string();
    if (text.empty()) {
      note_required(path.child(field), errors);
      continue;
    }
    for (const auto& problem : kube::name_is_path_segment(text, kube::NamePart::Whole)) {
      note_invalid(path.child(field), text, problem, errors);
    }
  }
  const auto api_version = target.get("apiVersion").as_string();
  const auto parsed = kube::parse_group_version(api_version);
  if (!parsed) {
    note_invalid(path.child("apiVersion"), api_version, parsed.error().message, errors);
  } else if (parsed->group.empty() && core == CoreKinds::Refused) {
    note_invalid(path.child("apiVersion"), api_version, "apiVersion must specify API group",
                 errors);
  }
}

void check_positive_target(View quantity, const FieldPath& path, FieldErrors& errors) {
  if (quantity.is_null()) return;
  const auto amount = kube::Quantity::parse(quantity.as_string());
  const auto zero = kube::Quantity::parse("0");
  if (amount && zero && *zero < *amount) return;
  note_invalid(path, quantity, "must be positive", errors);
}

void check_target(View target, const FieldPath& path, FieldErrors& errors) {
  const auto type = target.get("type").as_string();
  if (type.empty()) {
    note_required(path.child("type"), errors, "must specify a metric target type");
  }
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    note_invalid(path.child("type"), type, "must be either Utilization, Value, or AverageValue",
                 errors);
  }
  check_positive_target(target.get("value"), path.child("value"), errors);
  check_positive_target(target.get("averageValue"), path.child("averageValue"), errors);
  const View utilization = target.get("averageUtilization");
  if (!utilization.is_null() && utilization.as_int() < 1) {
    note_invalid(path.child("averageUtilization"), utilization, "must be greater than 0", errors);
  }
}

void check_metric_identifier(View metric, const FieldPath& path, FieldErrors& errors) {
  const auto name = metric.get("name").as_string();
  if (name.empty()) {
    note_required(path.child("name"), errors, "must specify a metric name");
    return;
  }
  for (const auto& problem : kube::name_is_path_segment(name, kube::NamePart::Whole)) {
    note_invalid(path.child("name"), name, problem, errors);
  }
}

void check_object_source(View source, const FieldPath& path, FieldErrors& errors) {
  check_object_reference(source.get("describedObject"), CoreKinds::Allowed,
                         path.child("describedObject"), errors);
  check_metric_identifier(source.get("metric"), path.child("metric"), errors);
  const View target = source.get("target");
  const FieldPath target_path = path.child("target");
  check_target(target, target_path, errors);
  if (target.get("value").is_null() && target.get("averageValue").is_null()) {
    note_required(target_path.child("averageValue"), errors,
                  "must set either a target value or averageValue");
  }
}

void check_external_source(View source, const FieldPath& path, FieldErrors& errors) {
  check_metric_identifier(source.get("metric"), path.child("metric"), errors);
  const View target = source.get("target");
  const FieldPath target_path = path.child("target");
  check_target(target, target_path, errors);
  const bool value = !target.get("value").is_null();
  const bool average = !target.get("averageValue").is_null();
  if (!value && !average) {
    note_required(target_path.child("averageValue"), errors,
                  "must set either a target value for metric or a per-pod target");
  }
  if (value && average) {
    note_forbidden(target_path.child("value"),
                   "may not set both a target value for metric and a per-pod target", errors);
  }
}

void check_pods_source(View source, const FieldPath& path, FieldErrors& errors) {
  check_metric_identifier(source.get("metric"), path.child("metric"), errors);
  const View target = source.get("target");
  const FieldPath target_path = path.child("target");
  check_target(target, target_path, errors);
  if (target.get("averageValue").is_null()) {
    note_required(target_path.child("averageValue"), errors,
                  "must specify a positive target averageValue");
  }
}

void check_resource_target(View target, const FieldPath& path, FieldErrors& errors) {
  check_target(target, path, errors);
  const bool utilization = !target.get("averageUtilization").is_null();
  const bool value = !target.get("averageValue").is_null();
  if (!utilization && !value) {
    note_required(path.child("averageUtilization"), errors,
                  "must set either a target raw value or a target utilization");
  }
  if (utilization && value) {
    note_forbidden(path.child("averageValue"),
                   "may not set both a target raw value and a target utilization", errors);
  }
}

void check_resource_source(View source, const FieldPath& path, FieldErrors& errors) {
  if (source.get("name").as_string().empty()) {
    note_required(path.child("name"), errors, "must specify a resource name");
  }
  check_resource_target(source.get("target"), path.child("target"), errors);
}

void check_container_source(View source, const FieldPath& path, FieldErrors& errors) {
  if (const auto name = source.get("name").as_string(); name.empty()) {
    note_required(path.child("name"), errors, "must specify a resource name");
  } else {
    check_container_resource_name(name, path.child("name"), errors);
  }
  if (const auto container = source.get("container").as_string(); container.empty()) {
    note_required(path.child("container"), errors, "must specify a container");
  } else {
    kube::note_problems(path.child("container"), container, kube::dns1123_label_problems, errors);
  }
  check_resource_target(source.get("target"), path.child("target"), errors);
}

// In the order in which they are looked at; only the first one present is.
struct Source {
  std::string_view type;
  std::string_view field;
  void (*check)(View, const FieldPath&, FieldErrors&);
};
constexpr std::array<Source, 5> kSources{
    {{"Object", "object", check_object_source},
     {"External", "external", check_external_source},
     {"Pods", "pods", check_pods_source},
     {"Resource", "resource", check_resource_source},
     {"ContainerResource", "containerResource", check_container_source}}
};

void check_metric(View metric, const FieldPath& path, FieldErrors& errors) {
  const auto type = metric.get("type").as_string();
  const std::vector<std::string> types{"ContainerResource", "External", "Object", "Pods",
                                       "Resource"};
  const auto known = std::ranges::find(kSources, type, &Source::type);
  if (type.empty()) {
    note_required(path.child("type"), errors, "must specify a metric source type");
  }
  if (known == kSources.end()) note_unsupported(path.child("type"), type, types, errors);
  std::size_t present = 0;
  for (const auto& source : kSources) {
    const View given = metric.get(source.field);
    if (given.is_null()) continue;
    if (++present == 1) source.check(given, path.child(source.field), errors);
  }
  if (known == kSources.end()) {
    note_unsupported(path.child("type"), type, types, errors);  // a real server says it twice
  } else if (metric.get(known->field).is_null()) {
    note_required(path.child(known->field), errors,
                  "must populate information for the given metric source");
  }
  if (present == 1) return;
  for (const auto& source : kSources) {
    if (metric.get(source.field).is_null() || source.type == type) continue;
    note_forbidden(path.child(source.field), "must populate the given metric source only", errors);
  }
}

}  // namespace

void check_scale_target(View target, const FieldPath& path, FieldErrors& errors) {
  // The only kind without a group that has a scale.
  const bool controller = target.get("kind").as_string() == "ReplicationController";
  check_object_reference(target, controller ? CoreKinds::Allowed : CoreKinds::Refused, path,
                         errors);
}

void check_metrics(View metrics, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < metrics.size(); ++i) check_metric(metrics[i], path.index(i), errors);
}

}  // namespace fixpoint::kinds
