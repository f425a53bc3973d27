// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: gives pods their nodes, one pod a step.
//
// The judgement is pick.h; this shell keeps the board and the queue current, binds, and tells a pod
// that found no node why. A pod counts on its node from the moment it was bound or chosen for it,
// not only when the news of that arrive.
#pragma once

#include "cluster/controller.h"
#include "cluster/event_recorder.h"
#include "cluster/scheduler/board.h"
#include "cluster/scheduler/pick.h"
#include "cluster/scheduler/queue.h"

#include <map>
#include <set>
#include <string>

namespace fixpoint::cluster::scheduler {

inline constexpr std::string_view kSchedulerName = "default-scheduler";

class Scheduler final : public Controller {
 public:
  std::string_view name() const override { return kSchedulerName; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return queue_.wakes(); }

 private:
  void see_pod(const std::string& key, const store::RecordRef& before,
               const store::RecordRef& after);
  void see_node(const store::RecordRef& before, const store::RecordRef& after);
  void see_volume(const store::RecordRef& before, const store::RecordRef& after);
  VolumeSource source(const store::Snapshot& snapshot) const;

  void schedule(Api& api, const store::RecordRef& pod);
  // True when the claims still have to follow the pod to its node.
  bool prepare_volumes(Api& api, const VolumeNeeds& volumes, const std::string& node);
  void bind(Api& api, const store::RecordRef& pod, const std::string& node);
  void refuse(Api& api, const store::RecordRef& pod, const VolumeNeeds& volumes,
              const std::string& why);
  void tell(Api& api, const json::Value& pod, Notice::Type type, std::string_view reason,
            std::string message);

  Board board_;
  Queue queue_;
  Turn turn_;
  std::map<std::string, std::set<std::string>, std::less<>> free_volumes_;  // by class
  EventRecorder recorder_{std::string{kSchedulerName}};
};

}  // namespace fixpoint::cluster::scheduler
