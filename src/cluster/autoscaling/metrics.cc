// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/metrics.h"

#include "apiserver/resource.h"
#include "cluster/autoscaling/go_selector.h"
#include "kinds/kind.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::cluster::autoscaling {
namespace {

using json::View;

std::optional<std::int64_t> annotated(View object, std::string_view name) {
  const auto text = kube::annotation_of(object, std::string{kMetricAnnotation}.append(name));
  const auto quantity = kube::Quantity::parse(text);
  return quantity ? std::optional{quantity->milli_value()} : std::nullopt;
}

Reading reading_of_pods(const std::vector<store::RecordRef>& pods, std::string_view name,
                        Instant now) {
  Reading reading;
  for (const auto& pod : pods) {
    if (const auto value = annotated(pod->body, name)) {
      reading.pods.emplace(kube::name_of(pod->body), PodMetric{.at = now, .value = *value});
    }
  }
  return reading;
}

Result<Reading> resource_metric(const std::vector<store::RecordRef>& pods, View source,
                                Instant now) {
  const auto name = source.get("name").as_string();
  auto reading = reading_of_pods(pods, name, now);
  if (!reading.pods.empty()) return reading;
  return fail(ErrorKind::Unavailable,
              fmt::format("unable to get metrics for resource {}: unable to fetch metrics from "
                          "resource metrics API: the server could not find the requested resource "
                          "(get pods.metrics.k8s.io)",
                          name));
}

constexpr std::string_view kNoCustomMetrics =
    "unable to fetch metrics from custom metrics API: no custom metrics API "
    "(custom.metrics.k8s.io) registered";

Result<Reading> pods_metric(const std::vector<store::RecordRef>& pods, View source, Instant now) {
  const auto name = source.get("metric", "name").as_string();
  auto reading = reading_of_pods(pods, name, now);
  if (!reading.pods.empty()) return reading;
  return fail(ErrorKind::Unavailable,
              fmt::format("unable to get metric {}: {}", name, kNoCustomMetrics));
}

Result<Reading> object_metric(const Reader& reader, std::string_view ns, View source) {
  const auto name = source.get("metric", "name").as_string();
  const View described = source.get("describedObject");
  const auto version = kube::parse_group_version(described.get("apiVersion").as_string());
  if (version) {
    const auto* kind = kinds::find(kube::GroupVersionKind{
        version->group, version->version, std::string{described.get("kind").as_string()}});
    const auto record = kind == nullptr
                            ? store::RecordRef{}
                            : reader.find(apiserver::key_prefix(version->group, kind->resource),
                                          kind->namespaced ? ns : std::string_view{},
                                          described.get("name").as_string());
    if (const auto value = record ? annotated(record->body, name) : std::nullopt) {
      return Reading{.pods = {}, .values = {*value}};
    }
  }
  // In the order in which a real controller puts the parts.
  return fail(ErrorKind::Unavailable,
              fmt::format("unable to get metric {}: {} on {} {}/{}", name,
                          described.get("kind").as_string(), ns, described.get("name").as_string(),
                          kNoCustomMetrics));
}

Result<Reading> external_metric(View autoscaler, View source) {
  const auto name = source.get("metric", "name").as_string();
  if (const auto value = annotated(autoscaler, name)) {
    return Reading{.pods = {}, .values = {*value}};
  }
  return fail(ErrorKind::Unavailable,
              fmt::format("unable to get external metric {0}/{1}/{2}: unable to fetch metrics from "
                          "external metrics API: the server could not find the requested resource "
                          "(get {1}.external.metrics.k8s.io)",
                          kube::namespace_of(autoscaler), name,
                          go_selector(source.get("metric", "selector"))));
}

}  // namespace

Result<Reading> AnnotatedMetrics::read(const Reader& reader, View autoscaler, View metric,
                                       const std::vector<store::RecordRef>& pods,
                                       Instant now) const {
  const auto type = metric.get("type").as_string();
  if (type == "Resource") return resource_metric(pods, metric.get("resource"), now);
  if (type == "ContainerResource") {
    return resource_metric(pods, metric.get("containerResource"), now);
  }
  if (type == "Pods") return pods_metric(pods, metric.get("pods"), now);
  if (type == "Object") {
    return object_metric(reader, kube::namespace_of(autoscaler), metric.get("object"));
  }
  return external_metric(autoscaler, metric.get("external"));
}

}  // namespace fixpoint::cluster::autoscaling
