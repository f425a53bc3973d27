// SPDX-License-Identifier: Apache-2.0
//
// HorizontalPodAutoscalers: the number of replicas of something scalable, by metrics.
//
// Every 15 seconds each metric is read (metrics.h) and makes a proposal (proposal.h); the largest
// one is held back by what was recommended and changed lately (restraint.h), and written to the
// target's scale. What is in the way is told by the conditions AbleToScale, ScalingActive and
// ScalingLimited.
#pragma once

#include "cluster/autoscaling/metrics.h"
#include "cluster/autoscaling/scale.h"
#include "cluster/keyed_controller.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::cluster::autoscaling {

struct AutoscalerFacts {
  store::RecordRef autoscaler;            // never empty
  Result<Scale> scale;                    // of its target
  std::vector<store::RecordRef> pods;     // those the target selects
  std::vector<Result<Reading>> readings;  // one for each of spec.metrics
  // All autoscalers, this one too, of the pods: more than one is one too many.
  std::vector<std::string> rivals;
  std::optional<Refusal> refused;
  json::Value memory;  // of the last pass: when it was, for which spec, its restraint
};

Decision decide(const AutoscalerFacts& facts, Instant now);

class Autoscaler final : public KeyedController {
 public:
  explicit Autoscaler(
      std::shared_ptr<const MetricSource> source = std::make_shared<AnnotatedMetrics>());

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;

  std::shared_ptr<const MetricSource> source_;
};

}  // namespace fixpoint::cluster::autoscaling
