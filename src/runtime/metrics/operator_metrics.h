// SPDX-License-Identifier: Apache-2.0
//
// OperatorMetrics: what one operator tells under its own prefix, beside the names that all
// controllers share (controller_metrics.h).
//
//   <prefix>reconcile_duration_seconds         of a pass
//   <prefix>reconcile_errors_total{kind}       passes that failed, by what is to be done about it
//   <prefix>operator_info{version}             always 1
//   <prefix>operator_leader_status             1 while this process reconciles
//   <prefix>objects_not_shown                  objects beyond kObjectsShownMax
//   <prefix><gauge>{namespace,name,…}          what the newest pass knew of each object
//
// An object's gauges go with the object, with its spec becoming invalid, and with the lease: what
// nobody looks at any more is not shown as if somebody did.
#pragma once

#include "base/clock.h"
#include "kube/meta/gvk.h"
#include "runtime/metrics/registry.h"
#include "runtime/operator.h"
#include "runtime/outcome.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// One series of each gauge is one object: no family outgrows its own bound.
inline constexpr std::size_t kObjectsShownMax = kSeriesMax;

class OperatorMetrics {
 public:
  OperatorMetrics(MetricsRegistry& registry, const ObjectMetrics& declared,
                  const std::string& version);

  // None: it did not fail.
  void pass_ended(Duration took, ErrorClass error);
  void leading(bool leads);

  // Names and labels as the declaration has them; anything else is a bug.
  void tell(const kube::Key& key, const Samples& samples);
  void forget(const kube::Key& key);

 private:
  struct Shown {
    LabelValues labels;
    std::set<std::size_t> gauges;  // in gauges_
  };
  std::size_t gauge_named(std::string_view name) const;
  void remove(const Shown& shown);

  std::vector<std::string> names_;  // of the gauges, without the prefix
  std::vector<Family<Gauge>*> gauges_;
  std::size_t labels_ = 0;  // of each object, beside namespace and name
  Histogram& seconds_;
  Family<Counter>& errors_;
  Gauge& leads_;
  Gauge& not_shown_;
  std::map<kube::Key, Shown> shown_;
  std::set<kube::Key> beyond_;  // keys of objects that the cache holds whole
};

}  // namespace fixpoint::runtime
