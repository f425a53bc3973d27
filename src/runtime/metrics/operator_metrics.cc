// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/operator_metrics.h"

#include "base/error.h"
#include "runtime/metrics/controller_metrics.h"

#include <algorithm>
#include <utility>

namespace fixpoint::runtime {
namespace {

std::vector<double> coarse_bounds() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120};
}

std::vector<std::string> label_names(const ObjectMetrics& declared) {
  std::vector<std::string> names{"namespace", "name"};
  names.insert(names.end(), declared.labels.begin(), declared.labels.end());
  return names;
}

}  // namespace

OperatorMetrics::OperatorMetrics(MetricsRegistry& registry, const ObjectMetrics& declared,
                                 const std::string& version)
    : labels_(declared.labels.size()),
      seconds_(
          registry
              .histogram(
                  {declared.prefix + "reconcile_duration_seconds", "How long passes took.", {}},
                  coarse_bounds())
              .with({})),
      errors_(registry.counter({declared.prefix + "reconcile_errors_total",
                                "Passes that failed, by what is to be done about it.",
                                {"kind"}})),
      leads_(registry
                 .gauge({declared.prefix + "operator_leader_status",
                         "1 while this process reconciles, 0 while another does.",
                         {}})
                 .with({})),
      not_shown_(registry
                     .gauge({declared.prefix + "objects_not_shown",
                             "Objects of which this page says nothing: there are too many.",
                             {}})
                     .with({})) {
  registry.gauge({declared.prefix + "operator_info", "Always 1.", {"version"}})
      .with({version})
      .set(1);
  for (const auto error :
       {ErrorClass::Transient, ErrorClass::Throttled, ErrorClass::Invalid, ErrorClass::Permanent}) {
    errors_.with({std::string{to_string(error)}});
  }
  for (const auto& [name, help] : declared.gauges) {
    names_.push_back(name);
    gauges_.push_back(&registry.gauge({declared.prefix + name, help, label_names(declared)}));
  }
}

void OperatorMetrics::pass_ended(Duration took, ErrorClass error) {
  seconds_.observe(in_seconds(took));
  if (error != ErrorClass::None) errors_.with({std::string{to_string(error)}}).add();
}

void OperatorMetrics::leading(bool leads) {
  leads_.set(leads ? 1 : 0);
  if (leads) return;
  for (const auto& [key, shown] : shown_) remove(shown);
  shown_.clear();
  beyond_.clear();
  not_shown_.set(0);
}

void OperatorMetrics::tell(const kube::Key& key, const Samples& samples) {
  if (samples.values.empty()) return forget(key);
  FP_CHECK(samples.labels.size() == labels_);
  if (!shown_.contains(key) && shown_.size() >= kObjectsShownMax) {
    beyond_.insert(key);
    not_shown_.set(static_cast<double>(beyond_.size()));
    return;
  }
  if (beyond_.erase(key) > 0) not_shown_.set(static_cast<double>(beyond_.size()));
  Shown now{
      .labels = {key.ns, key.name},
        .gauges = {}
  };
  now.labels.insert(now.labels.end(), samples.labels.begin(), samples.labels.end());
  for (const auto& [name, value] : samples.values) now.gauges.insert(gauge_named(name));
  auto& before = shown_[key];
  if (before.labels != now.labels || before.gauges != now.gauges) remove(before);
  for (const auto& [name, value] : samples.values) {
    gauges_[gauge_named(name)]->with(now.labels).set(value);
  }
  before = std::move(now);
}

void OperatorMetrics::forget(const kube::Key& key) {
  if (const auto found = shown_.find(key); found != shown_.end()) {
    remove(found->second);
    shown_.erase(found);
  }
  if (beyond_.erase(key) > 0) not_shown_.set(static_cast<double>(beyond_.size()));
}

std::size_t OperatorMetrics::gauge_named(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  FP_CHECK(found != names_.end());
  return static_cast<std::size_t>(found - names_.begin());
}

void OperatorMetrics::remove(const Shown& shown) {
  for (const auto gauge : shown.gauges) gauges_[gauge]->remove(shown.labels);
}

}  // namespace fixpoint::runtime
