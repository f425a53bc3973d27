// SPDX-License-Identifier: Apache-2.0
//
// Proposal: how many replicas one metric asks for.
//
// The ratio of what is to what should be, times the pods that are ready. Pods that cannot be
// measured are taken to be as quiet as keeps the answer from swinging: idle when there is too much
// load, at their target when there is too little.
#pragma once

#include "base/error.h"
#include "cluster/autoscaling/metrics.h"
#include "json/draft.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::cluster::autoscaling {

// How far the ratio may be off without consequence.
struct Tolerances {
  double down = 0.1;
  double up = 0.1;
  bool cover(double ratio) const { return 1.0 - down <= ratio && ratio <= 1.0 + up; }
};

struct ProposalFacts {
  std::int64_t wanted = 0;    // of the scale's spec
  std::int64_t replicas = 0;  // of its status
  const std::vector<store::RecordRef>& pods;
  Tolerances tolerances;
  Instant now;
};

struct Proposal {
  std::int64_t replicas = 0;
  std::string metric;  // in words
  json::Draft status;  // for status.currentMetrics
};

// Takes the reading of a metric. The error of a reading goes through the same words as one of its
// own: the reason is what the condition and the Event are named.
struct ProposalError {
  std::string reason;
  std::string message;  // of the condition and the Event
  std::string summary;  // of the whole computation
};
std::expected<Proposal, ProposalError> propose(json::View metric, const Result<Reading>& reading,
                                               const ProposalFacts& facts);

}  // namespace fixpoint::cluster::autoscaling
