// SPDX-License-Identifier: Apache-2.0
//
// Metrics: what an autoscaler goes by.
//
// Where they come from is behind MetricSource. In `fixpoint up` nobody measures: objects say it
// themselves, by annotation.
//
//   metrics.fixpoint.dev/cpu: 250m           on a pod (or its template): what it uses
//   metrics.fixpoint.dev/<name>: "12"        on a pod or any other object: a metric of that name
//   metrics.fixpoint.dev/<name>: "12"        on the autoscaler itself: an external metric
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "cluster/reader.h"
#include "json/value.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::autoscaling {

inline constexpr std::string_view kMetricAnnotation = "metrics.fixpoint.dev/";

// All values are thousandths.
struct PodMetric {
  Instant at;
  Duration window{};
  std::int64_t value = 0;
};

// The answer for one metric of an autoscaler: of pods by name, or of something else.
struct Reading {
  std::map<std::string, PodMetric, std::less<>> pods;
  std::vector<std::int64_t> values;
};

class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // `metric` is one of spec.metrics; `pods` are those that the target selects. Errors are in the
  // words of a real metrics client.
  virtual Result<Reading> read(const Reader& reader, json::View autoscaler, json::View metric,
                               const std::vector<store::RecordRef>& pods, Instant now) const = 0;
};

class AnnotatedMetrics final : public MetricSource {
 public:
  Result<Reading> read(const Reader& reader, json::View autoscaler, json::View metric,
                       const std::vector<store::RecordRef>& pods, Instant now) const override;
};

}  // namespace fixpoint::cluster::autoscaling
