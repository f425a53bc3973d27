// SPDX-License-Identifier: Apache-2.0
//
// EphemeralVolumes: makes the claims that pods bring along as templates. A claim belongs to its pod
// and goes with it; one of that name that belongs to somebody else is left alone, and the pod
// waits.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/event_recorder.h"
#include "cluster/storage/pod_claims.h"

#include <chrono>
#include <string>

namespace fixpoint::cluster::storage {

class EphemeralVolumes final : public Controller {
 public:
  std::string_view name() const override { return "ephemeral-volume-controller"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  // After a refusal: a quota may be lifted, a namesake may go.
  static constexpr std::chrono::seconds kTryAgain{5};

  void consider(const store::RecordRef& record);
  // What is in the way of the pod's claim, in Kubernetes' words; empty when it is there.
  static std::string make(Api& api, json::View pod, const PodClaim& claim);

  KeyQueue pods_;
  Deadlines deadlines_;
  EventRecorder recorder_{"ephemeral_volume"};
};

}  // namespace fixpoint::cluster::storage
