// SPDX-License-Identifier: Apache-2.0
//
// PodEviction: ends pods that may not stay where they are: on a node whose taints they do not
// tolerate (any longer), on a node that does not exist, or on none while they are being deleted.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/event_recorder.h"
#include "cluster/nodes/pods_by_node.h"

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace fixpoint::cluster::nodes {

class PodEviction final : public Controller {
 public:
  std::string_view name() const override { return "taint-eviction-controller"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  // How long a missing node may come back before its pods are collected; as Kubernetes.
  static constexpr std::chrono::seconds kQuarantine{40};
  // How long a pod without a node may take to go once it was deleted.
  static constexpr std::chrono::seconds kCollectsEvery{20};
  static constexpr std::chrono::seconds kTryAgain{5};

  void look(Api& api, const std::string& key);
  void collect_if_stuck(Api& api, const store::RecordRef& pod);
  void collect_if_orphaned(Api& api, const store::RecordRef& pod);
  void force_delete(Api& api, const store::RecordRef& pod, const json::Value& status);
  void evict(Api& api, const store::RecordRef& pod);
  void cancel(Api& api, const store::RecordRef& pod);

  PodsByNode pods_;
  KeyQueue queue_;
  Deadlines deadlines_;
  std::set<std::string, std::less<>> doomed_;                  // pods whose eviction has a date
  std::map<std::string, Instant, std::less<>> missing_since_;  // nodes
  EventRecorder recorder_{"taint-eviction-controller"};
};

}  // namespace fixpoint::cluster::nodes
