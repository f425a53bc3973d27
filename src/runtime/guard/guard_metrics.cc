// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/guard_metrics.h"

#include <utility>

namespace fixpoint::runtime {
namespace {

LabelValues object_label_values(const ManagedKey& key) {
  return {key.kind.group, key.kind.kind, key.key.ns, key.key.name};
}

std::vector<std::string> object_labels(std::vector<std::string> more = {}) {
  std::vector<std::string> all{"group", "kind", "namespace", "name"};
  for (auto& name : more) all.push_back(std::move(name));
  return all;
}

}  // namespace

GuardMetrics::GuardMetrics(MetricsRegistry& registry, const std::string& prefix)
    : thrashing_(registry.counter(
          {prefix + "thrashing_total", "Edit wars that led to a pause.", object_labels()})),
      paused_(registry.gauge({prefix + "paused_resources",
                              "1 while nothing is written to the object, 0 otherwise.",
                              object_labels()})),
      contested_(
          registry.gauge({prefix + "contested_resources",
                          "1 while somebody keeps changing the object back.", object_labels()})),
      drifts_(registry.counter({prefix + "contested_drift_total",
                                "Changes by others to what we manage, by who made them.",
                                object_labels({"actor"})})),
      throttled_(registry.counter({prefix + "throttled_total",
                                   "Times that writes had to wait for a token.", object_labels()})),
      stripped_(registry.counter({prefix + "pause_stripped_total",
                                  "Pause records that somebody removed with the whole object.",
                                  object_labels()})),
      info_(registry.gauge({prefix + "pause_info", "1 for each paused object, with the reason.",
                            object_labels({"reason", "rule", "actor"})})),
      persist_failures_(registry
                            .counter({prefix + "guard_state_persist_failures_total",
                                      "Writes of the guard's shadow record that failed.",
                                      {}})
                            .with({})) {
  registry.before_page([this] { refresh(); });
}

void GuardMetrics::add(const ObjectGuard& guard) {
  guards_.push_back(&guard);
}

std::string GuardMetrics::actor_label(const std::string& actor) {
  if (actors_.contains(actor)) return actor;
  if (actors_.size() >= kGuardActorsMax) return "other";
  actors_.insert(actor);
  return actor;
}

void GuardMetrics::make_series(const ManagedKey& key) {
  const auto labels = object_label_values(key);
  for (auto* family : {&thrashing_, &throttled_, &stripped_}) family->with(labels);
  paused_.with(labels);
  contested_.with(labels);
}

void GuardMetrics::notice(const GuardNotice& notice) {
  make_series(notice.key);
  auto labels = object_label_values(notice.key);
  if (notice.reason == "ThrashingDetected" || notice.reason == "NonConvergent") {
    thrashing_.with(labels).add();
  } else if (notice.reason == "Throttled") {
    throttled_.with(labels).add();
  } else if (notice.reason == "PauseStripped") {
    stripped_.with(labels).add();
  } else if (notice.only_counted) {
    labels.push_back(actor_label(notice.actor));
    drifts_.with(labels).add();
  }
}

// The gauges follow what the guards know, so they are right before the first pass, too.
void GuardMetrics::refresh() {
  for (auto* family : {&paused_, &contested_}) {
    std::vector<LabelValues> all;
    for (const auto& [values, gauge] : family->series()) all.push_back(values);
    for (const auto& values : all) family->with(values).set(0);
  }
  info_.clear();
  for (const auto* guard : guards_) {
    for (const auto& state : guard->core().states(guard->time())) {
      make_series(*state.key);
      auto labels = object_label_values(*state.key);
      if (state.contested) contested_.with(labels).set(1);
      if (state.pause == nullptr) continue;
      paused_.with(labels).set(1);
      labels.push_back(state.pause->reason);
      labels.push_back(state.pause->rule);
      labels.push_back(actor_label(state.pause->actor));
      info_.with(labels).set(1);
    }
  }
}

}  // namespace fixpoint::runtime
